"""Function words are left out of index and query alike; subjects stay."""

import pytest

from ragbench.sparse.analyser import normalised
from ragbench.sparse.bm25 import Bm25Sparse
from ragbench.sparse.stop_words import FUNCTION_WORDS

ASKED = {
    "zh": ("我们怎么报销发票？", ["报销", "发票"]),
    "en": ("How do I apply for annual leave?", ["apply", "annual", "leave"]),
    "mixed": ("请问 VPN 怎么 reset 啊", ["vpn", "reset"]),
}


def stage(**changed) -> Bm25Sparse:
    fields = {"analyser": "jieba", "stop_words": "function", "k1": 1.5, "b": 0.75, "method": "lucene"}
    return Bm25Sparse(**(fields | changed))


@pytest.mark.parametrize("language", ASKED)
def test_the_words_of_asking_are_left_out(language: str) -> None:
    text, kept = ASKED[language]
    assert sorted(stage().analyse(text)) == sorted(kept)
    assert set(kept) < set(stage(stop_words="none").analyse(text))


@pytest.mark.parametrize("text", ["vitamin C", "R 语言", "C++", "vitamin A", "not allowed", "不得转让", "没有上限"])
def test_subjects_and_negations_stay(text: str) -> None:
    lost = set(stage(stop_words="none").analyse(text)) - set(stage().analyse(text))
    assert not lost & {"c", "r", "c++", "a", "vitamin", "not", "不得", "没有", "转让", "上限", "语言"}


@pytest.mark.parametrize("query", ["怎么？", "How do I?", "的 了 the"])
def test_a_query_or_corpus_of_function_words_finds_nothing(tmp_path, query: str) -> None:
    facts = stage().build(tmp_path, ["的 了 在", "how do you", "年假 leave"])
    assert facts["n_without_terms"] == 2
    with stage().open(tmp_path) as index:
        assert index.search(query, 5)[0].tolist() == []
        assert index.search("年假 leave", 5)[0].tolist() == [2]


def test_the_list_is_in_the_form_that_terms_have() -> None:
    assert all(normalised(word) == word and len(word.split()) == 1 for word in FUNCTION_WORDS)
    assert FUNCTION_WORDS.isdisjoint({"no", "not", "不", "没", "无", "a", "c", "r"})
