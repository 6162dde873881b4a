"""Where each category lost its questions, what proves it, and the command to try next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.evaluate.knobs import Knobs
from ragbench.evaluate.overrides import with_change
from ragbench.records.question import Question
from ragbench.report.labels import FINE, OUTCOMES, Labels
from ragbench.report.view_losses import changes_of
from ragbench.report.view_proof import proof_words
from ragbench.run_dir.foreign import FOREIGN
from ragbench.run_dir.proof import KeptProof
from ragbench.run_dir.read import RunDir
from ragbench.text.terminal import command

Row = dict[str, Any]
Proofs = Mapping[str, KeptProof]


def loss_grid(run: RunDir, found: Mapping[str, str], proofs: Proofs | None, knobs: Knobs, labels: Labels) -> Row | None:
    """Counts of category × class, the last row over all; None where the run does not say which questions were lost.

    `found` maps a question to its class. Each row has the class that it loses most by: first or, where the proof says
    so, later, when what lost a question first is put right; the earlier layer where two lose as many.
    """
    by_category: dict[str, list[Question]] = {}
    for question in run.questions.values():
        if question.id in found:
            by_category.setdefault(question.category, []).append(question)
    if not by_category:
        return None
    present = Counter(found.values())
    classes = [name for name in (*OUTCOMES, *sorted(set(present) - set(OUTCOMES))) if present[name]]
    rows = [_row(name, asked, classes, found, proofs, labels) for name, asked in sorted(by_category.items())]
    everything = [question for asked in by_category.values() for question in asked]
    total = _row("", everything, classes, found, proofs, labels)
    return {
        "classes": [(name, labels.outcome(name)) for name in classes],
        "rows": [*rows, total] if len(rows) > 1 else rows,
        "proved": proofs is not None,
        "foreign": FOREIGN in run.manifest,
        "prove": [
            command(["ragbench", "diagnose", run.run_id, "--prove"]),
            command(["ragbench", "report", run.run_id]),
        ],
        "tries": [one for row in rows if (one := _try(row, run.manifest, knobs, labels))],
    }


def _row(
    category: str,
    asked: Sequence[Question],
    classes: Sequence[str],
    found: Mapping[str, str],
    proofs: Proofs | None,
    labels: Labels,
) -> Row:
    counts = Counter(found[question.id] for question in asked)
    own = [proofs[question.id] for question in asked if question.id in proofs] if proofs else []
    return {
        "id": category,
        "name": labels.group(category) if category else labels("all_categories"),
        "n": len(asked),
        "cells": [(name, counts[name], name in FINE) for name in classes],
        "proof": proof_words(own, labels),
        "worst": _worst(counts, own),
        "lost": sum(n for name, n in counts.items() if name not in FINE),
    }


def _worst(counts: Mapping[str, int], proved: Sequence[KeptProof]) -> tuple[str, int, int] | None:
    """The class that loses most, the questions it loses first, and those it loses later; None: nothing was lost."""
    first = Counter({name: n for name, n in counts.items() if name not in FINE})
    later = Counter(one.then for one in proved if one.state == "not_proved" and one.then and one.then not in FINE)
    names = sorted(
        set(first) | set(later), key=lambda name: OUTCOMES.index(name) if name in OUTCOMES else len(OUTCOMES)
    )
    worst = max(names, key=lambda name: first[name] + later[name], default=None)
    return None if worst is None else (worst, first[worst], later[worst])


def _try(row: Row, manifest: Mapping[str, Any], knobs: Knobs, labels: Labels) -> Row | None:
    """Symptom and commands of a category; None where it lost nothing."""
    if row["worst"] is None:
        return None
    name, first, later = row["worst"]
    noted = manifest.get("overrides")
    base = tuple(map(str, noted)) if isinstance(noted, list) else ()
    known = () if FOREIGN in manifest else changes_of(name, knobs)[:2]
    return {
        **{key: row[key] for key in ("id", "name", "lost")},
        "loss": (name, labels.outcome(name)),
        "n": first,
        "later": later,
        "symptom": labels.symptom(name),
        "remedy": labels.remedy(name),
        "commands": [command(["ragbench", "run", *with_change(base, change)]) for change in known],
    }
