"""BM25 against the formula as a plain loop, and against bm25s' own index."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from pathlib import Path

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.sparse.analyser import ANALYSERS
from ragbench.sparse.bm25 import Bm25Sparse

TEXTS = [
    "年假按工龄计算，满一年休五天，满十年休十天。",
    "Annual leave is counted by years of service; leave not taken ends in March.",
    "报销单号 E-4012 须附发票，发票须真实。",
    "Set storage.retention.max_age to 30d. The default max_age is 7d.",
    "",
    "   ",
    "，。",
    "leave leave leave leave",
    "C 语言、R 与 C++；報銷單據 ＡＢＣ１２３",
    "出差补助每天 100 元，AI-2024-03号文另有规定的除外。",
    "天",
    "The the the, of OF by 天 天",
    "Annual leave is counted by years of service; leave not taken ends in March.",
]
QUERIES = [
    "年假休几天",
    "annual leave",
    "leave leave years",
    "E-4012 发票",
    "max_age 30d",
    "天 the nothing 无此词",
    "100 元",
    "leave leave leave leave leave",
    "天 天 annual 天 leave 天",
    "ＬＥＡＶＥ 年假 leave 年假",
    "報銷單據與報銷單號",
    "C",
]
# Among them: no saturation, binary terms (k1 0), lengths without effect (b 0) and in full (b 1).
EXTREMES = [(1.5, 0.75), (0.9, 0.4), (2.0, 0.0), (1.2, 1.0), (0, 0.75), (0, 0), (1000, 1.0), (0.01, 0.5)]
IDF = {
    "lucene": lambda df, n: math.log(1 + (n - df + 0.5) / (df + 0.5)),
    "robertson": lambda df, n: math.log(max((n - df + 0.5) / (df + 0.5), 1)),
    "atire": lambda df, n: math.log(n / df),
}


def by_the_formula(texts, query, analyse, k1, b, idf) -> list[float]:
    documents = [analyse(text) for text in texts]
    mean = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        counts, score = Counter(document), 0.0
        for term in analyse(query):
            df, f = sum(term in other for other in documents), counts[term]
            if f:
                score += idf(df, len(documents)) * f * (k1 + 1) / (f + k1 * (1 - b + b * len(document) / mean))
        scores.append(score)
    return scores


def found(tmp_path: Path, stage: Bm25Sparse, query: str, depth: int = 99) -> dict[int, float]:
    if not any(tmp_path.iterdir()):
        stage.build(tmp_path, TEXTS)
    with stage.open(tmp_path) as reader:
        return dict(zip(*(part.tolist() for part in reader.search(query, depth))))


@pytest.mark.parametrize("analyser", ANALYSERS)
@pytest.mark.parametrize("method", IDF)
@pytest.mark.parametrize(("k1", "b"), EXTREMES)
def test_scores_follow_the_formula(tmp_path: Path, analyser: str, method: str, k1: float, b: float) -> None:
    stage = Bm25Sparse(analyser=analyser, stop_words="none", k1=k1, b=b, method=method)
    for query in QUERIES:
        truth = by_the_formula(TEXTS, query, ANALYSERS[analyser], k1, b, IDF[method])
        expected = {number: score for number, score in enumerate(truth) if score > 0}
        hits = found(tmp_path, stage, query)
        assert hits == pytest.approx(expected, rel=2e-6)
        best = sorted(expected, key=lambda number: (-np.float32(round(expected[number], 5)), number))
        assert list(hits) == best


@pytest.mark.parametrize("method", ["lucene", "robertson", "atire"])
def test_ranking_equals_bm25s_own_index(tmp_path: Path, method: str) -> None:
    analyse = ANALYSERS["jieba"]
    library = bm25s.BM25(k1=1.5, b=0.75, method="atire", idf_method=method)
    library.index([analyse(text) for text in TEXTS], show_progress=False)
    stage = Bm25Sparse(analyser="jieba", stop_words="none", k1=1.5, b=0.75, method=method)
    for query in QUERIES:
        scores = library.get_scores(analyse(query))
        expected = {number: float(score) for number, score in enumerate(scores) if score > 0}
        assert found(tmp_path, stage, query) == pytest.approx(expected, rel=2e-6)


def test_lucene_in_bm25s_is_the_same_ranking_without_the_constant(tmp_path: Path) -> None:
    """The library's `lucene` leaves the factor k1 + 1 out of every weight."""
    library = bm25s.BM25(k1=1.5, b=0.75, method="lucene")
    library.index([ANALYSERS["jieba"](text) for text in TEXTS], show_progress=False)
    scores = library.get_scores(ANALYSERS["jieba"]("annual leave"))
    hits = found(
        tmp_path, Bm25Sparse(analyser="jieba", stop_words="none", k1=1.5, b=0.75, method="lucene"), "annual leave"
    )
    assert hits == pytest.approx({n: 2.5 * float(s) for n, s in enumerate(scores) if s > 0}, rel=2e-6)


def test_depth_cuts_the_same_list(tmp_path: Path) -> None:
    stage = Bm25Sparse(analyser="jieba", stop_words="none", k1=1.5, b=0.75, method="lucene")
    whole = list(found(tmp_path, stage, "annual leave 天").items())
    assert len(whole) > 4
    for depth in range(len(whole) + 2):
        assert list(found(tmp_path, stage, "annual leave 天", depth).items()) == whole[:depth]


@pytest.mark.parametrize("stop_words", ["none", "function"])
@pytest.mark.parametrize("method", IDF)
def test_a_term_asked_n_times_counts_n_times(tmp_path: Path, stop_words: str, method: str) -> None:
    stage = Bm25Sparse(analyser="jieba", stop_words=stop_words, k1=1.5, b=0.75, method=method)
    for word in ("leave", "报销", "E-4012"):
        once, thrice = found(tmp_path, stage, word), found(tmp_path, stage, f"{word} {word} {word}")
        assert thrice == pytest.approx({number: 3 * score for number, score in once.items()}, rel=2e-6)


WORDS = [
    "年假",
    "报销",
    "請假",
    "leave",
    "annual",
    "E-4012",
    "C",
    "C++",
    "ＡＢＣ",
    "v4.2",
    "天",
    "的",
    "the",
    "30d",
    "，",
    "",
]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=1, max_size=7),
    st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join),
    st.sampled_from(list(IDF)),
    st.sampled_from(EXTREMES),
)
def test_any_texts_and_query(texts: list[str], query: str, method: str, extremes: tuple[float, float]) -> None:
    k1, b = extremes
    stage = Bm25Sparse(analyser="bigram", stop_words="none", k1=k1, b=b, method=method)
    with tempfile.TemporaryDirectory() as folder:
        stage.build(Path(folder), texts)
        with stage.open(Path(folder)) as reader:
            numbers, scores = reader.search(query, 99)
    truth = by_the_formula(texts, query, ANALYSERS["bigram"], k1, b, IDF[method])
    assert dict(zip(numbers.tolist(), scores.tolist())) == pytest.approx(
        {number: score for number, score in enumerate(truth) if score > 0}, rel=3e-6
    )
