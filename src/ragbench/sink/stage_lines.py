"""What fusion and reranking changed, in a few lines of the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare.table import number, signed
from ragbench.evaluate.stage_effect_read import StageLoss, comparisons, headline_measures, losses, over_better

_TOLD = 3
"""Lines on what fell."""


def stage_lines(stages: Mapping[str, Any] | None) -> list[str]:
    """A line or two a stage, and one on regressions; a stage the variant lacks has none."""
    tables = {(stage, against): table for stage, against, table in comparisons(stages)}
    if not tables or stages is None:
        return []
    lines = []
    gains = _fusion(stages)
    if gains:
        lines.append("fusion: " + " · ".join(gains))
    if ("rerank", "") in tables:
        lines += _rerank(stages, tables["rerank", ""])
    return [*lines, *_fallen(losses(stages))]


def _fusion(stages: Mapping[str, Any]) -> list[str]:
    names = headline_measures(list(stages["fusion"]["better"])) if stages.get("fusion") else ()
    found = [(name, over_better(stages, name)) for name in names]
    return [f"{name} {_gain(one[1])} over {one[0]} alone" for name, one in found if one is not None]


def _rerank(stages: Mapping[str, Any], table: Mapping[str, Any]) -> list[str]:
    shown = {name: table["measures"][name] for name in headline_measures(list(table["measures"]))}
    if not table["n"]:
        return ["rerank: no question to compare"]
    gains = [
        f"{name} {number(cell['before'])} → {number(cell['after'])}, {_gain(cell)}" for name, cell in shown.items()
    ]
    regret, realised = table["regret"], shown["mrr"].get("realised")
    part = "" if realised is None else f" · {realised:.0%} of the mrr an ideal order gains"
    return [
        "rerank: " + " · ".join(gains),
        f"rerank: rescued {len(table['rescued'])}, lost {len(table['lost'])}{part} · recall lost behind recall_k "
        f"{stages['recall_k']}: {number(regret['behind_recall_k'])}, behind k {stages['k']}: "
        f"{number(regret['behind_k'])}",
    ]


def _gain(cell: Mapping[str, Any]) -> str:
    if cell["low"] is None:
        return signed(cell["gain"])
    return f"{signed(cell['gain'])} ({signed(cell['low'])} to {signed(cell['high'])})"


def _fallen(found: Sequence[StageLoss]) -> list[str]:
    """A line for each comparison and category that fell beyond its own interval, with the first of its measures."""
    groups: dict[tuple[bool, str, str, str], list[StageLoss]] = {}
    for loss in found:
        if loss.proven or loss.below:
            groups.setdefault((loss.proven, loss.stage, loss.against, loss.category), []).append(loss)
    lines = [_line(group[0], len(group) - 1) for group in list(groups.values())[:_TOLD]]
    left = len(groups) - len(lines)
    return [*lines, f"and {left} more, see the report"] if left else lines


def _line(loss: StageLoss, others: int) -> str:
    kind = "regression" if loss.proven else "cannot tell"
    stage = f"{loss.stage} against {loss.against}" if loss.against else loss.stage
    where = f", {loss.category} (n = {loss.n})" if loss.category else ""
    more = f", {others} more measure{'s' if others > 1 else ''}" if others else ""
    return f"{kind}: {stage}{where}: {loss.measure} {_gain(loss.cell)}{more}"
