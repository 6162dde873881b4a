"""Figures of a judge on labelled answers, beside those of word overlap, of always saying yes, and of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from ragbench.agreement.baselines import overlap
from ragbench.agreement.figures import Figure, figure, lead
from ragbench.agreement.records import LabelledAnswer, LabelledSet, Outcome

_ALWAYS_YES = {"auroc": 0.5, "balanced_accuracy": 0.5, "kappa": 0.0}
"""By definition, of a judge that calls everything supported."""

_Pair = tuple[LabelledAnswer, Outcome]


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: of the judge, of word overlap (`overlap`), of always yes (`always`), and of people among themselves
    (`people`), and the paired difference of judge and word overlap (`lead`); None where there is none."""

    measure: str
    judge: Figure
    overlap: Figure | None = None
    always: float | None = None
    people: float | None = None
    lead: Figure | None = None


def measured_set(known: LabelledSet, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The figures of one set as plain data: counts, rows by measure, hash of the data.

    Answers that the judge failed at are wrong in balanced accuracy and κ, and left out of AUROC and Spearman, which
    need a number; those in which it read no claims are left out of all. Both are counted.
    """
    both = list(zip(known.answers, outcomes, strict=True))
    rows = preference_rows(known, outcomes) if known.pairs else [*supported_rows(both, known.people)]
    if not known.pairs:
        rows += _grade_rows(both, known.people)
    return {
        "title": known.title,
        "language": ", ".join(sorted({one.language for one in known.answers})),
        "licence": known.licence,
        "data": known.data,
        "n": len(both),
        "n_supported": sum(one.supported is True for one in known.answers),
        "n_errors": sum(bool(said.error) for _, said in both),
        "n_no_claims": sum(not said.error and said.share is None for _, said in both),
        "note": known.note,
        "rows": [asdict(row) for row in rows],
    }


def supported_rows(both: Sequence[_Pair], people: Mapping[str, float]) -> list[Row]:
    """AUROC, balanced accuracy and κ of what is supported; none where that is not known."""
    known = [(one, said) for one, said in both if one.supported is not None and (said.error or said.share is not None)]
    if not known:
        return []
    scored = [(one, said) for one, said in known if not said.error]
    ranked = [one for one, _ in scored]
    truths, groups = _truths(ranked), [one.group for one in ranked]
    scores, covered = [said.score or 0.0 for _, said in scored], [overlap(one.answer, one.passages) for one in ranked]
    found, words = figure("auroc", truths, scores, groups), figure("auroc", truths, covered, groups)
    ahead = lead("auroc", truths, scores, covered, groups)
    rows = [Row("auroc", found, words, _ALWAYS_YES["auroc"], people.get("auroc"), ahead)]
    truths = _truths([one for one, _ in known])
    guesses = [_guess(one, said) for one, said in known]
    for measure in ("balanced_accuracy", "kappa"):
        found = figure(measure, truths, guesses, [one.group for one, _ in known])
        rows.append(Row(measure, found, None, _ALWAYS_YES[measure], people.get(measure)))
    return rows


def _truths(answers: Sequence[LabelledAnswer]) -> list[float]:
    return [float(one.supported is True) for one in answers]


def _guess(one: LabelledAnswer, said: Outcome) -> float:
    """What the judge decided; a failure is the opposite of the truth."""
    return float(said.supported is True) if not said.error else float(not one.supported)


def _grade_rows(both: Sequence[_Pair], people: Mapping[str, float]) -> list[Row]:
    """Spearman of faithfulness with people's mean rating."""
    known = [(one, said.share) for one, said in both if one.grade is not None and said.share is not None]
    if not known:
        return []
    answers, groups = [one for one, _ in known], [one.group for one, _ in known]
    grades = [one.grade or 0.0 for one in answers]
    found = figure("spearman", grades, [share for _, share in known], groups)
    words = figure("spearman", grades, [overlap(one.answer, one.passages) for one in answers], groups)
    return [Row("spearman", found, words, None, people.get("spearman"))]


def preference_rows(known: LabelledSet, outcomes: Sequence[Outcome]) -> list[Row]:
    """Spearman of the difference of two answers with people's preference, by aspect; a pair with an answer that the
    judge gave no number is left out."""
    rows = []
    for aspect, of in (("correctness", _correct), ("completeness", _complete), ("overall", _overall)):
        kept = []
        for pair in known.pairs:
            values = [of(outcomes[at]) for at in (pair.first, pair.second)]
            if None not in values:
                kept.append((pair, values))
        truths = [pair.said[aspect] for pair, _ in kept]
        groups = [known.answers[pair.first].group for pair, _ in kept]
        found = figure("spearman", truths, [second - first for _, (first, second) in kept], groups)  # type: ignore[operator]
        words = [
            _words(known.answers[pair.second], aspect) - _words(known.answers[pair.first], aspect) for pair, _ in kept
        ]
        rows.append(
            Row(f"spearman {aspect}", found, figure("spearman", truths, words, groups), None, known.people.get(aspect))
        )
    return rows


def _correct(said: Outcome) -> float | None:
    return said.share


def _complete(said: Outcome) -> float | None:
    return said.stated


def _overall(said: Outcome) -> float | None:
    """The mean of both."""
    return None if said.share is None or said.stated is None else fmean((said.share, said.stated))


def _words(one: LabelledAnswer, aspect: str) -> float:
    """Word overlap standing for an aspect: of the answer in the reference, of the reference in the answer, or both."""
    right, whole = overlap(one.answer, one.passages), overlap(one.reference, (one.answer,))
    return {"correctness": right, "completeness": whole, "overall": (right + whole) / 2}[aspect]
