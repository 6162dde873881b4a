"""Where questions were lost: counts, questions and remedies by the first layer that lost them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from ragbench.evaluate.advice import Change, changes
from ragbench.evaluate.knobs import Knobs
from ragbench.evaluate.losses import Loss
from ragbench.evaluate.waterfall import waterfall as levels
from ragbench.records.question import Question
from ragbench.report.labels import FINE, OUTCOMES, Labels
from ragbench.report.numbers import share
from ragbench.run_dir.foreign import FOREIGN

Row = dict[str, Any]


def losses_by_category(questions: Mapping[str, Question], found: Mapping[str, str]) -> dict[str, Counter[str]]:
    """Lost questions by category and class; what went well is left out."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for question_id, outcome in found.items():
        if outcome not in FINE and question_id in questions:
            counts[questions[question_id].category][outcome] += 1
    return counts


def loss_rows(
    summary: Mapping[str, Any], found: Mapping[str, str], labels: Labels, pipeline: Mapping[str, Any] | None = None
) -> list[Row]:
    """Every class with at least one question, in the order of the layers, `ok` first; unknown classes last.

    `pipeline` are the resolved stages of the run, which the changes to try depend on.
    """
    knobs = Knobs(summary.get("variant") or {}, pipeline or {})
    counts = summary.get("diagnosis") or {}
    total = sum(int(count) for count in counts.values())
    by_outcome: dict[str, list[str]] = defaultdict(list)
    for question_id, outcome in found.items():
        by_outcome[outcome].append(question_id)
    names = [name for name in (*OUTCOMES, *sorted(set(counts) - set(OUTCOMES))) if counts.get(name)]
    return [
        {
            "id": name,
            "name": labels.outcome(name),
            "n": int(counts[name]),
            "share": share(counts[name] / total),
            "symptom": labels.symptom(name),
            "remedy": labels.remedy(name),
            "changes": () if FOREIGN in summary else changes_of(name, knobs),
            "fine": name in FINE,
            "ids": by_outcome.get(name, []),
        }
        for name in names
    ]


def changes_of(outcome: str, knobs: Knobs) -> tuple[Change, ...]:
    """Changes to try, each a few overrides that belong together; empty for a class without any."""
    return changes(Loss(outcome), knobs) if outcome in set(Loss) else ()


def waterfall(rows: list[Row]) -> list[tuple[str, int, int, str]]:
    """Steps of the loss waterfall: `(name, from, to, kind)` in questions, starting at all and ending at what is left.

    `kind` is `total`, `loss` or `left`; the figures are those of `ragbench.evaluate.waterfall`. A run without any
    question gives no steps.
    """
    total = sum(row["n"] for row in rows)
    if not total:
        return []
    names = {row["id"]: row["name"] for row in rows}
    found = levels({row["id"]: row["n"] for row in rows})
    steps = [(names[one.name], one.left + one.lost, one.left, "loss") for one in found]
    return [("", 0, total, "total"), *steps, ("", 0, steps[-1][2] if steps else total, "left")]
