import time

import pytest

from ragbench.packer.tokens import estimate_tokens


@pytest.mark.parametrize("text", ["", " \n\t　"])
def test_blank_is_free(text: str) -> None:
    assert estimate_tokens([text]) == [0]
    assert estimate_tokens([]) == []


@pytest.mark.parametrize("text", ["a", "年", "1", "。", "🙂", "\ud800"])
def test_anything_visible_counts(text: str) -> None:
    assert estimate_tokens([text]) == [1] or estimate_tokens([text]) == [2]


def test_texts_do_not_touch_each_other() -> None:
    parts = ["年假十天", "abc", "def 12", "", "-", "- x"]
    assert estimate_tokens(parts) == [estimate_tokens([part])[0] for part in parts]
    assert estimate_tokens(["abc", "def"]) != estimate_tokens(["abcdef"]) * 2


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("员工入职满一年后，每年享有十天带薪年假，未休完的部分不得结转到下一年度。", 27),
        ("The broker refuses to start when the data directory lies on a network file system.", 18),
        ("在 HaloBus 4.2 里，storage.allow_unsafe_fs 默认是 false。", 26),
    ],
)
def test_near_the_tokeniser(text: str, tokens: int) -> None:
    """Counts of multilingual-e5-small; the estimate of a single sentence is within a third."""
    assert estimate_tokens([text])[0] == pytest.approx(tokens, rel=0.34)


def test_it_is_fast() -> None:
    started = time.process_time()
    estimate_tokens(["员工 handbook 2024 " * 40] * 2_000)
    assert time.process_time() - started < 3
