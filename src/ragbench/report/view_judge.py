"""How far a run's judge can be believed, for the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragbench.compare.table import number
from ragbench.report.labels import Labels

Row = dict[str, Any]


def judge_card(summary: Mapping[str, Any], labels: Labels) -> Row | None:
    """The judge's card as a table and its lines; None for a run without judged answers or of an older version."""
    card = summary.get("judge_card")
    if not card or not summary.get("judge"):
        return None
    rows = [
        {
            "name": labels(f"judge_planted_{part}", language=labels.group(language)),
            "measure": labels("judge_balanced_accuracy"),
            "value": number(row["balanced_accuracy"]),
            "interval": labels("judge_at_least", bound=number(row["bound"])),
            "overlap": "–",
            "people": "–",
            "n": row["n"],
        }
        for part, of in card["planted"].items()
        for language, row in of.items()
    ]
    rows += [_people(one, labels) for one in card["people"]]
    lines = judge_notes(summary, labels)
    if noise := card.get("noise"):
        lines.append(labels("judge_noise", repeats=noise["repeats"], changed=f"{noise['changed']:.1%}"))
    return {"rows": rows, "lines": lines}


def judge_notes(summary: Mapping[str, Any], labels: Labels) -> list[str]:
    """Why no verdict may rest on the judge, a line a language; none where one may, or where nothing is known of it."""
    card = summary.get("judge_card")
    if not card or not card["cannot_tell"]:
        return []
    bounds: dict[str, list[float | None]] = {}
    for of in card["planted"].values():
        for language, row in of.items():
            bounds.setdefault(language, []).append(row["bound"])
    floor = card["floor"]
    known = {language: None if None in of else min(x for x in of if x is not None) for language, of in bounds.items()}
    low = {language: bound for language, bound in known.items() if bound is not None and bound < floor}
    if not low:
        return [labels("judge_unchecked")]
    return [
        labels("judge_below", language=labels.group(language), bound=number(bound), floor=f"{floor:.2f}")
        for language, bound in low.items()
    ]


def _people(one: Mapping[str, Any], labels: Labels) -> Row:
    return {
        "name": f"{one['title']} ({labels.group(one['language'])})",
        "measure": labels(f"judge_{one['measure'].split()[0]}"),
        "value": number(one["value"]),
        "interval": f"{number(one['low'])} – {number(one['high'])}" if one["low"] is not None else "–",
        "overlap": number(one["overlap"]),
        "people": number(one["people"]),
        "n": one["n"],
    }
