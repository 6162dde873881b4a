"""Knobs that nobody reads and vectors that the embedder does not have: a plan is as strict as a run."""

from __future__ import annotations

import pytest

from ragbench.errors import RagbenchError
from ragbench.run.build import experiment
from ragbench.run.sweep import plan_grid

CALIBRATED = ("reranker=late_interaction", "pipeline.reranker.mix=1", "pipeline.reranker.calibration={a: 60, b: -53}")

MISFITS = [
    (["splitter=whole", "chunk_size=100"], r"chunk_size: the chosen splitter \(whole\) has no such knob"),
    (["variant=bm25", "alpha=0.3"], r"alpha: the chosen retriever \(sparse\) has no such knob"),
    (["pipeline.retriever.fusion=rrf", "alpha=0.1"], r"alpha: .* does not use it with fusion=rrf"),
    (["pipeline.retriever.fusion=rrf", "pipeline.retriever.alpha=0.1"], r"does not use it with fusion=rrf"),
    (["pipeline.retriever.weights.dense=2"], r"weights.dense: .* does not use it with fusion=alpha"),
    (["embedder=openai", "reranker=late_interaction"], r"reranker=late_interaction: expected an embedder with vectors"),
    (["variant=bm25", "index=chroma"], r"index=chroma: nothing in this variant \(retriever sparse\) reads the index"),
    (["variant=dense", "pipeline.sparse.k1=9"], r"pipeline.sparse.k1=9: nothing in this variant .* reads the sparse"),
    (
        ["variant=bm25", "generator=none", "judge=none", "pipeline.embedder.runtime=q4"],
        r"runtime=q4: nothing in this variant .* reads the embedder",
    ),
    (["+retriever.alpha=0.9"], r"key retriever.alpha: .* no such key. Did you mean pipeline.retriever.alpha"),
    (["+pipeline.retreiver.alpha=0.9"], r"key pipeline.retreiver.alpha: .* Did you mean pipeline.retriever.alpha"),
    (["splitter=fixed", "pipeline.splitter.min_size=5"], r"min_size: expected a knob of the chosen options"),
    (["+evil._target_=os.system"], r"key evil._target_: expected a key of the configuration"),
    (["+pipeline.extra._target_=os.system"], r"key pipeline.extra._target_: expected a key"),
    (["+pipeline.retreiver=foo"], r"key pipeline.retreiver: expected a key"),
    (
        ["flow=sequential", "generator=none", "judge=none"],
        r"flow=sequential: expected a generator that answers, found generator=none",
    ),
    (["flow=adaptive", "classifier=none"], r"flow=adaptive: expected a query stage that classifies, found none does"),
    (["flow=adaptive_k", "classifier=none"], r"flow=adaptive_k: expected a query stage that classifies"),
    (["flow=adaptive_k", "k=11"], r"k: expected at most recall_k \(20\), .* found 22. Set recall_k=22"),
    (["flow=adaptive", "splitter=parent_child", "k=5"], r"recall_k: expected at least 3·k = 30"),
    (["splitter=parent_child", "k=7"], r"recall_k: expected at least 3·k = 21, .* found 20"),
    (["query=hyde", "variant=bm25"], r"query=hyde: changes nothing with retriever=sparse, which has no dense route"),
    (
        ["pipeline.generator.min_max=0.5"],
        r"generator.min_max: expected a reranker with calibrated scores, found reranker=none .* \(ragbench calibrate",
    ),
    (
        ["reranker=logistic_fusion", "generator=chat", "llm=ollama", "pipeline.generator.min_mean=0.3"],
        r"generator.min_mean: expected a reranker with calibrated scores, found reranker=logistic_fusion",
    ),
    (
        ["reranker=late_interaction", "pipeline.reranker.mix=1", "pipeline.generator.min_max=0.5"],
        r"without a calibration",
    ),
    (
        [*CALIBRATED, "pipeline.generator.min_max=0.5", "flow=sequential"],
        r"generator.min_max: expected a flow that packs the reranker's scores, found flow=sequential. Use flow=one_shot",
    ),
    (
        [
            "reranker=api",
            "pipeline.reranker.calibration={a: 1, b: 0}",
            "pipeline.reranker.on_failure=keep",
            "pipeline.generator.min_mean=0.5",
        ],
        r"generator.min_mean: expected pipeline.reranker.on_failure=raise: .* found keep",
    ),
    (["embedder=openai"], r"scorer=maxsim: .* Use pipeline.generator.scorer=lexical"),
]


@pytest.mark.parametrize(("overrides", "words"), MISFITS)
def test_plan_and_run_refuse_the_same(overrides, words):
    for make in (experiment, plan_grid):
        with pytest.raises(RagbenchError, match=words):
            make(overrides)


def test_what_is_read_is_no_misfit():
    for overrides in (
        ["pipeline.retriever.fusion=alpha", "alpha=0.1"],
        ["pipeline.retriever.fusion=weighted_rrf", "pipeline.retriever.weights.dense=2"],
        ["embedder=openai", "pipeline.generator.scorer=lexical"],
        ["embedder=sentence_transformers", "reranker=late_interaction"],
        ["classifier.short=9"],
        [*CALIBRATED, "pipeline.generator.min_max=0.5", "pipeline.generator.min_mean=0.3"],
        [*CALIBRATED, "flow=sequential", "pipeline.generator.min_contexts=2"],
        [*CALIBRATED, "flow=adaptive_k", "k=5", "pipeline.generator.min_max=0.5"],
        ["flow=adaptive", "llm=ollama"],
        ["flow=sequential", "llm=ollama"],
        ["query=hyde", "variant=dense"],
        ["variant=bm25", "generator=none", "pipeline.embedder.runtime=q4"],
        ["variant=bm25", "generator=none", "judge=none", "pipeline.embedder.cache_dir=/x"],
        ["splitter=parent_child", "chunk_size=100", "overlap=0", "pipeline.splitter.parents.chunk_size=600", "k=6"],
        ["splitter=semantic", "chunk_size=400", "pipeline.splitter.buffer=3"],
    ):
        (point,), folded = plan_grid(overrides)
        assert not folded
        assert point.experiment.unused == ()


def test_a_grid_folds_them_with_a_note():
    points, notes = plan_grid(["pipeline.retriever.fusion=rrf,alpha", "alpha=0.1,0.3"])
    assert len(points) == 3
    assert len(notes) == 2
    assert "fusion=rrf alpha=0.1 leaves something without effect" in notes[0]
    assert "fusion=rrf alpha=0.3 is the same variant as pipeline.retriever.fusion=rrf alpha=0.1" in notes[1]
    assert all("does not use it with fusion=rrf" in line for line in notes)


def test_a_misfit_of_every_point_is_noted_in_each():
    points, notes = plan_grid(["splitter=whole", "chunk_size=100,200"])
    assert len(points) == 1
    assert [("has no such knob" in line) for line in notes] == [True, True]


def test_variants_that_differ_in_what_nothing_reads_are_folded():
    points, folded = plan_grid(["variant=bm25", "generator=none", "judge=none", "index=exact,chroma"])
    assert len(points) == 1
    assert "index=chroma is the same variant as index=exact" in folded[-1]
    points, _ = plan_grid(["variant=bm25,hybrid", "generator=none", "judge=none", "index=exact,chroma"])
    assert len(points) == 3
