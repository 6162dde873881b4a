"""How far a judge agrees with itself when it judges the same answers again."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from ragbench.agreement.records import Outcome


def noise(runs: Sequence[Sequence[Outcome]]) -> dict[str, Any] | None:
    """Over repeated runs: `changed`, the share of answers that were not decided alike each time (supported, not,
    no claims, failed), and `spread`, the mean distance of an answer's largest from its smallest faithfulness (of
    answers that have one in each run; None for none). None for fewer than two runs."""
    if len(runs) < 2 or not runs[0]:
        return None
    of_answer = list(zip(*runs, strict=True))
    changed = [len({_decision(one) for one in said}) > 1 for said in of_answer]
    shares = [[one.share for one in said if one.share is not None] for said in of_answer]
    ranges = [max(one) - min(one) for one in shares if len(one) == len(runs)]
    return {
        "repeats": len(runs),
        "n": len(of_answer),
        "changed": round(fmean(changed), 6),
        "spread": round(fmean(ranges), 6) if ranges else None,
    }


def _decision(one: Outcome) -> str:
    return "failed" if one.error else "no claims" if one.supported is None else str(one.supported)
