"""What speaks for and against a claim in a context, as numbers in [0, 1]."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragbench.judge.evidence import Evidence, Facts, Passage
from ragbench.judge.mentions import has_rival
from ragbench.text.normal import negations
from ragbench.text.opposites import opposes
from ragbench.text.quantities import Quantity
from ragbench.text.terms import content_terms

SIGNALS = (
    "sentence_cover",
    "clause_cover",
    "window_cover",
    "context_cover",
    "ngram_cover",
    "number_missing",
    "number_elsewhere",
    "rival",
    "name_missing",
    "negation_differs",
    "opposite",
    "longest_gap",
)

_CLAUSE = re.compile(r"[，,；;]|\b(?:and|but|while|whereas)\b|而(?!且)|但是?|并且", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Signals:
    """The features of one claim and the passage that comes nearest to stating it."""

    values: Mapping[str, float]
    best: Passage
    contradicts: bool


def signals(claim: str, facts: Facts, evidence: Evidence) -> Signals | None:
    """Features of a claim; None for a context without passages.

    `sentence_cover`: share of the claim's content terms in the best single passage (ties: earlier); `clause_cover`:
    in the context, of the claim's least covered clause; `window_cover`: in the best passage and its better neighbour;
    `context_cover`: anywhere; `ngram_cover`: share of its character 4-grams in the context; `number_missing`: 1
    where a quantity of the claim is nowhere in the context; `number_elsewhere`: 1 where one is there but not in the
    best window; `rival`: 1 where another value stands in its place (`mentions`); `name_missing`: 1 where an identifier
    or name is nowhere; `negation_differs`: 1 where a clause and its nearest in the best passage differ in negation;
    `opposite`: 1 where the best window says only the opposite word; `longest_gap`: longest uncovered run ÷ terms.
    """
    if not evidence.passages:
        return None
    wanted = content_terms(claim)
    covers = [_share(wanted, passage.facts.terms) for passage in evidence.passages]
    best = max(range(len(covers)), key=lambda place: (covers[place], -place))
    window = _window(wanted, evidence, best)
    missing = [number for number in facts.numbers if not _held(number, evidence.numbers)]
    near = [other for passage in window for other in passage.facts.numbers]
    elsewhere = [number for number in facts.numbers if number not in missing and not _held(number, near)]
    named = facts.identifiers | facts.names
    differs = _negation_differs(claim, evidence.passages[best])
    rival = has_rival(facts.mentions, evidence.mentions)
    opposite = opposes(facts.form, " ".join(passage.facts.form for passage in window)) is not None
    values = {
        "sentence_cover": covers[best],
        "clause_cover": _least_clause(claim, evidence.terms),
        "window_cover": _share(wanted, frozenset().union(*(passage.facts.terms for passage in window))),
        "context_cover": _share(wanted, evidence.terms),
        "ngram_cover": _ngram_cover(facts.form, evidence.form),
        "number_missing": float(bool(missing)),
        "number_elsewhere": float(bool(elsewhere)),
        "rival": float(rival),
        "name_missing": float(any(name not in evidence.names and name not in evidence.form for name in named)),
        "negation_differs": float(differs),
        "opposite": float(opposite),
        "longest_gap": _longest_gap(wanted, evidence.terms),
    }
    against = rival or differs or opposite or _disagree(missing + elsewhere, near)
    return Signals(values, evidence.passages[best], against and covers[best] >= 0.5)


def _held(number: Quantity, others: Sequence[Quantity]) -> bool:
    return any(number.agrees(other) for other in others)


def _share(wanted: Sequence[str], held: frozenset[str]) -> float:
    return sum(term in held for term in wanted) / len(wanted) if wanted else 0.0


def _window(wanted: Sequence[str], evidence: Evidence, best: int) -> list[Passage]:
    """The best passage and the neighbour in its block that adds most (ties: the one before)."""
    passages = evidence.passages
    chosen = passages[best]
    beside = [
        passages[place]
        for place in (best - 1, best + 1)
        if 0 <= place < len(passages) and passages[place].block == chosen.block
    ]
    if not beside:
        return [chosen]
    return [chosen, max(beside, key=lambda passage: _share(wanted, passage.facts.terms | chosen.facts.terms))]


def _ngram_cover(form: str, context: str, n: int = 4) -> float:
    grams = [form[at : at + n] for at in range(max(1, len(form) - n + 1))]
    return sum(gram in context for gram in grams) / len(grams)


def _least_clause(claim: str, held: frozenset[str]) -> float:
    """Cover of the claim's least covered clause that has at least two content terms; of the whole where none has."""
    covers = [_share(terms, held) for terms in map(content_terms, _clauses(claim)) if len(terms) >= 2]
    return min(covers, default=_share(content_terms(claim), held))


def _longest_gap(wanted: Sequence[str], held: frozenset[str]) -> float:
    run = longest = 0
    for term in wanted:
        run = 0 if term in held else run + 1
        longest = max(longest, run)
    return longest / len(wanted) if wanted else 0.0


def _negation_differs(claim: str, passage: Passage) -> bool:
    """Whether a clause of the claim and the passage's clause that is nearest to it differ in being negated."""
    held = _clauses(passage.text)
    parts = [part for part in _clauses(claim) if len(content_terms(part)) >= 2]
    return any(_clause_differs(part, held, passage.text) for part in parts or [claim])


def _clause_differs(part: str, held: Sequence[str], whole: str) -> bool:
    """Only asked where the nearest clause, or else the whole passage, has half of the part's terms."""
    wanted = content_terms(part)
    best = max(held, key=lambda clause: _share(wanted, frozenset(content_terms(clause))), default="")
    if len(held) > 1 and _share(wanted, frozenset(content_terms(best))) < 0.5:
        best = whole
    if _share(wanted, frozenset(content_terms(best))) < 0.5:
        return False
    return bool(len(negations(part)) % 2) != bool(len(negations(best)) % 2)


def _clauses(text: str) -> list[str]:
    return [clause for clause in _CLAUSE.split(text) if clause.strip()]


def _disagree(numbers: Sequence[Quantity], near: Sequence[Quantity]) -> bool:
    """Whether a number stands against one nearby: another value of the same unit, or the same value of another
    unit."""
    return any(
        number.kind == other.kind
        and (
            number.value != other.value
            if number.unit == other.unit
            else bool(number.unit and other.unit and number.value == other.value)
        )
        for number in numbers
        for other in near
    )
