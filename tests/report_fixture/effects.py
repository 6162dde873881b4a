"""What fusion and reranking changed in the hand-made run, told by the code that tells it of real ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ragbench.evaluate.diagnose import DiagnosisRules
from ragbench.evaluate.stage_effect import Compared, StageEffects, add_counts
from ragbench.measure.case import ChunkedCorpus, make_cases
from ragbench.records.document import Chunk
from ragbench.records.question import Question
from ragbench.records.trace import Trace
from tests.report_fixture.corpus import DOCUMENTS


def effects_of(
    asked: Sequence[Question], traces: Sequence[Trace], chunks: Sequence[Chunk], *, turned: bool = False
) -> dict[str, Any]:
    """`stages` of the summary; `turned` takes the final ranking for the first and the other way round, so that the
    reranker spoils what fusion found."""
    if turned:
        traces = [_turned(trace) for trace in traces]
    corpus = ChunkedCorpus({one.doc_id: one for one in DOCUMENTS}, chunks, [1] * len(chunks))
    compared = Compared(reranks=True, routes=("dense", "sparse"), rrf_k=60)
    effects = StageEffects(asked, DiagnosisRules(recall_k=4, k=2), compared)
    for row, case in enumerate(make_cases(asked, traces, corpus)):
        effects.add(row, case)
    stages = effects.tell(0, {"p50": 26.4, "p95": 31.9, "n": len(asked)})
    add_counts(stages, {"pairs": 4 * len(asked), "truncated": 3, "failures": ["<none>"]})
    return stages


def _turned(trace: Trace) -> Trace:
    steps = tuple(replace(step, fused=step.reranked, reranked=step.fused) for step in trace.steps)
    return replace(trace, steps=steps)
