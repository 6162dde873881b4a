"""The evidence items of a whole eval set as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragbench.eval_set.align import check_item
from ragbench.eval_set.axis import Axis, Ints
from ragbench.records.document import Document
from ragbench.records.question import EvidenceItem, Question
from ragbench.text.code_points import blank_mask, code_points


@dataclass(frozen=True, slots=True)
class GoldItem:
    """An item with the number of its group among all groups; `start` and `end` exclude blanks at its edges, `text` is
    what lies between (None: not known)."""

    group: int
    item: EvidenceItem
    start: int
    end: int
    text: str | None


def gold_items(questions: Sequence[Question], documents: Mapping[str, Document]) -> list[GoldItem]:
    """All items in order; raises DataError for an interval that is empty or outside its document."""
    found: list[GoldItem] = []
    number = 0
    for question in questions:
        for group in question.groups:
            for item in group.items:
                document = documents.get(item.doc_id)
                check_item(question.id, item, document)
                start, end, text = item.start, item.end, None
                if document is not None and not item.whole:
                    quote = document.text[start:end]
                    start += len(quote) - len(quote.lstrip())
                    end -= len(quote) - len(quote.rstrip())
                    text = quote.strip()
                found.append(GoldItem(number, item, start, end, text))
            number += 1
    return found


class SpanItems:
    """The items that are spans with something visible in them, on the axis of a chunk set.

    `starts`, `ends`: where they lie on the axis; `groups`: their groups.
    """

    def __init__(self, items: Sequence[GoldItem], axis: Axis) -> None:
        self.items = [one for one in items if not one.item.whole and one.start < one.end]
        shift = [axis.base[one.item.doc_id] for one in self.items]
        self.starts: Ints = np.array([a + one.start for a, one in zip(shift, self.items)], dtype=np.int64)
        self.ends: Ints = np.array([a + one.end for a, one in zip(shift, self.items)], dtype=np.int64)
        self.groups: Ints = np.array([one.group for one in self.items], dtype=np.int64)

    def weights(self, items: Ints, low: Ints, high: Ints) -> Ints:
        """Non-blank characters of each of `items` in `[low, high)` of the axis, which must meet it."""
        shift = self._text_at[items]
        upto: Ints = self._solid[np.minimum(high, self.ends[items]) + shift]
        return upto - self._solid[np.maximum(low, self.starts[items]) + shift]

    @cached_property
    def totals(self) -> Ints:
        """Non-blank characters of each item, at least 1."""
        return self.weights(np.arange(len(self.items)), self.starts, self.ends)

    @cached_property
    def _solid(self) -> Ints:
        """Non-blank characters before each character of all items laid end to end; unknown text is not blank."""
        joined = "".join("x" * (one.end - one.start) if one.text is None else one.text for one in self.items)
        return np.append(0, np.cumsum(~blank_mask(code_points(joined)))).astype(np.int64)

    @cached_property
    def _text_at(self) -> Ints:
        """What to add to a place on the axis to find it in `_solid`, by item."""
        lengths = self.ends - self.starts
        shift: Ints = np.cumsum(lengths) - lengths - self.starts
        return shift
