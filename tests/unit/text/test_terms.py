import pytest

from ragbench.text.terms import content_terms, identifiers, names, opening_names, stem, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("年假天数", ["年假", "假天", "天数"]),
        ("云", ["云"]),
        ("Stopped policies", ["stop", "policy"]),
        ("用 GPU 卡", ["用", "gpu", "卡"]),
        ("ＡＢＣ　１２", ["abc", "12"]),
        ("", []),
        ("，。!?", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_function_words_go_unless_nothing_is_left() -> None:
    assert content_terms("What is the limit of it?") == ["limit"]
    assert content_terms("年假有多少天") == ["年假", "少天"]
    assert content_terms("What is it?") == ["what", "is", "it"]


@pytest.mark.parametrize(
    "pair", [("uses", "use"), ("running", "run"), ("deleted", "delete"), ("policies", "policy"), ("boxes", "box")]
)
def test_endings(pair: tuple[str, str]) -> None:
    assert stem(pair[0]) == stem(pair[1])


def test_identifiers_and_names() -> None:
    assert identifiers("按 CS-2024-02 设 storage.allow_fs，A240 与 NFS 不变 and so on") == [
        "cs-2024-02",
        "storage.allow_fs",
        "a240",
        "nfs",
    ]
    assert identifiers("年假 ordinary words 2024") == []
    assert names("In 2015 the Marlow Herons beat Tilbury. They won.") == ["marlow herons", "tilbury"]


@pytest.mark.parametrize(
    ("text", "inside", "opening"),
    [
        ("How does DeepSeek run on FreeBSD?", ["deepseek", "freebsd"], ["deepseek", "freebsd"]),
        ("Kubernetes needs a port", [], ["kubernetes"]),
        ("Ok. Berlin too, in Genève", ["genève"], ["berlin"]),
        ("Employees need a form", [], []),
        ("用 GitHub 登录", ["github"], ["github"]),
        ("成都几天", [], []),
    ],
)
def test_names_are_whole_words(text: str, inside: list[str], opening: list[str]) -> None:
    assert names(text) == inside
    assert opening_names(text) == opening
