"""Traces as lines of traces.jsonl: rankings as parallel arrays, so that pools of a hundred stay small."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from orjson import Fragment

from ragbench.core.codec import dumps
from ragbench.core.recent import Memory, Recent
from ragbench.core.rows import from_row
from ragbench.records.search import Ranked, Ranking, RouteList, SearchRequest
from ragbench.records.trace import Answer, PackedContext, QueryView, Trace, TraceStep

Part = Callable[[Any, Callable[[Any], Any]], Any]
_OPTIONAL = ("k", "recall_k", "untransformed", "likeness")
_KEPT = 1 << 25
"""Bytes of JSON."""


def trace_row(trace: Trace, part: Part = lambda value, row: row(value)) -> dict[str, Any]:
    """The line of one trace, for `core.codec.dumps`; chunks are given by number, the place in chunks.jsonl.gz.

    `part` makes what stands for requests, route lists and the ranking before reranking of their plain rows.
    """
    return {
        "question_id": trace.question_id,
        "query": trace.query,
        "steps": [_step_row(step, part) for step in trace.steps],
        "context": trace.context,
        "answer": trace.answer,
        "timings_ms": {stage: round(ms, 4) for stage, ms in trace.timings_ms.items()},
        "usage": dict(trace.usage),
        "error": trace.error,
        **{name: value for name in _OPTIONAL if (value := getattr(trace, name)) is not None},
    }


class TraceLines:
    """Makes the lines of traces; what several traces hold as one object – requests, route lists and rankings of
    variants that share them – is put into JSON once."""

    def __init__(self, memory: Memory) -> None:
        self._kept: Recent[tuple[Any, Fragment]] = memory.of("lines of traces", _KEPT)

    def line(self, trace: Trace) -> bytes:
        """`trace_row` in JSON, with its newline."""
        return dumps(trace_row(trace, self._json)) + b"\n"

    def _json(self, value: Any, row: Callable[[Any], Any]) -> Any:
        if not value:
            return row(value)  # all empty ones are one object
        found = self._kept.get(id(value))
        if found is None:
            made = dumps(row(value))
            found = self._kept.put(id(value), (value, Fragment(made)), len(made))
        return found[1]


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
        k=row.get("k"),
        recall_k=row.get("recall_k"),
        untransformed=None if (plain := row.get("untransformed")) is None else tuple(plain),
        likeness=row.get("likeness"),
    )


def _step_row(step: TraceStep, part: Part) -> dict[str, Any]:
    return {
        "requests": part(step.requests, list),
        "route_lists": part(step.route_lists, lambda lists: [_list_row(found) for found in lists]),
        "fused": part(step.fused, _ranking_row),
        "reranked": None if step.reranked is step.fused else _ranking_row(step.reranked),
        "deeper": step.deeper,
        "more": step.more,
        **({"answer": step.answer, "note": step.note} if step.answer is not None else {}),
    }


def _list_row(found: RouteList) -> dict[str, Any]:
    return {
        "route": found.route,
        "request": found.request,
        "weight": found.weight,
        "ms": round(found.ms, 4),
        "cached": found.cached,
        "join": found.join,
        "chunks": found.chunks,
        "scores": found.scores,
    }


def _ranking_row(ranking: Ranking) -> dict[str, Any]:
    chunks, scores, _, former = zip(*ranking, strict=True) if ranking else ((), (), (), ())
    row: dict[str, Any] = {"chunks": chunks, "scores": scores}
    return row if former.count(None) == len(former) else row | {"former": former}


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
                found.get("join", "rrf"),
            )
            for found in row["route_lists"]
        ),
        fused=fused,
        reranked=fused if row["reranked"] is None else _ranking(row["reranked"]),
        deeper=tuple(row.get("deeper", ())),
        more=row.get("more", False),
        answer=None if row.get("answer") is None else from_row(Answer, row["answer"]),
        note=row.get("note", ""),
    )


def _ranking(row: Mapping[str, Any]) -> Ranking:
    former = row.get("former") or [None] * len(row["chunks"])
    ranks = range(1, len(former) + 1)
    return tuple(map(Ranked._make, zip(row["chunks"], row["scores"], ranks, former, strict=True)))
