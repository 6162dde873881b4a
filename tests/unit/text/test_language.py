import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.text import language
from ragbench.text.language import answers_in_chinese, han_share, language_of, languages_of

LETTERS = st.sampled_from("年假\u9fff\uf900\u33ffabXYZ@[`{'’-\u00e9\U00020000\ud800 .\n7")


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


@given(st.lists(st.text(LETTERS, max_size=20), max_size=12), st.sampled_from([1, 7, 200_000]))
def test_many_texts_at_once_are_each_what_they_are_alone(texts: list[str], batch: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(language, "_BATCH", batch)
        assert languages_of(texts) == [language_of(text) for text in texts]
