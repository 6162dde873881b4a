"""What is known of a judge: its stored agreement with planted truths and with people, and whether it may gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from ragbench.core.codec import loads, read_json, write_json
from ragbench.judge.base import Judge
from ragbench.judge.floor import FLOOR

FOLDER = "judge_cards"
"""Where cards lie, in the store and beside this module."""

VERSION = 1
PLANTED = ("claims", "answers")
"""The planted parts of a card; each has figures by language."""

Card = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Standing:
    """How a judge stands in one language: the smaller of its lower 95 % bounds of balanced accuracy on the planted
    claims and on the planted answers. `bound` None: it was not measured there."""

    language: str
    bound: float | None
    floor: float = FLOOR

    @property
    def passes(self) -> bool:
        """Whether the bound reaches the floor."""
        return self.bound is not None and self.bound >= self.floor


def card_key(judge: Judge) -> str:
    """What a card is kept under: the judge's way of deciding claims, its model and prompts among it."""
    return judge.of_claims().fingerprint()


def read_card(judge: Judge, store: Path) -> Card | None:
    """The card of a judge: measured here (`ragbench judge check`), else the shipped one; None where there is none, or
    where it is of another version of this file's form."""
    key = card_key(judge)
    own = store / FOLDER / f"{key[:16]}.json"
    found = read_json(own) if own.is_file() else shipped_card(key)
    return found if found is not None and found.get("version") == VERSION and found.get("key") == key else None


def shipped_card(key: str) -> Card | None:
    """The shipped card of a key."""
    for entry in sorted((files("ragbench.judge") / FOLDER).iterdir(), key=lambda one: one.name):
        if entry.name.endswith(".json"):
            card: Card = loads(entry.read_bytes())
            if card.get("key") == key:
                return card
    return None


def write_card(card: Card, store: Path) -> Path:
    """Keep a card in the store; where it lies."""
    path = store / FOLDER / f"{card['key'][:16]}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, card)
    return path


def standings(card: Card | None, languages: Sequence[str]) -> tuple[Standing, ...]:
    """How a judge stands in each language; without a card nowhere. `mixed` counts as both languages."""
    wanted = sorted({one for language in languages for one in (("en", "zh") if language == "mixed" else (language,))})
    return tuple(Standing(language, _bound(card, language)) for language in wanted)


def cannot_tell(card: Card | None, languages: Sequence[str]) -> tuple[str, ...]:
    """Why no verdict may rest on a judge in these languages; empty where one may.

    What a gate asks before it reads a judged measure: anything here is `cannot tell` (exit code 3), never a pass.
    """
    if card is None:
        return ("the judge was never checked: ragbench judge check",)
    reasons = ["the judge was checked on a part of the answers"] if card.get("sample") else []
    for one in standings(card, languages):
        if one.bound is None:
            reasons.append(f"the judge was not checked in {one.language}")
        elif not one.passes:
            reasons.append(
                f"the judge is below its floor in {one.language}: lower bound {one.bound:.3f}, needed {one.floor:.2f}"
            )
    return tuple(reasons)


def _bound(card: Card | None, language: str) -> float | None:
    """The smallest bound over the planted parts; None where one of them lacks the language."""
    if card is None:
        return None
    bounds = [((card.get(part) or {}).get("by_language") or {}).get(language, {}).get("bound") for part in PLANTED]
    return None if None in bounds else min(bounds)


def brief(card: Card | None, languages: Sequence[str]) -> dict[str, Any]:
    """What stands beside judged figures of a run in these languages: balanced accuracy on planted claims and answers,
    the first figure of each human set and that of word overlap and of people beside it, the noise of repeated runs,
    and why no verdict may rest on the judge (`cannot_tell`, empty where one may)."""
    known = card or {}
    planted = {
        part: {
            one.language: {name: row.get(name) for name in ("n", "balanced_accuracy", "bound")}
            for one in standings(card, languages)
            if (row := ((known.get(part) or {}).get("by_language") or {}).get(one.language))
        }
        for part in PLANTED
    }
    people = [_people(name, one) for name, one in (known.get("people") or {}).items() if one["rows"]]
    return {
        "key": known.get("key"),
        "floor": FLOOR,
        "planted": planted,
        "people": people,
        "noise": known.get("noise"),
        "cannot_tell": list(cannot_tell(card, languages)),
    }


def _people(name: str, one: Mapping[str, Any]) -> dict[str, Any]:
    row = one["rows"][0]
    return {
        "set": name,
        "title": one["title"],
        "language": one["language"],
        "data": one["data"],
        "measure": row["measure"],
        **{field: row["judge"][field] for field in ("value", "low", "high", "n")},
        "overlap": row["overlap"]["value"] if row["overlap"] else None,
        "people": row["people"],
    }
