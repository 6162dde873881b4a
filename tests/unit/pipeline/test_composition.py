"""Every retriever with every query stage, reranker and splitter; and what a change of fusion costs: nothing."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from ragbench.core.store import Store
from ragbench.records.question import Question

from .words import QUESTIONS, Place, corpus_of, document, pipeline_of

ASKED = [Question(f"q-{language}", text) for language, text in QUESTIONS.items()]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder: Path = tmp_path_factory.mktemp("composition")
    store = Store(folder / "store")
    documents = {f"{language}/{n}.md": document(language, n) for language in QUESTIONS for n in range(4)}
    return Place(corpus_of(folder / "corpus", documents, store), store)


@pytest.mark.parametrize("splitter", ["recursive", "parent_child"])
@pytest.mark.parametrize("retriever", ["dense", "sparse", "hybrid"])
@pytest.mark.parametrize("query", ["none", "language"])
@pytest.mark.parametrize("reranker", ["none", "mmr", "late_interaction"])
def test_all_goes_together(place: Place, splitter: str, retriever: str, query: str, reranker: str) -> None:
    cuts = ["k=3", "recall_k=12", "pool_depth=30"]
    parents = ["pipeline.splitter.parents.chunk_size=200"] if splitter == "parent_child" else []
    pipeline = pipeline_of(
        f"splitter={splitter}", f"retriever={retriever}", f"query={query}", f"reranker={reranker}", *cuts, *parents
    )
    n_requests = [1, 1, 1 if query == "none" else 3]
    for trace, expected in zip(place.ask(pipeline, ASKED), n_requests, strict=True):
        assert trace.error is None
        (step,) = trace.steps
        assert len(step.requests) == expected
        assert len(step.route_lists) == expected * len(pipeline.routes)
        assert all(len(one.chunks) <= 30 for one in step.route_lists)
        numbers = [hit.chunk for hit in step.fused]
        assert set(numbers) == {number for one in step.route_lists for number in one.chunks}
        assert len(numbers) == len(set(numbers)) >= 12
        assert sorted(hit.chunk for hit in step.reranked[:12]) == sorted(numbers[:12])
        assert [hit.chunk for hit in step.reranked[12:]] == numbers[12:]
        for ranking in (step.fused, step.reranked):
            assert [hit.rank for hit in ranking] == list(range(1, len(numbers) + 1))
            assert all(before.score >= after.score for before, after in itertools.pairwise(ranking))
        assert trace.context is not None
        packed = [number for block in trace.context.blocks for number in block.chunks]
        assert len(packed) + len(trace.context.dropped) == 3
        if splitter == "parent_child":
            texts = {document.doc_id: document.text for document in place.corpus.documents}
            assert all(block.text == texts[block.doc_id][block.start : block.end] for block in trace.context.blocks)
            assert any(block.end - block.start > 60 for block in trace.context.blocks)


def test_k_counts_distinct_parents(place: Place) -> None:
    pipeline = pipeline_of(
        "splitter=parent_child", "pipeline.splitter.parents.chunk_size=200", "retriever=dense", "k=3", "recall_k=12"
    )
    with place.bench(pipeline) as bench:
        for trace in pipeline.flow.run(ASKED, bench):
            head = bench.head(trace.reranked, 3)
            parents = [bench.built.chunks[hit.chunk].parent_id for hit in head]
            assert len(set(parents)) == 3
            best = {}
            for hit in trace.reranked:
                best.setdefault(bench.built.chunks[hit.chunk].parent_id, hit)
            assert list(head) == list(best.values())[:3]


def test_fusion_and_cut_offs_search_nothing_and_embed_nothing(place: Place) -> None:
    first = pipeline_of("retriever=hybrid", "alpha=0.5", "splitter=sentence", "pipeline.splitter.chunk_unit=words")
    before = place.n_searched
    place.ask(first, ASKED)
    assert place.n_searched == before + 6
    n_embedded, n_searched = len(place.words.computed), place.n_searched
    grid = [
        *(["pipeline.retriever.fusion=alpha", f"alpha={alpha}", f"pipeline.retriever.scale={scale}"]
          for alpha in (0, 0.3, 0.7, 1) for scale in ("minmax", "zscore")),
        *(["pipeline.retriever.fusion=rrf", f"pipeline.retriever.rrf_k={constant}"] for constant in (1, 10, 60)),
        ["pipeline.retriever.fusion=weighted_rrf", "pipeline.retriever.weights.dense=2"],
        ["retriever=dense"],
        ["retriever=sparse"],
    ]  # fmt: skip
    cuts = [["k=1", "recall_k=5"], ["k=5", "recall_k=20"], ["k=10", "recall_k=100"], ["reranker=mmr"]]
    rankings = set()
    for fusion, cut in itertools.product(grid, cuts):
        pipeline = pipeline_of("splitter=sentence", "pipeline.splitter.chunk_unit=words", *fusion, *cut)
        rankings.add(tuple(hit.chunk for hit in place.ask(pipeline, ASKED)[0].reranked))
    assert place.n_searched == n_searched
    assert len(place.words.computed) == n_embedded
    assert len(rankings) > 8, "the grid changes rankings"


def test_what_changes_a_list_is_searched(place: Place) -> None:
    """The other side of the count: another depth, another query form and a filter are new lists."""
    for changed in (["pool_depth=31"], ["query=language"], ["query=language", "pipeline.query.chunks=own"]):
        before = place.n_searched
        place.ask(pipeline_of("retriever=hybrid", "splitter=sentence", *changed), ASKED)
        assert place.n_searched > before, changed


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_routed_question_sees_its_own_language_and_mixed_chunks(place: Place, language: str) -> None:
    pipeline = pipeline_of("retriever=hybrid", "query=language", "pipeline.query.chunks=own")
    with place.bench(pipeline) as bench:
        (trace,) = pipeline.flow.run([Question("q", QUESTIONS[language])], bench)
        seen = {bench.built.chunks[hit.chunk].doc_id.partition("/")[0] for hit in trace.fused}
    assert seen == {language, "mixed"}
