"""Claims of a source become intervals of loaded documents, or a reason why not."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ragbench.corpus.normalise import normalise
from ragbench.eval_set.draft import Claim
from ragbench.eval_set.squeezed import Squeezed, occurrences
from ragbench.records.document import Document


class Place(NamedTuple):
    """`[start, end)` of a document, or all of it."""

    doc_id: str
    start: int
    end: int
    whole: bool = False


_SAFE_LENGTH = 8
"""Shortest quote, in characters without white space, that is recognised in another spelling."""

_OTHER_FORM = "right offset, letters and accents composed otherwise (NFC, NFD): placed there"


@dataclass(frozen=True, slots=True)
class Placed:
    """Places of a claim (alternatives) with what was put right and what is to be looked at."""

    places: tuple[Place, ...]
    repairs: tuple[str, ...] = ()
    note: str = ""


class Placer:
    """Finds claims in documents.

    `raw` holds the texts that a source's offsets index, by document. `every_place` is the largest number of places a
    quote without an offset may stand at.
    """

    def __init__(self, documents: Mapping[str, Document], raw: Mapping[str, str], every_place: int = 1) -> None:
        self._documents, self._raw, self._every_place = documents, raw, every_place
        self._squeezed = cache(self._squeeze)

    def place(self, claim: Claim) -> Placed | str:
        """The claim's places, or the reason why it has none, as words that are equal for equal faults.

        A quote that stands at its offset stays there. Else it is looked for: exactly, then in another spelling of
        white space, then of width, case and punctuation marks; these repairs need a single place and a quote long
        enough not to be met by chance.
        """
        names = [name for name in claim.docs if name in self._documents]
        if claim.docs and not names:
            return "the document of the evidence is not in the corpus"
        own = (claim.repair,) if claim.repair else ()
        if claim.whole:
            return Placed(tuple(Place(name, 0, len(self._documents[name].text), True) for name in names), own)
        if not claim.quote.strip():
            return "a quote is empty"
        if claim.start is not None and len(names) == 1:
            found = self._at_offset(claim, names[0])
            return found if isinstance(found, str) else Placed(found.places, own + found.repairs)
        limit = 1 if claim.repair else self._every_place  # two guesses at once are too many
        searched = self._search(claim.quote, names or list(self._documents), limit)
        return searched if isinstance(searched, str) else Placed(searched.places, own + searched.repairs, searched.note)

    def item(self, place: Place, group: str) -> dict[str, object]:
        """A place as an evidence item of a row: with its words, or `whole` for a whole document."""
        if place.whole:
            return {"doc": place.doc_id, "whole": True, "group": group}
        quote = self._documents[place.doc_id].text[place.start : place.end]
        return {"doc": place.doc_id, "quote": quote, "start": place.start, "end": place.end, "group": group}

    def _at_offset(self, claim: Claim, name: str) -> Placed | str:
        assert claim.start is not None
        text = self._documents[name].text
        raw = self._raw.get(name, text)
        start, end = claim.start, claim.start + len(claim.quote)
        if start >= 0 and raw[start:end] == claim.quote:
            same = raw == text
            span = (start, end) if same else self._squeezed(name, False).from_end(claim.quote, raw[end:])
            if span is not None:
                return Placed((Place(name, *span),))
        composed = self._composed_at(claim.quote, name, start)
        if composed is not None:
            return Placed((composed,), (_OTHER_FORM,))
        found = self._search(claim.quote, [name], 1)
        if isinstance(found, str):
            return f"wrong offset, and {found}"
        return Placed(found.places, ("wrong offset: moved to the only place of its text", *found.repairs))

    def _composed_at(self, quote: str, name: str, start: int) -> Place | None:
        """The place of a quote that stands at its offset but for its Unicode form; the offset may be one of the source
        as it is, or of the composed text."""
        text = self._documents[name].text
        raw = self._raw.get(name, text)
        clean = normalise(quote).strip()
        if start < 0 or not clean or (quote.isascii() and raw.isascii()):
            return None
        end = _same_letters(quote, raw, start)
        if end is not None:
            span = (start, end) if raw == text else self._squeezed(name, False).from_end(quote, raw[end:])
            return None if span is None else Place(name, *span)
        composed = unicodedata.normalize("NFC", raw)
        if composed == text and composed != raw and text.startswith(clean, start):
            return Place(name, start, start + len(clean))
        return None

    def _search(self, quote: str, names: Sequence[str], every_place: int) -> Placed | str:
        """Not found exactly is tried in other spellings; found too often is a fault at once."""
        clean = normalise(quote).strip()
        exact = [
            Place(name, start, start + len(clean))
            for name in names
            if clean in self._documents[name].text
            for start in occurrences(clean, self._documents[name].text)
        ]
        if len(exact) == 1:
            return Placed(tuple(exact))
        if 1 < len(exact) <= every_place:
            return Placed(tuple(exact), note="the quote stands at several places: each is accepted")
        if exact:
            return "the quote stands at several places"
        for folded, repair in (
            (False, "white space differs: placed where the rest agrees"),
            (True, "width, case or punctuation marks differ: placed where the rest agrees"),
        ):
            wanted = Squeezed(clean, folded=folded)
            near = [Place(name, *span) for name in names for span in self._squeezed(name, folded).places(wanted)]
            if len(near) > 1:
                return "the quote stands at several places, in another spelling"
            if near:
                short = len(wanted) < _SAFE_LENGTH
                return "the quote is in another spelling and short" if short else Placed(tuple(near), (repair,))
        return "the quote is not in the document" if len(names) == 1 else "the quote is in none of its documents"

    def _squeeze(self, name: str, folded: bool) -> Squeezed:
        return Squeezed(self._documents[name].text, folded=folded)


def _same_letters(quote: str, raw: str, start: int) -> int | None:
    """Where the quote ends in `raw` from `start` on when both are decomposed; None when other letters stand there."""
    wanted, held, end = unicodedata.normalize("NFD", quote), "", start
    while end < len(raw) and (len(held) < len(wanted) or unicodedata.combining(raw[end])):
        held += unicodedata.normalize("NFD", raw[end])
        end += 1
    return end if unicodedata.normalize("NFD", held) == wanted else None
