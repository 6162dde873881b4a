"""Whether a run says anything about a measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragbench.compare.table import judged


def unusable(summary: Mapping[str, Any], metric: str) -> str:
    """Why one run says nothing about a measure: it, or this measure of it, is no result; empty where it does.

    `fell_back`, `unhealthy` or `judge_below`. Another measure's failures do not touch it. No verdict rests on a judge
    that is below its floor or was never checked; `diagnosis/…` rests on the judge too.
    """
    told = [str(line).partition(":")[0] for line in summary.get("health") or ()]
    if "query" in told:
        return "fell_back"
    if any("/" not in name or name == metric for name in told):
        return "unhealthy"
    card = summary.get("judge_card") or {}
    rests_on_judge = judged(metric) or metric.startswith("diagnosis/")
    return "judge_below" if rests_on_judge and card.get("cannot_tell") else ""
