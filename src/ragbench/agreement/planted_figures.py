"""A judge on the planted answers, by kind and language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ragbench.agreement.figures import figure
from ragbench.agreement.measured import supported_rows
from ragbench.agreement.records import LabelledAnswer, Outcome

Pairs = list[tuple[LabelledAnswer, Outcome]]


def planted_figures(answers: Sequence[LabelledAnswer], outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """By language: how often each kind is decided rightly, AUROC, balanced accuracy and κ of supported answers, the
    lower bound that the floor reads, shares right of the parts of partly supported answers, AUROC of relevancy.

    An answer is right where `right_of` says so. Where there are truths of both classes the balanced accuracy counts an
    answer without claims as not supported, so that a judge does not gain by reading nothing.
    """
    both = list(zip(answers, outcomes, strict=True))
    languages = sorted({one.language for one in answers})
    return {"by_language": {language: _of([p for p in both if p[0].language == language]) for language in languages}}


def right_of(one: LabelledAnswer, said: Outcome) -> bool:
    """Whether a judge is right: nothing claimed where there is nothing to claim; else supported or not, as it is. A
    failure is wrong."""
    if said.error:
        return False
    if one.claims_nothing:
        return said.claims == 0
    return (said.supported is True) == one.supported


def _of(both: Pairs) -> dict[str, Any]:
    kinds = list(dict.fromkeys(one.kind for one, _ in both))
    decided = [(one, said) for one, said in both if one.supported is not None]
    guesses = [float(right_of(one, said) == one.supported) for one, said in decided]
    truths = [float(one.supported is True) for one, _ in decided]
    balanced = figure("balanced_accuracy", truths, guesses, [one.group for one, _ in decided])
    return {
        "n": len(both),
        "n_errors": sum(bool(said.error) for _, said in both),
        "balanced_accuracy": balanced.value,
        "low": balanced.low,
        "high": balanced.high,
        "bound": balanced.bound,
        "kinds": {kind: _kind([pair for pair in both if pair[0].kind == kind]) for kind in kinds},
        "rows": [asdict(row) for row in supported_rows(decided, {}) if row.measure != "balanced_accuracy"],
        "parts": _parts(both),
        "relevancy": _relevancy(both),
    }


def _kind(both: Pairs) -> dict[str, Any]:
    right = [float(right_of(one, said)) for one, said in both]
    found = figure("right", [1.0] * len(right), right, [one.group for one, _ in both])
    truth = both[0][0]
    expected = "no claims" if truth.claims_nothing else "supported" if truth.supported else "not supported"
    return {"truth": expected, "n": found.n, "right": found.value, "low": found.low, "high": found.high}


def _parts(both: Pairs) -> dict[str, Any]:
    """Of answers whose parts have truths of their own: shares right of the true and of the false parts."""
    known = [
        (truth, found)
        for one, said in both
        if not said.error
        for (_, _, truth), found in zip(one.parts, said.parts, strict=True)
    ]
    return {
        name: {"n": len(of), "right": round(sum(of) / len(of), 6) if of else None}
        for name, wanted in (("true", True), ("false", False))
        for of in [[found == truth for truth, found in known if truth == wanted]]
    }


def _relevancy(both: Pairs) -> dict[str, Any]:
    """AUROC of relevancy: answers to the question against answers to another one."""
    known = [(one, said.relevancy) for one, said in both if one.on_topic is not None and said.relevancy is not None]
    truths = [float(one.on_topic is True) for one, _ in known]
    return asdict(figure("auroc", truths, [value for _, value in known], [one.group for one, _ in known]))
