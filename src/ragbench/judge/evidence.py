"""A context as the offline judge reads it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ragbench.judge.mentions import Mention, mentions
from ragbench.text.normal import comparison_form, negations
from ragbench.text.quantities import Quantity, quantities
from ragbench.text.sentences import sentences
from ragbench.text.terms import content_terms, identifiers, names

_EDGE = " .,;:!?\"'()[]*`|…"
_BREAKS = ",;:.!?()\"'|…"
_OPENS = re.compile(
    r"^\d{1,2}(?:\.\d{1,2})+ ?$"
    r"|(?:^|[\s,;:.!?()\"'|…])(?:and|but|while|whereas|however|so|yet)\s?$"
    r"|(?:而且|并且|同时|不过|但是|但|而|且|另外|此外|因此|所以)$"
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What the judge compares of a piece of text."""

    form: str
    terms: frozenset[str]
    numbers: tuple[Quantity, ...]
    identifiers: frozenset[str]
    names: frozenset[str]
    n_negations: int
    mentions: tuple[Mention, ...]


@lru_cache(maxsize=4096)
def facts_of(text: str) -> Facts:
    """The facts of a sentence or claim."""
    return Facts(
        form=comparison_form(text).strip(_EDGE),
        terms=frozenset(content_terms(text)),
        numbers=tuple(quantities(text)),
        identifiers=frozenset(identifiers(text)),
        names=frozenset(names(text)),
        n_negations=len(negations(text)),
        mentions=tuple(mentions(text)),
    )


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence of the context with the number of its block (a citation number; None: no block)."""

    text: str
    block: int | None
    facts: Facts


class Evidence:
    """The passages of texts, each with a block number."""

    def __init__(self, blocks: Sequence[tuple[int | None, str]]) -> None:
        self.passages = [Passage(piece, number, facts_of(piece)) for number, text in blocks for piece in _pieces(text)]
        self._by_form = {passage.facts.form: place for place, passage in reversed(list(enumerate(self.passages)))}

    @cached_property
    def terms(self) -> frozenset[str]:
        """All terms of all passages."""
        return frozenset().union(*(passage.facts.terms for passage in self.passages))

    @cached_property
    def form(self) -> str:
        """The comparison form of everything, one passage a line."""
        return "\n".join(passage.facts.form for passage in self.passages)

    @cached_property
    def numbers(self) -> tuple[Quantity, ...]:
        """All quantities."""
        return tuple(number for passage in self.passages for number in passage.facts.numbers)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """All numbers and identifiers with their neighbours."""
        return tuple(mention for passage in self.passages for mention in passage.facts.mentions)

    @cached_property
    def names(self) -> frozenset[str]:
        """All identifiers and names."""
        return frozenset().union(*(passage.facts.identifiers | passage.facts.names for passage in self.passages))

    def verbatim(self, claim: Facts) -> Passage | None:
        """The first passage that states the claim word for word: all of it, or a part between borders of clauses.

        A part that a negation or half a number is cut from is no match, since both ends must be at punctuation.
        """
        form = claim.form
        if not form:
            return None
        place = self._by_form.get(form)
        if place is not None:
            return self.passages[place]
        if form not in self.form:
            return None
        return next((passage for passage in self.passages if _states(passage.facts.form, form)), None)


def _states(form: str, part: str) -> bool:
    at = form.find(part)
    while at >= 0:
        before, after = form[:at], form[at + len(part) :]
        opens = not before or before.rstrip(" ")[-1:] in _BREAKS or _OPENS.search(before) is not None
        closes = not after or (after.lstrip(" ")[:1] in _BREAKS and not _goes_on(part, after))
        if opens and closes:
            return True
        at = form.find(part, at + 1)
    return False


def _goes_on(part: str, after: str) -> bool:
    """Whether the number at the end of the part is cut: `1` of `1.5`, `1` of `1,200`."""
    return part[-1:].isdigit() and after[0] in ".,:" and after[1:2].isdigit()


def _pieces(text: str) -> list[str]:
    return [text[item.start + item.marker : item.end] for item in _sentences(text)]


_sentences = lru_cache(maxsize=1024)(lambda text: tuple(sentences(text)))
