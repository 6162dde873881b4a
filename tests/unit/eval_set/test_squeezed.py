"""Texts without white space, and the way back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.corpus.normalise import normalise
from ragbench.eval_set.squeezed import Squeezed, occurrences

TEXTS = ["海燕号 载重\n三百吨。", "The Petrel\tcarries 300 t.", "发布 release\u3000window 是 ① 周二 ﬁn"]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("folded", [False, True])
def test_every_interval_comes_back(text, folded):
    squeezed = Squeezed(text, folded=folded)
    for start in range(len(squeezed)):
        low, high = squeezed.interval(start, len(squeezed))
        assert Squeezed(text[low:high], folded=folded).text.endswith(squeezed.text[start:])
        assert high == len(text.rstrip())


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("载重三百吨", TEXTS[0], [(4, 10)]),
        ("petrel CARRIES", TEXTS[1], [(4, 18)]),
        ("release window", TEXTS[2], [(3, 17)]),
        ("1 周二", TEXTS[2], [(20, 24)]),
        ("30 0", "15 30.0 %", []),
        ("1.5%", "15% 和 １．５％", [(6, 10)]),
        ("", TEXTS[0], []),
    ],
)
def test_places_of_a_quote_in_another_spelling(quote, text, found):
    assert list(Squeezed(text, folded=True).places(Squeezed(quote, folded=True))) == found


def test_occurrences_do_not_overlap():
    assert list(occurrences("aa", "aaaaa")) == [0, 2]
    assert list(occurrences("", "aa")) == []


@given(
    st.lists(st.sampled_from(["船", "a", "é", "e\u0301", " ", "\n", "\t", "\u200b", "。", "```\n"]), max_size=60),
    st.data(),
)
def test_an_offset_survives_normalisation(parts, data):
    raw = "".join(parts)
    clean = normalise(raw)
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, len(raw)))
    span = Squeezed(clean).from_end(raw[start:end], raw[end:])
    if span is not None:
        assert Squeezed(clean[slice(*span)]).text == Squeezed(normalise(raw[start:end], collapse=False)).text
    elif raw.isascii():
        assert not raw[start:end].strip()
