"""Knobs that nobody reads and vectors that the embedder does not have: a plan is as strict as a run."""

from __future__ import annotations

import pytest

from ragbench.errors import RagbenchError
from ragbench.run.build import experiment
from ragbench.run.sweep import plan_grid

MISFITS = [
    (["splitter=whole", "chunk_size=100"], r"chunk_size: the chosen splitter \(whole\) has no such knob"),
    (["variant=bm25", "alpha=0.3"], r"alpha: the chosen retriever \(sparse\) has no such knob"),
    (["pipeline.retriever.fusion=rrf", "alpha=0.1"], r"alpha: .* does not use it with fusion=rrf"),
    (["pipeline.retriever.fusion=rrf", "pipeline.retriever.alpha=0.1"], r"does not use it with fusion=rrf"),
    (["pipeline.retriever.weights.dense=2"], r"weights.dense: .* does not use it with fusion=alpha"),
    (["embedder=openai", "reranker=late_interaction"], r"reranker=late_interaction: expected an embedder with vectors"),
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
        ["pipeline.query.classifier.short=9"],
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
