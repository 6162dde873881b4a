"""Which measures a gate reads, and why some of them are only shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ragbench.gate.options import DEFAULT, GateOptions, gated_measure
from ragbench.gate.side import Side
from ragbench.measure.base import Measure
from ragbench.records.score import Status

RECALL = "ranking/recall@5"
CORRECTNESS = "answer/correctness_f1"
COMPLETENESS = "answer/completeness"
FAITHFULNESS = ("answer/faithfulness", "answer/ragas_faithfulness")
"""Of the judges that decide claims, and of RAGAS; the first that the run has."""
CITATIONS = ("answer/citation_recall", "answer/citation_precision")
ANSWERED = "answer/answered"
REFUSALS = ("answer/false_answer", "answer/false_refusal", ANSWERED)
EVIDENCE = "answer/evidence_in_context"
"""Stands for the answers of a run that has none."""
KEPT = (RECALL, EVIDENCE, CORRECTNESS, COMPLETENESS, *FAITHFULNESS, *CITATIONS, *REFUSALS)
"""What a baseline keeps of a run, whatever its generator: everything that is gated by default somewhere."""

AT_CEILING, JUDGE_BELOW = "at_ceiling", "judge_below"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A measure that the gate reads. `asked`: it was named, so that without it nothing can be told. `shown_for` is
    why it is shown and decides nothing: it is at its ceiling by construction, or its judge below its floor; empty: it
    decides."""

    measure: Measure
    asked: bool
    shown_for: str = ""


def chosen(options: GateOptions, now: Side, judge_stands: bool) -> list[Chosen]:
    """The measures of a gate over a run, each once: those that are named, `default` among them for the default ones,
    and those that have a floor.

    By default a generative variant is gated on recall of the set, faithfulness, correctness, refusals and the answered
    share. One that copies is faithful by construction: faithfulness is shown, and citations stand in its place, with
    completeness where its judge stands at its floor. Without answers the evidence in the context stands for them.
    """
    names = [*(options.measures or (DEFAULT,)), *options.floors]
    asked = {name for name in names if name != DEFAULT}
    found: dict[str, Chosen] = {}
    for name in names:
        for one in _default(now, judge_stands) if name == DEFAULT else [Chosen(gated_measure(name), asked=True)]:
            if one.measure.name not in found and (one.asked or one.measure.name not in asked):
                found[one.measure.name] = one
    return list(found.values())


def kept(options: GateOptions) -> list[str]:
    """Names of the measures that a baseline keeps: the default ones of every generator, and those of the options."""
    named = [name for name in options.measures or () if name != DEFAULT]
    return list(dict.fromkeys([*KEPT, *named, *options.floors]))


def _default(now: Side, judge_stands: bool) -> Iterable[Chosen]:
    faithful = _faithfulness(now.columns)
    yield _of(RECALL)
    if EVIDENCE in now.columns and not _answers(now):
        yield _of(EVIDENCE)
    if not now.copies:
        if faithful in now.columns or _answers(now):
            yield _of(faithful)
        yield _of(CORRECTNESS)
    else:
        yield _of(CORRECTNESS)
        if COMPLETENESS in now.columns:
            yield _of(COMPLETENESS, "" if judge_stands else JUDGE_BELOW)
        yield from map(_of, CITATIONS)
    yield from map(_of, REFUSALS)
    if now.copies and faithful in now.columns:
        yield _of(faithful, AT_CEILING)


def _answers(side: Side) -> bool:
    """Whether there are answers at all, as far as the run tells; retrieval alone has none to be faithful."""
    column = side.columns.get(ANSWERED)
    return column is None or any(status is not Status.NOT_APPLICABLE for status, _ in column.values())


def _faithfulness(columns: Collection[str]) -> str:
    return next((name for name in FAITHFULNESS if name in columns), FAITHFULNESS[0])


def _of(name: str, shown_for: str = "") -> Chosen:
    return Chosen(gated_measure(name), asked=False, shown_for=shown_for)
