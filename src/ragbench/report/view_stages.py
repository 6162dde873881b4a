"""What fusion and reranking changed, as the page shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare.table import number, signed
from ragbench.evaluate.stage_effect_read import StageLoss, comparisons, headline_measures, losses
from ragbench.report.labels import Labels
from ragbench.report.numbers import milliseconds, share

View = dict[str, Any]
Table = Mapping[str, Any]


def stage_view(summary: Mapping[str, Any], labels: Labels) -> View | None:
    """The section on both stages; None for a run that does not tell of them."""
    stages = summary.get("stages")
    if not stages:
        return None
    fell = losses(stages)
    parts = [_part(one, labels) for one in comparisons(stages)]
    variant = summary.get("variant") or {}
    return {
        "parts": parts,
        "without": [labels(f"e_no_{stage}") for stage in ("fusion", "rerank") if not stages.get(stage)],
        "losses": _fallen([loss for loss in fell if loss.proven], labels),
        "doubtful": _fallen([loss for loss in fell if not loss.proven], labels),
        "n_doubtful": sum(not loss.proven for loss in fell),
        "likely": any(loss.below for loss in fell if not loss.proven),
        "compared": bool(parts),
        "rerank": _rerank(stages, str(variant.get("reranker") or ""), labels),
    }


def interval(cell: Mapping[str, Any]) -> str:
    """The interval of a difference; `–` where it has none."""
    if cell["low"] is None or cell["high"] is None:
        return "–"
    return f"{signed(cell['low'])} … {signed(cell['high'])}"


def _part(one: tuple[str, str, Table], labels: Labels) -> View:
    stage, against, table = one
    route = route_in_words(against, labels) if against else ""
    titles = {
        "id": f"{stage}-{against}" if against else stage,
        "title": labels("e_fusion_title", route=route) if against else labels("e_rerank_title"),
        "before": labels("e_alone", route=route) if against else labels("before"),
        "after": labels("e_fused") if against else labels("after"),
    }
    return titles | comparison(table, headline_measures(list(table["measures"])), labels)


def comparison(table: Table, shown: Sequence[str], labels: Labels) -> View:
    """A table of pairs; `shown` are the measures told by category. Left to the caller: `id`, `title`, and what stands
    `before` and `after`."""
    left_out = [labels(f"e_out_{why}", n=n) for why, n in table["excluded"].items() if n]
    return {
        "n": labels("e_compared", n=table["n"]),
        "left_out": labels("s_comma").join(left_out),
        "measures": [_measure(name, cell, labels) for name, cell in table["measures"].items()],
        "shown": [labels.measure(name) for name in shown],
        "rows": [_row(category, row, shown, labels) for category, row in table["by_category"].items()],
        "tests": _tests(table, labels),
        "turned": [
            (kind, labels(f"e_{kind}", n=len(table[kind]), k=table["depth"]), list(table[kind]))
            for kind in ("rescued", "lost")
        ],
    }


def _tests(table: Table, labels: Labels) -> str:
    """What was tested by category."""
    cells = [cell for row in table["by_category"].values() for cell in row["measures"].values()]
    tested = sum(cell.get("p") is not None for cell in cells)
    return labels("e_tests", n=table["tests"], tested=tested) if tested else labels("e_no_tests")


def _measure(name: str, cell: Mapping[str, Any], labels: Labels) -> View:
    best, before, after = cell.get("ceiling"), cell["before"], cell["after"]
    return gain_cell(cell) | {
        "id": name,
        "name": labels.measure(name),
        "moved": f"{cell['better']} / {cell['equal']} / {cell['worse']}",
        "ceiling": number(best) if best is not None else "",
        "realised": share(cell["realised"]) if cell.get("realised") is not None else "–",
        "bars": None if best is None or before is None or after is None else _bars(before, after, best),
    }


def _bars(before: float, after: float, best: float) -> list[tuple[str, float]]:
    """Pieces of 0 … 1 in per cent: what stood before, what was won or lost, what an ideal order would still add."""
    low, high = min(before, after), max(before, after)
    pieces = [("kept", low), ("won" if after >= before else "given", high - low), ("open", max(0.0, best - high))]
    return [(kind, 100 * width) for kind, width in pieces]


def gain_cell(cell: Mapping[str, Any]) -> View:
    """A measure before and after a stage, its gain and interval, as text."""
    return {
        "before": number(cell["before"]),
        "after": number(cell["after"]),
        "gain": signed(cell["gain"]),
        "interval": interval(cell),
        "verdict": cell.get("verdict") or "",
    }


def _row(category: str, row: Table, shown: Sequence[str], labels: Labels) -> View:
    return {
        "id": category,
        "name": labels.group(category),
        "n": row["n"],
        "small": row["small"],
        "cells": [gain_cell(row["measures"][name]) for name in shown],
        "rescued": row["rescued"],
        "lost": row["lost"],
    }


def route_in_words(name: str, labels: Labels) -> str:
    """The name of a route inside a sentence."""
    said = labels.stage(name)
    return said[:1].lower() + said[1:]


def _fallen(found: Sequence[StageLoss], labels: Labels) -> list[View]:
    """One row a comparison and category, with all of its measures that fell."""
    groups: dict[tuple[str, str, str], list[StageLoss]] = {}
    for loss in found:
        groups.setdefault((loss.stage, loss.against, loss.category), []).append(loss)
    return [
        {
            "stage": labels("e_fusion_against", route=route_in_words(against, labels))
            if against
            else labels.stage(stage),
            "category": labels.group(category) if category else labels("all_questions"),
            "n": rows[0].n,
            "verdict": rows[0].cell["verdict"],
            "cells": [gain_cell(loss.cell) | {"measure": labels.measure(loss.measure)} for loss in rows],
        }
        for (stage, against, category), rows in groups.items()
    ]


def _rerank(stages: Mapping[str, Any], name: str, labels: Labels) -> View | None:
    table = stages.get("rerank")
    if not table:
        return None
    regret, cuts = table["regret"], {"behind_recall_k": stages["recall_k"]}
    shares = {kind: regret[kind] for kind in ("found", "behind_k", "behind_recall_k")}
    shares["outside"] = None if regret["pool"] is None else 1 - regret["pool"]
    return {
        "name": name,
        "pieces": [
            {
                "kind": kind,
                "width": 100 * value,
                "value": share(value),
                "name": labels(f"e_{kind}", k=cuts.get(kind, stages["k"])),
                "ids": regret.get(f"{kind}_ids") or [],
            }
            for kind, value in shares.items()
            if value is not None
        ],
        "dropped": labels("e_dropped", share=share(regret["dropped"])) if regret["dropped"] else "",
        "cost": _cost(table["cost"], labels),
    }


def _cost(cost: Mapping[str, Any], labels: Labels) -> list[tuple[str, str]]:
    ms, words = cost.get("ms") or {}, labels.words("counts")
    facts = [(labels("e_ms"), f"{milliseconds(ms.get('p50'))} · {milliseconds(ms.get('p95'))}")] if ms else []
    if ms:
        facts.append((labels("e_questions"), f"{ms.get('n', 0):,}"))
    return [*facts, *((str(words.get(name, name)), f"{n:,}") for name, n in (cost.get("counts") or {}).items())]
