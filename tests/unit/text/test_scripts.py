import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.text.scripts import bracketed_terms, chinese_part, latin_part


@pytest.mark.parametrize(
    ("text", "chinese", "latin", "bracketed"),
    [
        ("年假有多少天？", "年假有多少天？", "", []),
        ("How many days of leave?", "", "How many days of leave?", []),
        ("API 的 max_age 是多少？", "", "API max_age", []),
        ("Code R-126 报错，怎么 fix", "报错，怎么", "Code R-126 fix", []),
        ("C++ 服务 2024 版的限流", "服务 2024 版的限流", "C++ 2024", []),
        ("《员工手册》里 PTO 是啥", "《员工手册》里 是啥", "PTO", ["员工手册"]),
        ("怎么 setup「限流」（rate limit）", "怎么 「限流」（ ）", "setup rate limit", ["限流", "rate limit"]),
        ("`max_age` 和 \"retention\"、“年假”、`max_age`", "` ` 和 \" \"、“年假”、` `", '`max_age` "retention" `max_age`', ["max_age", "retention", "年假"]),
        ("外面【里面（inner）】", "外面【里面（ ）】", "inner", ["里面（inner）"]),
        ("((年假「b」", "((年假「 」", "(( b", ["b"]),
        ("((没有闭合 and 「 too", "((没有闭合 「", "(( and too", []),
        ("什么 is it", "", "", []),
        ("", "", "", []),
        ("\ud800 年假 leave", "\ud800 年假", "\ud800 leave", []),
    ],
)  # fmt: skip
def test_parts(text: str, chinese: str, latin: str, bracketed: list[str]) -> None:
    assert bracketed_terms(text) == bracketed
    assert chinese_part(text) == chinese
    assert latin_part(text) == latin


@given(st.text(st.sampled_from("年假多少 abC1-_.「」()《\n？,"), max_size=40))
def test_a_part_holds_nothing_of_the_other_script(text: str) -> None:
    assert not any("a" <= char.lower() <= "z" for char in chinese_part(text))
    assert not any("\u4e00" <= char <= "\u9fff" for char in latin_part(text))
    assert all(term in " ".join(text.split()) for term in bracketed_terms(text))


def test_hostile_length_is_no_matter() -> None:
    for text in ("(" * 100_000, "「" * 50_000 + "年", "a-" * 100_000, "年" * 100_000):
        chinese_part(text), latin_part(text), bracketed_terms(text)
