"""Sides of a gate made of columns, whose figures a reader can follow by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.gate.options import GateOptions
from ragbench.gate.side import Cell, Side
from ragbench.records.score import Status

RECALL, FAITHFUL, CORRECT = "ranking/recall@5", "answer/faithfulness", "answer/correctness_f1"
FALSE_ANSWER, FALSE_REFUSAL, ANSWERED = "answer/false_answer", "answer/false_refusal", "answer/answered"
CITED, PRECISE, COMPLETE = "answer/citation_recall", "answer/citation_precision", "answer/completeness"
ALL = (RECALL, FAITHFUL, CORRECT, FALSE_ANSWER, FALSE_REFUSAL, ANSWERED)
GOOD_CARD = {"cannot_tell": [], "planted": {}, "people": [], "noise": None, "floor": 0.75}
BAD_CARD = GOOD_CARD | {
    "cannot_tell": ["the judge is below its floor in zh: lower bound 0.653, needed 0.75"],
    "planted": {"answers": {"zh": {"n": 9, "balanced_accuracy": 0.7, "bound": 0.653}}},
}


def cell(value: float | str) -> Cell:
    """A number, or `n/a` or `failed`."""
    return (Status(value), None) if isinstance(value, str) else (Status.SCORED, float(value))


def column(values: Sequence[float | str]) -> dict[str, Cell]:
    """Questions q0, q1, …"""
    return {f"q{at}": cell(value) for at, value in enumerate(values)}


def ones(n: int, lost: int = 0, worst: float = 0.0) -> list[float]:
    """n questions, of which the last `lost` have the worst value."""
    return [1.0 - worst] * (n - lost) + [worst] * lost


def side(columns: Mapping[str, Sequence[float | str]], categories: Sequence[str] | None = None, **more: Any) -> Side:
    """A side with these columns; `more` are facts."""
    n = max(map(len, columns.values()), default=0)
    kinds = categories or ["lookup"] * n
    facts = {
        "run_id": "run-1", "label": "hybrid", "started": "2026-01-01T00:00:00", "fingerprint": "f", "variant": {"alpha": 0.4},
        "eval_set": {"name": "policy_zh", "version": "v1", "lock": "sha256:1", "split": "test", "questions": None},
        "judge": {"title": "llm-1 m", "key": "k"}, "runtime": {"runtime": "int8"}, "copies": False,
    } | more  # fmt: skip
    return Side(
        facts=facts,
        categories={f"q{at}": kind for at, kind in enumerate(kinds)},
        columns={name: column(values) for name, values in columns.items()},
        made={"ragbench": "0.1.0"},
    )


def options(**given: Any) -> GateOptions:
    """Options of a gate on one measure, recall, without categories, where nothing else is said."""
    return GateOptions(**({"measures": (RECALL,), "floors": {}, "categories": False} | given))
