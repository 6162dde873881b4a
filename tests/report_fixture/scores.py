"""Score rows and the summary of the hand-made run, computed from its traces with simple rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ragbench.records.document import Chunk
from ragbench.records.question import Question
from ragbench.records.trace import Trace
from tests.report_fixture.effects import effects_of
from tests.report_fixture.questions import gold_chunks

_CUTS = (1, 3, 5, 10)


def score_rows(asked: Sequence[Question], traces: Sequence[Trace], chunks: Sequence[Chunk]) -> list[dict[str, Any]]:
    """Rows of scores.jsonl.gz: every question × every measure, and some of documents and the variant."""
    rows: list[dict[str, Any]] = []
    for question, trace in zip(asked, traces):
        gold = set(gold_chunks(question, chunks))
        before = _rank([item.chunk for item in trace.fused], gold)
        after = _rank([item.chunk for item in trace.reranked], gold)
        values: dict[str, float | None] = {}
        for layer, rank in (("retrieval", before), ("ranking", after)):
            for k in _CUTS:
                values[f"{layer}/recall@{k}"] = float(0 < rank <= k)
            values[f"{layer}/mrr"] = 1 / rank if rank else 0.0
            values[f"{layer}/ndcg@10"] = 0.9 / rank if rank else 0.0
        values["answer/faithfulness"] = 0.5 if trace.answer and not trace.answer.refused else None
        values["answer/relevancy"] = (0.9 if after else 0.3) if values["answer/faithfulness"] else None
        values["answer/correctness_f1"] = (0.62 if after == 1 else 0.1) if trace.answer else None
        values["answer/refusal_accuracy"] = float(bool(trace.answer and trace.answer.refused) != question.answerable)
        values["cost/total_ms"] = sum(trace.timings_ms.values()) or None
        for measure, value in values.items():
            rows.append(_row(measure, question, trace, value))
    rows.append(
        {"measure": "chunks/n_chunks", "kind": "variant", "id": "", "status": "scored", "value": float(len(chunks))}
    )
    rows.append(
        {
            "measure": "chunks/boundary_quality",
            "kind": "document",
            "id": "hr/年假管理办法.md",
            "status": "scored",
            "value": 0.97,
        }
    )
    return rows


def _row(measure: str, question: Question, trace: Trace, value: float | None) -> dict[str, Any]:
    layer = measure.partition("/")[0]
    row: dict[str, Any] = {
        "measure": measure,
        "kind": "question",
        "id": question.id,
        "status": "scored",
        "value": value,
    }
    judge = "offline-1" if measure == "answer/faithfulness" else ""
    if not question.answerable and layer in ("retrieval", "ranking"):
        row |= {"status": "n/a", "value": None, "evidence": "only for answerable questions with evidence"}
    elif trace.error:
        row |= {"status": "failed", "value": None, "evidence": trace.error}
    elif value is None:
        row |= {"status": "n/a", "value": None}
    elif judge and question.id == "mixed-001":
        row |= {"status": "failed", "value": None, "evidence": "no sentence could be read", "judge": judge}
    elif judge:
        row |= {"judge": judge, "evidence": "1 of 2 claims"}
    return row


def summary_of(
    run_id: str,
    asked: Sequence[Question],
    traces: Sequence[Trace],
    rows: Sequence[dict[str, Any]],
    shift: float,
    chunks: Sequence[Chunk],
) -> dict[str, Any]:
    """The content of summary.json."""
    facets = {
        "category": lambda q: q.category,
        "difficulty": lambda q: q.difficulty,
        "language": lambda q: q.language,
        "answerability": lambda q: "answerable" if q.answerable else "unanswerable",
        "split": lambda q: q.split,
    }
    by: dict[str, Any] = {}
    for facet, of in facets.items():
        groups = {value: {q.id for q in asked if of(q) == value} for value in sorted({of(q) for q in asked})}
        by[f"by_{facet}"] = {
            value: aggregate([r for r in rows if r["id"] in ids], shift) for value, ids in groups.items()
        }
    outcomes = {question.id: _outcome(question, trace, chunks) for question, trace in zip(asked, traces)}
    counts = Counter(outcomes.values())
    names = ("ok", "chunk_cut", "query", "not_recalled", "ranked_out", "packed_out", "unused", "incomplete", "off_topic", "unfaithful", "false_answer", "false_refusal", "clarified", "failed", "unjudged")  # fmt: skip
    return {
        "run_id": run_id,
        "eval_set": {"name": "policy_zh", "version": "v1", "lock": "sha256:" + "ab" * 32},
        "metrics": aggregate(rows, shift),
        **by,
        "diagnosis": {name: counts[name] for name in names},
        "diagnosis_by_question": outcomes,
        "cost": {"latency_ms": {"embed": {"p50": 10.2, "p95": 14.0, "n": len(asked)}, "rerank": {"p50": 26.4, "p95": 31.9, "n": len(asked)}, "total": {"p50": 41.0, "p95": 52.5, "n": len(asked)}}, "index_bytes": 1843200, "n_chunks": 16},
        "judge": {"faithfulness": "offline-1"},
        "stages": effects_of(asked, traces, chunks),
    }  # fmt: skip


def aggregate(rows: Sequence[dict[str, Any]], shift: float = 0.0) -> dict[str, Any]:
    """Means with a made-up interval of ±0.06 and the true counts."""
    found: dict[str, Any] = {}
    for measure in dict.fromkeys(row["measure"] for row in rows):
        cells = [row for row in rows if row["measure"] == measure]
        values = [row["value"] for row in cells if row["status"] == "scored"]
        states = Counter(row["status"] for row in cells)
        mean = sum(values) / len(values) + (0 if measure.startswith(("cost", "chunks")) else shift) if values else None
        top = 1.0 if mean is not None and mean <= 1 else float("inf")
        found[measure] = {
            "mean": None if mean is None else min(mean, top),
            "low": None if mean is None else max(0.0, mean - 0.06),
            "high": None if mean is None else min(top, mean + 0.06),
            "n_scored": states["scored"], "n_na": states["n/a"], "n_failed": states["failed"], "pessimistic": mean,
        }  # fmt: skip
    return found


def _rank(numbers: Sequence[int], gold: set[int]) -> int:
    return next((at for at, number in enumerate(numbers, 1) if number in gold), 0)


def _outcome(question: Question, trace: Trace, chunks: Sequence[Chunk]) -> str:
    if trace.error:
        return "failed"
    if trace.answer is None or question.id == "mixed-001":
        return "unjudged"
    if not question.answerable:
        return "ok" if trace.answer.refused else "false_answer"
    gold = set(gold_chunks(question, chunks))
    if not _rank([item.chunk for item in trace.fused], gold):
        return "not_recalled"
    return "incomplete" if question.id == "zh-002" else "ok"
