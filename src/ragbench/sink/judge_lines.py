"""How far a run's judge can be believed, in lines of the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CANNOT_TELL = "cannot tell by judged measures: "


def judge_lines(summary: Mapping[str, Any]) -> list[str]:
    """Agreement with planted answers and with people, and why no verdict may rest on the judge; none where nothing was
    judged, or by a version that kept no card."""
    card = summary.get("judge_card")
    if not card or not summary.get("judge"):
        return []
    name = ", ".join(dict.fromkeys(map(str, summary["judge"].values())))
    lines = []
    for part, rows in card["planted"].items():
        if rows:
            told = ", ".join(_planted(language, row) for language, row in rows.items())
            lines.append(f"judge {name} on planted {part}: balanced accuracy {told}")
    if card["people"]:
        told = ", ".join(
            f"{one['title']} {one['measure'].split()[0]} {one['value']:.2f}{_words(one)}"
            for one in card["people"]
            if one["value"] is not None
        )
        lines.append(f"judge {name} and people: {told}")
    return lines + [CANNOT_TELL + reason for reason in card["cannot_tell"]]


def _words(one: Mapping[str, Any]) -> str:
    return "" if one["overlap"] is None else f" (words {one['overlap']:.2f})"


def _planted(language: str, row: Mapping[str, Any]) -> str:
    bound = "–" if row["bound"] is None else f"{row['bound']:.2f}"
    value = "–" if row["balanced_accuracy"] is None else f"{row['balanced_accuracy']:.2f}"
    return f"{language} {value} (at least {bound})"


def judge_metrics(summary: Mapping[str, Any]) -> dict[str, float]:
    """Names and values for MLflow: `judge/<part>/<language>` and its bound, `judge/people/<set>`."""
    card = summary.get("judge_card") or {}
    found: dict[str, float] = {}
    for part, rows in (card.get("planted") or {}).items():
        for language, row in rows.items():
            for field, name in (("balanced_accuracy", ""), ("bound", "_bound")):
                if row[field] is not None:
                    found[f"judge/planted_{part}{name}/{language}"] = float(row[field])
    for one in card.get("people") or ():
        if one["value"] is not None:
            found[f"judge/people/{one['set']}"] = float(one["value"])
    return found


def judge_tag(summary: Mapping[str, Any]) -> str | None:
    """Whether verdicts may rest on the judge: `above` or `below or unknown`; None where nothing was judged."""
    card = summary.get("judge_card")
    return None if not card else "below or unknown" if card["cannot_tell"] else "above"
