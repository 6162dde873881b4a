"""Numbers and identifiers with the words they stand among."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from ragbench.text.quantities import Quantity, quantities
from ragbench.text.terms import identifiers, terms

_BORDER = re.compile(r"[,，。;；!?！？|\n]|\.\s")
_LATIN_REACH, _HAN_REACH = 28, 9
_LEAST, _LEAD = 0.5, 0.2


@dataclass(frozen=True, slots=True)
class Mention:
    """A quantity (`value`, or None for an identifier), its canonical spelling, and the terms beside it in its
    clause."""

    quantity: Quantity | None
    spelling: str
    near: frozenset[str]

    def agrees(self, other: Mention) -> bool:
        """Whether both say the same."""
        if self.quantity is None or other.quantity is None:
            return self.spelling == other.spelling
        return self.quantity.agrees(other.quantity)

    def comparable(self, other: Mention) -> bool:
        """Whether one could stand in the other's place: two identifiers, or two quantities of one kind."""
        if self.quantity is None or other.quantity is None:
            return self.quantity is other.quantity
        return self.quantity.kind == other.quantity.kind


def mentions(text: str) -> list[Mention]:
    """The quantities and identifiers of a text, in order of kind, then place."""
    text = unicodedata.normalize("NFKC", text).casefold()
    found = [Mention(q, q.value, _beside(text, q.start, q.end)) for q in quantities(text)]
    for spelling in identifiers(text):
        at = text.find(spelling)
        if any(char.isdigit() for char in spelling) or "_" in spelling or "." in spelling:
            found.append(Mention(None, spelling, _beside(text, at, at + len(spelling))))
    return found


def _beside(text: str, start: int, end: int) -> frozenset[str]:
    left, right = text[max(0, start - _LATIN_REACH) : start], text[end : end + _LATIN_REACH]
    left, right = _BORDER.split(left)[-1], _BORDER.split(right)[0]
    if any("\u4e00" <= char <= "\u9fff" for char in left[-_HAN_REACH:] + right[:_HAN_REACH]):
        left, right = left[-_HAN_REACH:], right[:_HAN_REACH]
    # Which side a term stands on is part of what it says: 早于 8 点 is not 8 点早于.
    return frozenset({f"<{term}" for term in terms(left)} | {f">{term}" for term in terms(right)})


def has_rival(claim: Iterable[Mention], context: Iterable[Mention]) -> bool:
    """Whether a number or identifier of the claim takes another's place: where its neighbours stand in the context,
    another value stands among them (half of the neighbours at least, and clearly more than around any that
    agrees)."""
    held = list(context)
    for mention in claim:
        if not mention.near:
            continue
        own = max((_shared(mention, other) for other in held if mention.agrees(other)), default=0.0)
        rivals = (other for other in held if mention.comparable(other) and not mention.agrees(other))
        rival = max((_shared(mention, other) for other in rivals), default=0.0)
        if rival >= _LEAST and rival >= own + _LEAD:
            return True
    return False


def _shared(mention: Mention, other: Mention) -> float:
    return len(mention.near & other.near) / len(mention.near)
