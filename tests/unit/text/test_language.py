import pytest

from ragbench.text.language import answers_in_chinese, han_share, language_of


@pytest.mark.parametrize(
    ("text", "language", "chinese"),
    [
        ("年假有多少天？", "zh", True),
        ("HaloBus 集群的默认保留时间是多长，怎么修改它", "zh", True),
        ("How long is the retention?", "en", False),
        ("怎么 fix 这个 license error", "mixed", True),
        ("what does 年假 mean in the new handbook", "mixed", False),
        ("", "en", False),
        ("42", "en", False),
    ],
)
def test_language(text: str, language: str, chinese: bool) -> None:
    assert language_of(text) == language
    assert answers_in_chinese(text) is chinese


def test_share_counts_words() -> None:
    assert han_share("年假abc") == pytest.approx((2 / 1.6) / (2 / 1.6 + 1))
