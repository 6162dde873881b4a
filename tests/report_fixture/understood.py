"""The hand-made run with query understanding in front: classes, tiers, and other texts than the typed one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragbench.core.codec import dumps
from ragbench.evaluate.diagnose import DiagnosisRules
from ragbench.evaluate.query_effect import QueryEffects
from ragbench.evaluate.stage_effect import Compared
from ragbench.measure.case import ChunkedCorpus, make_cases
from ragbench.records.document import Chunk
from ragbench.records.question import COMPLEXITIES, Question
from ragbench.records.trace import QueryView, Trace, TraceStep
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir
from ragbench.run_dir.traces import trace_row
from tests.report_fixture.corpus import DOCUMENTS, chunk_documents

HOSTILE_FORM = "</blockquote><script>alert('form')</script> 变体 <img src=x onerror=alert(2)>"
_TIERS = ("rules", "model", "llm", "abstained")


def understand(run: RunDir, *, category: bool = True) -> RunDir:
    """The run as if its questions had been classified and searched in three forms: every third gains by it, every
    third loses."""
    chunks = chunk_documents()
    asked = [labelled(question, at) for at, question in enumerate(run.questions.values())]
    traces = [transformed(trace, at, category) for at, trace in enumerate(run.traces())]
    lines = b"".join(dumps(trace_row(trace)) + b"\n" for trace in traces)
    (run.folder / layout.TRACES).write_bytes(lines)
    from tests.report_fixture import rewrite_summary

    return rewrite_summary(RunDir(run.folder), query=query_of(asked, traces, chunks), oracle=["query"])


def labelled(question: Question, at: int) -> Question:
    """The question with a complexity class, but for every ninth."""
    return replace(question, complexity=None if at % 9 == 8 else COMPLEXITIES[at % 5])


def transformed(trace: Trace, at: int, category: bool) -> Trace:
    """A trace with a class, three requests, and a twin: its first ranks turned round, or its best chunk gone."""
    tier = _TIERS[at % 4]
    said = None if tier == "abstained" else COMPLEXITIES[(at + at // 6) % 5]
    usage = {"calls": 2, "prompt_tokens": 300, "completion_tokens": 40, "fallbacks": int(at % 7 == 0)}
    view = QueryView(
        said, tier, 0.7, usage=usage if tier == "llm" else {}, fallback="no JSON <i>" if at % 7 == 0 else "",
        category="lookup" if category else None, category_tier="model" if category else "",
    )  # fmt: skip
    if not trace.steps:
        return replace(trace, query=view)
    step = trace.steps[-1]
    first = step.requests[0]
    requests = (replace(first, form="typed"), replace(first, text=HOSTILE_FORM, form="variant", routes=("dense",)))
    made = TraceStep(
        (*requests, replace(first, text="年假 leave?", form="part")), step.route_lists, step.fused, step.reranked
    )
    order = [hit.chunk for hit in step.fused]
    twin = {0: order, 1: [*order[3:], *order[:3]], 2: sorted(order[:3], reverse=True) + order[3:]}[at % 3]
    if at % 3 == 2:
        twin = [order[2], *order[:2], *order[3:]]
    return replace(trace, query=view, steps=(made,), untransformed=tuple(twin))


def query_of(asked: Sequence[Question], traces: Sequence[Trace], chunks: Sequence[Chunk]) -> dict[str, Any]:
    """`query` of the summary, by the code that tells it of real runs."""
    corpus = ChunkedCorpus({one.doc_id: one for one in DOCUMENTS}, chunks, [1] * len(chunks))
    compared = Compared(reranks=False, routes=("dense", "sparse"), rrf_k=60, transforms=True)
    effects = QueryEffects(asked, DiagnosisRules(recall_k=4, k=2), compared)
    for row, case in enumerate(make_cases(asked, traces, corpus)):
        effects.add(row, case)
    return effects.tell(0, {"p50": 1.4, "p95": 3.9, "n": len(asked)})


def write(root: Path, **options: Any) -> RunDir:
    """A run below `root` that was understood."""
    from tests.report_fixture import make_run

    return understand(make_run(root, n_filler=60), **options)
