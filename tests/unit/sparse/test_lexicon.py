"""Numbers of terms are those of reading each text by itself, whatever was read before."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.sparse import lexicon as module
from ragbench.sparse.analyser import ANALYSERS, bigram_terms
from ragbench.sparse.ascii_lines import ascii_terms
from ragbench.sparse.lexicon import Lexicon

TEXTS = {
    "zh": ["年假十五天。\n未休完的年假可以结转", "年假十五天。", ""],
    "en": ["Backups keep 35 days.\n\nv4.2.1 and .hidden", "Backups keep 35 days.", "…"],
    "mixed": ["Kubernetes 集群 1.27\r\nai-2024-03号文 release", "ＡＢＣ abc\u2028集群", "\n \n"],
}


def bags(texts, left_out=frozenset(), lexicon=None):
    """The terms of each text, decoded."""
    terms, lengths, vocabulary = (lexicon or Lexicon(bigram_terms)).encode(texts, left_out)
    words = list(vocabulary)
    assert [vocabulary[word] for word in words] == list(range(len(words)))
    assert len(lengths) == len(texts) and lengths.sum() == len(terms)
    return [Counter(words[n] for n in part) for part in np.split(terms, np.cumsum(lengths)[:-1])] if len(texts) else []


@pytest.mark.parametrize("analyser", list(ANALYSERS))
@pytest.mark.parametrize("language", list(TEXTS))
def test_every_text_has_the_terms_of_its_analyser(language, analyser):
    expected = [Counter(ANALYSERS[analyser](text)) for text in TEXTS[language]]
    assert bags(TEXTS[language], lexicon=Lexicon(ANALYSERS[analyser])) == expected


pieces = st.text(alphabet="abAe19.-_/+#,&@%:! \n\r\t\u3000年号文集ＡﬁéΣ", max_size=30)


@pytest.mark.parametrize("analyser", list(ANALYSERS))
@given(st.lists(st.text(alphabet="abAe19.-_/+#,&@%:! \r\t", max_size=40), max_size=5), st.integers(1, 30))
def test_lines_of_ascii_read_together_have_the_terms_of_each(analyser, lines, at_once):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_AT_ONCE", at_once)
        found = bags(lines, lexicon=Lexicon(ANALYSERS[analyser], ascii_terms))
    assert found == [Counter(ANALYSERS[analyser](line)) for line in lines]


def test_an_analyser_of_somebody_else_reads_every_line_itself(monkeypatch):
    monkeypatch.setitem(ANALYSERS, "blanks", str.split)
    texts = ["Long-term plan: v4.2.1, twice", "年假 Plan.", ""]
    assert bags(texts, lexicon=module.lexicon("blanks")) == [Counter(text.split()) for text in texts]


def test_long_words_and_long_texts_of_ascii_have_the_same_terms():
    text = "Internationalisation (v4.2.1), eightlet ninelette; see node.js/C++ -- 1,200 items.\n" * 3000
    assert bags([text], lexicon=Lexicon(bigram_terms, ascii_terms)) == [Counter(bigram_terms(text))]


@given(st.lists(pieces, max_size=4), st.frozensets(st.sampled_from(["a", "年", "b", "e"])))
def test_lines_read_one_by_one_have_the_terms_of_the_text(texts, left_out):
    expected = [Counter(term for term in bigram_terms(text) if term not in left_out) for text in texts]
    assert bags(texts, left_out) == expected


def test_what_was_read_before_changes_nothing():
    texts = [text for group in TEXTS.values() for text in group]
    used = Lexicon(bigram_terms)
    used.encode(["zebra 斑马 release", *reversed(texts)], frozenset())
    fresh, again = Lexicon(bigram_terms).encode(texts, frozenset({"35"})), used.encode(texts, frozenset({"35"}))
    assert fresh[0].tolist() == again[0].tolist()
    assert fresh[1].tolist() == again[1].tolist()
    assert fresh[2] == again[2] and "35" not in fresh[2]


def test_a_line_is_read_once_and_memory_is_bounded(monkeypatch):
    read: list[str] = []

    def analyse(text):
        read.append(text)
        return text.split()

    monkeypatch.setattr(module, "_LINES", 2)
    lexicon = Lexicon(analyse)
    lexicon.encode(["a b\nc", "c\na b"], frozenset())
    assert read == ["a b", "c"]
    lexicon.encode(["d", "e"], frozenset())
    lexicon.encode(["a b"], frozenset())
    assert read == ["a b", "c", "d", "e", "a b"]
