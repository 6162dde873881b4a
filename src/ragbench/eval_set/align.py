"""The only place that turns gold evidence (spans of documents) into relevance.

An evidence item is covered by a list of spans to the share of its non-blank characters that lie in the union of those
spans (half-open intervals; blanks are left out because a splitter may leave them out). A group is satisfied at `tau`
when one of its items is covered to at least `tau`; a `whole` item is satisfied by any span of its document.
Source: methods.md §11 ("Comparing different chunkings").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import not_
from typing import Protocol

from ragbench.errors import DataError
from ragbench.records.document import Document
from ragbench.records.question import EvidenceItem, Question

TAU = 0.5
"""Share of an evidence item that must be covered for the headline figures."""

FULL = 1.0
"""The stricter share reported beside it."""

RELEVANT_SHARE = 0.5
"""A span is also relevant when at least this share of it lies inside evidence."""

ROUNDING = 1e-9

Interval = tuple[int, int]


class Placed(Protocol):
    """Anything that lies in a document: a chunk, a context block, a `DocSpan`."""

    @property
    def doc_id(self) -> str:
        """Its document."""
        ...

    @property
    def start(self) -> int:
        """First character."""
        ...

    @property
    def end(self) -> int:
        """One past the last character."""
        ...


@dataclass(frozen=True, slots=True)
class _Item:
    """An evidence item ready to be covered: `solid[i]` non-blank characters lie before its i-th character."""

    key: int
    group: int
    doc_id: str
    start: int
    end: int
    whole: bool
    solid: Sequence[int]

    def weight(self, low: int, high: int) -> int:
        return self.solid[high - self.start] - self.solid[low - self.start]


class Evidence:
    """The evidence of one question, prepared for covering.

    `n_groups` is the denominator of every set-level measure. `by_document` is true when all items are whole documents:
    rankings are then read as rankings of documents.
    """

    def __init__(self, question: Question, documents: Mapping[str, Document] | None = None) -> None:
        """Check and index the items; raises DataError for an interval that is empty or outside its document."""
        self.question_id = question.id
        self.group_names = tuple(group.name for group in question.groups)
        self.n_groups = len(question.groups)
        items: list[_Item] = []
        for number, group in enumerate(question.groups):
            for gold in group.items:
                document = documents.get(gold.doc_id) if documents is not None else None
                check_item(question.id, gold, document)
                solid = () if gold.whole else solid_before(gold, document)
                items.append(_Item(len(items), number, gold.doc_id, gold.start, gold.end, gold.whole, solid))
        self.items = tuple(items)
        self.by_document = bool(items) and all(item.whole for item in items)
        self._by_doc: dict[str, list[_Item]] = {}
        for item in items:
            self._by_doc.setdefault(item.doc_id, []).append(item)

    def touching(self, spans: Iterable[Placed]) -> list[tuple[int, Placed]]:
        """`(rank from 1, span)` of the spans that share at least one character with an item."""
        found: list[tuple[int, Placed]] = []
        by_doc = self._by_doc
        near = [(rank, span) for rank, span in enumerate(spans, 1) if span.doc_id in by_doc]
        for rank, span in near:
            items = by_doc[span.doc_id]
            start, end = span.start, span.end
            for item in items:
                if item.whole or (start < item.end and item.start < end):
                    found.append((rank, span))
                    break
        return found

    def first_ranks(self, ranked: Iterable[tuple[int, Placed]], taus: Sequence[float] = (TAU,)) -> list[list[int]]:
        """For each tau, for each group, the rank whose span completed it (0: never).

        `ranked` is `(rank, span)` by ascending rank, as `touching` gives it. A rank earns only what was not covered
        above it, so evidence split over two spans is earned by the second.
        """
        ranks = [[0] * self.n_groups for _ in taus]
        covered: dict[int, list[Interval]] = {}
        for rank, span in ranked:
            for item in self._by_doc.get(span.doc_id, ()):
                if all(row[item.group] for row in ranks):
                    continue
                share = _extend(covered, item, span)
                for row, tau in zip(ranks, taus):
                    if not row[item.group] and share > 0 and share >= tau - ROUNDING:
                        row[item.group] = rank
        return ranks

    def satisfied(self, spans: Iterable[Placed], tau: float = TAU) -> list[bool]:
        """For each group, whether the union of `spans` satisfies it."""
        return [rank > 0 for rank in self.first_ranks(enumerate(spans, 1), (tau,))[0]]

    def is_relevant(self, span: Placed, tau: float = TAU) -> bool:
        """Whether one span counts as relevant by itself, for precision and citations.

        It does when it alone covers `tau` of an item, or when at least half of it lies inside evidence. The first rule
        alone would call a small chunk in the middle of long evidence irrelevant; the second alone would call a large
        chunk that holds the whole evidence irrelevant. An overlap by a few characters is neither.
        """
        inside: list[Interval] = []
        for item in self._by_doc.get(span.doc_id, ()):
            if item.whole:
                return True
            low, high = max(span.start, item.start), min(span.end, item.end)
            if low < high:
                if item.weight(low, high) >= tau * item.solid[-1] - ROUNDING > 0:
                    return True
                inside = add_interval(inside, low, high)
        return total_length(inside) >= RELEVANT_SHARE * (span.end - span.start) > 0

    def overlap(self, spans: Iterable[Placed]) -> tuple[int, int]:
        """Characters of evidence inside the union of `spans`, and characters of evidence.

        Of a group with alternatives the item with most characters found counts (ties: the first). Whole documents have
        no extent here and count 0.
        """
        covered: dict[int, list[Interval]] = {}
        for span in spans:
            for item in self._by_doc.get(span.doc_id, ()):
                low, high = max(span.start, item.start), min(span.end, item.end)
                if low < high and not item.whole:
                    covered[item.key] = add_interval(covered.get(item.key, []), low, high)
        best: dict[int, tuple[int, _Item]] = {}
        for item in self.items:
            found = total_length(covered.get(item.key, []))
            if not item.whole and (item.group not in best or found > best[item.group][0]):
                best[item.group] = (found, item)
        gold: dict[str, list[Interval]] = {}
        hits: dict[str, list[Interval]] = {}
        for _, item in best.values():
            gold[item.doc_id] = add_interval(gold.get(item.doc_id, []), item.start, item.end)
            for low, high in covered.get(item.key, []):
                hits[item.doc_id] = add_interval(hits.get(item.doc_id, []), low, high)
        return sum(map(total_length, hits.values())), sum(map(total_length, gold.values()))


def gains(ranks: Iterable[int]) -> list[int]:
    """Groups newly satisfied at each rank, from 1 to the last rank that earned one (empty: none was earned)."""
    earned = [rank for rank in ranks if rank]
    row = [0] * max(earned, default=0)
    for rank in earned:
        row[rank - 1] += 1
    return row


def add_interval(intervals: list[Interval], low: int, high: int) -> list[Interval]:
    """Disjoint ascending intervals with `[low, high)` added; touching ones are joined."""
    kept: list[Interval] = []
    for start, end in intervals:
        if end < low or start > high:
            kept.append((start, end))
        else:
            low, high = min(low, start), max(high, end)
    kept.append((low, high))
    kept.sort()
    return kept


def total_length(intervals: Iterable[Interval]) -> int:
    """Characters in disjoint intervals."""
    return sum(end - start for start, end in intervals)


def solid_before(item: EvidenceItem, document: Document | None) -> Sequence[int]:
    """Number of non-blank characters before each character of the item (length + 1 values); without a text every
    character counts."""
    if document is None:
        return range(item.end - item.start + 1)
    text = document.text[item.start : item.end]
    return tuple(accumulate(map(not_, map(str.isspace, text)), initial=0))


def check_item(question_id: str, item: EvidenceItem, document: Document | None) -> None:
    """Raise DataError unless the item is a whole document or a non-empty interval inside its document."""
    if item.whole:
        return
    thing = f"evidence of question {question_id}"
    if not 0 <= item.start < item.end:
        raise DataError(thing, expected="0 <= start < end", found=f"[{item.start}, {item.end}) of {item.doc_id}")
    if document is not None and item.end > len(document.text):
        raise DataError(
            thing, expected=f"an end up to {len(document.text)}, the length of {item.doc_id}", found=str(item.end)
        )


def _extend(covered: dict[int, list[Interval]], item: _Item, span: Placed) -> float:
    """Add a span to what is covered of an item; the share now covered (0 for a blank item)."""
    if item.whole:
        return 1.0
    low, high = max(span.start, item.start), min(span.end, item.end)
    intervals = covered.get(item.key, [])
    if low < high:
        intervals = covered[item.key] = add_interval(intervals, low, high)
    total = item.solid[-1]
    return sum(item.weight(start, end) for start, end in intervals) / total if total else 0.0
