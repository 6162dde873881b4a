"""Traces as lines of traces.jsonl: rankings as parallel arrays, so that pools of a hundred stay small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragbench.core.rows import from_row
from ragbench.records.search import Ranked, Ranking, RouteList, SearchRequest
from ragbench.records.trace import Answer, PackedContext, QueryView, Trace, TraceStep


def trace_row(trace: Trace) -> dict[str, Any]:
    """The line of one trace, for `core.codec.dumps`; chunks are given by number, the place in chunks.jsonl.gz."""
    return {
        "question_id": trace.question_id,
        "query": trace.query,
        "steps": [_step_row(step) for step in trace.steps],
        "context": trace.context,
        "answer": trace.answer,
        "timings_ms": {stage: round(ms, 4) for stage, ms in trace.timings_ms.items()},
        "usage": dict(trace.usage),
        "error": trace.error,
    }


def trace_from_row(row: Mapping[str, Any]) -> Trace:
    """Inverse of `trace_row`."""
    return Trace(
        question_id=row["question_id"],
        query=from_row(QueryView, row["query"]),
        steps=tuple(_step(step) for step in row["steps"]),
        context=None if row["context"] is None else from_row(PackedContext, row["context"]),
        answer=None if row["answer"] is None else from_row(Answer, row["answer"]),
        timings_ms=row["timings_ms"],
        usage=row["usage"],
        error=row["error"],
    )


def _step_row(step: TraceStep) -> dict[str, Any]:
    return {
        "requests": step.requests,
        "route_lists": [
            {
                "route": found.route,
                "request": found.request,
                "weight": found.weight,
                "ms": round(found.ms, 4),
                "cached": found.cached,
                "chunks": found.chunks,
                "scores": found.scores,
            }
            for found in step.route_lists
        ],
        "fused": _ranking_row(step.fused),
        "reranked": None if step.reranked is step.fused else _ranking_row(step.reranked),
    }


def _ranking_row(ranking: Ranking) -> dict[str, Any]:
    row: dict[str, Any] = {"chunks": [item.chunk for item in ranking], "scores": [item.score for item in ranking]}
    if any(item.former is not None for item in ranking):
        row["former"] = [item.former for item in ranking]
    return row


def _step(row: Mapping[str, Any]) -> TraceStep:
    fused = _ranking(row["fused"])
    return TraceStep(
        requests=tuple(from_row(SearchRequest, request) for request in row["requests"]),
        route_lists=tuple(
            RouteList(
                found["route"],
                found["request"],
                tuple(found["chunks"]),
                tuple(found["scores"]),
                found["weight"],
                found["ms"],
                found["cached"],
            )
            for found in row["route_lists"]
        ),
        fused=fused,
        reranked=fused if row["reranked"] is None else _ranking(row["reranked"]),
    )


def _ranking(row: Mapping[str, Any]) -> Ranking:
    former = row.get("former") or [None] * len(row["chunks"])
    ranks = range(1, len(former) + 1)
    return tuple(map(Ranked._make, zip(row["chunks"], row["scores"], ranks, former, strict=True)))
