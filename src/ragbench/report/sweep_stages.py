"""What fusion and reranking changed in each variant of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare.table import signed
from ragbench.evaluate.stage_effect_read import comparisons, losses, over_better
from ragbench.report.labels import Labels
from ragbench.report.view_stages import interval, route_in_words

View = dict[str, Any]
MEASURES = ("mrr", "ndcg@10")


def stages_table(summaries: Sequence[Mapping[str, Any]], names: Sequence[str], labels: Labels) -> View | None:
    """One row a variant with the gains of its stages; None where no variant fuses or reranks."""
    told = [one.get("stages") for one in summaries]
    present = {stage for stages in told for stage, _, _ in comparisons(stages)}
    if not present:
        return None
    shown = [(stage, name) for stage in ("fusion", "rerank") if stage in present for name in MEASURES]
    return {
        "columns": [labels(f"e_s_{stage}", measure=labels.measure(name)) for stage, name in shown],
        "reranked": "rerank" in present,
        "rows": [_row(stages, name, shown, labels) for stages, name in zip(told, names, strict=True)],
    }


def _row(stages: Mapping[str, Any] | None, name: str, shown: Sequence[tuple[str, str]], labels: Labels) -> View:
    rerank = (stages or {}).get("rerank")
    fell = losses(stages)
    return {
        "name": name,
        "cells": [_cell(stages, stage, measure, labels) for stage, measure in shown],
        "turned": f"{len(rerank['rescued'])} / {len(rerank['lost'])}" if rerank else "–",
        "regressions": sum(loss.proven for loss in fell) if comparisons(stages) else None,
    }


def _cell(stages: Mapping[str, Any] | None, stage: str, measure: str, labels: Labels) -> View:
    if stage == "fusion":
        found = over_better(stages, measure)
    else:
        table = (stages or {}).get("rerank")
        found = ("", table["measures"][measure]) if table else None
    if found is None or found[1]["gain"] is None:
        return {"gain": "–", "interval": "", "verdict": "", "over": ""}
    route, cell = found
    return {
        "gain": signed(cell["gain"]),
        "interval": interval(cell),
        "verdict": cell["verdict"] or "",
        "over": labels("e_s_over", route=route_in_words(route, labels)) if route else "",
    }
