"""Questions that a transform helped or harmed most, with what each form of them retrieved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ragbench.records.question import EvidenceItem, Question
from ragbench.records.trace import Trace, TraceStep
from ragbench.report.labels import Labels
from ragbench.report.view_questions import ChunkTexts, TextOf
from ragbench.retriever.fusion import merged

View = dict[str, Any]
SHOWN = 5
"""Examples of each kind, and ranks of each list; the first evidence of a list is shown wherever it stands."""

OF_A_FORM = 3
"""Ranks of what one form alone retrieved."""

_TEXT, _EXCERPT, _LEAD = 600, 220, 60
_RRF_K = 60.0


class Examples:
    """Collects the traces of the examples as they are read."""

    def __init__(
        self, summary: Mapping[str, Any], questions: Mapping[str, Question], chunks: ChunkTexts, text_of: TextOf
    ) -> None:
        downstream = (summary.get("query") or {}).get("downstream") or {}
        self._moved = {kind: list(downstream.get(kind) or ())[:SHOWN] for kind in ("helpful", "harmful")}
        self._questions, self._chunks, self.text_of = questions, chunks, text_of
        self._wanted = {row["id"] for rows in self._moved.values() for row in rows}
        self._traces: dict[str, Trace] = {}

    def watch(self, traces: Iterable[Trace]) -> Iterator[Trace]:
        """The same traces; those of the examples are kept."""
        for trace in traces:
            if trace.question_id in self._wanted:
                self._traces[trace.question_id] = trace
            yield trace

    def rows(self, labels: Labels) -> dict[str, list[View]]:
        """`helpful` and `harmful` examples, the largest change first."""
        return {
            kind: [self._row(row, labels) for row in rows if row["id"] in self._traces and row["id"] in self._questions]
            for kind, rows in self._moved.items()
        }

    def _row(self, moved: Mapping[str, Any], labels: Labels) -> View:
        question, trace = self._questions[moved["id"]], self._traces[moved["id"]]
        many = len([request for step in trace.rounds for request in step.requests]) > 1
        return {
            "id": question.id,
            "moved": dict(moved),
            "history": [(turn.role, _cut(turn.content)) for turn in question.history],
            "typed": _cut(question.question),
            "before": self._hits(question, trace.untransformed or ()),
            "forms": _distinct(
                form for at, step in enumerate(trace.rounds, 1) for form in self._forms(question, step, at, labels)
            ),
            "many": many,
            "after": self._hits(question, [hit.chunk for hit in trace.fused]),
        }

    def _forms(self, question: Question, step: TraceStep, number: int, labels: Labels) -> Iterator[View]:
        for at, request in enumerate(step.requests):
            lists = [one for one in step.route_lists if one.request == at]
            found = merged(lists, _RRF_K)[0].tolist() if lists else []
            yield {
                "name": labels.query_form(request.form),
                "round": number,
                "text": _cut(request.text),
                "routes": [labels.stage(route) for route in request.routes],
                "hits": self._hits(question, found, OF_A_FORM),
            }

    def _hits(self, question: Question, numbers: Sequence[int], most: int = SHOWN) -> list[View]:
        """The first ranks of a list, and behind them its first evidence."""
        items = [item for group in question.groups for item in group.items]
        ranked = [pair for pair in enumerate(numbers, 1) if 0 <= pair[1] < len(self._chunks.places)]
        first = next(((rank, number) for rank, number in ranked if self._evidence(number, items)), None)
        shown = ranked[:most] + ([first] if first is not None and first not in ranked[:most] else [])
        return [{"rank": rank} | self._excerpt(number, items) for rank, number in shown]

    def _evidence(self, number: int, items: Sequence[EvidenceItem]) -> list[EvidenceItem]:
        """The pieces of evidence that a chunk holds something of."""
        doc_id, start, end, _ = self._chunks.places[number]
        here = [item for item in items if item.doc_id == doc_id]
        return [item for item in here if item.whole or (item.start < end and start < item.end)]

    def _excerpt(self, number: int, items: Sequence[EvidenceItem]) -> View:
        """A chunk's document and the part of its text around the first evidence in it, in pieces with their marks."""
        doc_id, start, end, _ = self._chunks.places[number]
        own = self._evidence(number, items)
        spans = sorted((max(start, item.start), min(end, item.end)) for item in own if not item.whole)
        text = self.text_of(doc_id)
        view: View = {"doc": doc_id, "hit": bool(own), "pieces": None}
        if text is None:
            return view
        low = max(start, spans[0][0] - _LEAD) if spans else start
        high = min(end, low + _EXCERPT)
        view["pieces"] = _pieces(text, (low, high), spans)
        view["cut"] = (low > start, high < end)
        return view


def _pieces(text: str, window: tuple[int, int], spans: Sequence[tuple[int, int]]) -> list[tuple[bool, str]]:
    """The text of a window as `(marked, text)`."""
    at, high = window
    found = []
    for start, end in spans:
        start, end = max(start, at), min(end, high)
        if start < end:
            found += [(False, text[at:start]), (True, text[start:end])]
            at = end
    found.append((False, text[at:high]))
    return [(marked, " ".join(piece.split("\n"))) for marked, piece in found if piece]


def _distinct(forms: Iterable[View]) -> list[View]:
    """Each text once: a round that joins the ones before it repeats theirs."""
    found: dict[tuple[str, tuple[str, ...]], View] = {}
    for form in forms:
        found.setdefault((form["text"], tuple(form["routes"])), form)
    return list(found.values())


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
