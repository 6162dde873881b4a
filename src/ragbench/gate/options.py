"""How the gate decides: the section `gate` of the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from ragbench.errors import ConfigError
from ragbench.measure.base import Measure
from ragbench.measure.registry import measures

DEFAULT = "default"
"""Stands for the default measures in a list of names."""

BLOCK, WARN = "block", "warn"
FIELDS = ("measures", "margin", "floors", "categories", "min_pairs", "on_uncertain", "baselines")


@dataclass(frozen=True, kw_only=True)
class GateOptions:
    """`measures` None means the default ones (`gate/chosen.py`). `margin` is the loss that is tolerated, relative to
    the baseline, in [0, 1). `floors` holds the least mean of a measure (the largest one where lower is better).
    `categories` with at least `min_pairs` pairs gate too. `on_uncertain` says what a loss beyond the margin is that
    the set is too small to confirm: `block` (cannot tell) or `warn`. `baselines` is the folder of the baselines."""

    measures: tuple[str, ...] | None = None
    margin: float = 0.05
    floors: Mapping[str, float]
    categories: bool = True
    min_pairs: int = 20
    on_uncertain: str = BLOCK
    baselines: Path = Path("baselines")


def gate_options(section: Any) -> GateOptions:
    """The options that the section says; raises ConfigError naming the first key that cannot be used."""
    if not isinstance(section, Mapping):
        raise ConfigError("gate", expected=f"a section with {', '.join(FIELDS)}", found=repr(section))
    unknown = sorted(set(map(str, section)) - set(FIELDS))
    if unknown:
        raise ConfigError(f"gate.{unknown[0]}", expected=f"one of {', '.join(FIELDS)}", found="no such key")
    margin, pairs = section.get("margin", 0.05), section.get("min_pairs", 20)
    if not _number(margin) or not 0 <= margin < 1:
        raise ConfigError("gate.margin", expected="a number from 0 to below 1, such as 0.05", found=repr(margin))
    if not isinstance(pairs, int) or isinstance(pairs, bool) or pairs < 2:
        raise ConfigError("gate.min_pairs", expected="a whole number of at least 2", found=repr(pairs))
    uncertain, categories = section.get("on_uncertain", BLOCK), section.get("categories", True)
    if uncertain not in (BLOCK, WARN):
        raise ConfigError("gate.on_uncertain", expected=f"{BLOCK} or {WARN}", found=repr(uncertain))
    if not isinstance(categories, bool):
        raise ConfigError("gate.categories", expected="true or false", found=repr(categories))
    folder = section.get("baselines", "baselines")
    if not isinstance(folder, str) or not folder.strip():
        raise ConfigError("gate.baselines", expected="a folder", found=repr(folder))
    return GateOptions(
        measures=_names(section.get("measures")),
        margin=float(margin),
        floors=_floors(section.get("floors")),
        categories=categories,
        min_pairs=pairs,
        on_uncertain=uncertain,
        baselines=Path(folder),
    )


def gated_measure(name: str, key: str = "gate.measures") -> Measure:
    """The measure of a name, where a gate can read it: one of questions, that has a worst value.

    Raises ConfigError for any other.
    """
    found = measures([name])[0]
    if found.subject != "question":
        hint = "Measures that the gate pairs have a value for each question."
        raise ConfigError(f"{key}: {name}", expected="a measure of questions", found=f"one of a {found.subject}",
                          hint=hint)  # fmt: skip
    if found.worst is None:
        hint = "A question that failed counts as the worst value; times and sizes have none."
        raise ConfigError(f"{key}: {name}", expected="a measure with a worst value", found="none", hint=hint)
    return found


def _names(given: Any) -> tuple[str, ...] | None:
    if given is None:
        return None
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not names or not all(isinstance(one, str) for one in names):
        raise ConfigError("gate.measures", expected="names of measures, or null for the default", found=repr(given))
    return tuple(dict.fromkeys(one if one == DEFAULT else gated_measure(one).name for one in names))


def _floors(given: Any) -> Mapping[str, float]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        expected = "measures with their least mean, as {ranking/recall@5: 0.8}"
        raise ConfigError("gate.floors", expected=expected, found=repr(given))
    found = {}
    for name, value in given.items():
        measure = gated_measure(str(name), "gate.floors")
        low, high = measure.bounds
        if not _number(value) or not low <= value <= high:
            raise ConfigError(f"gate.floors: {name}", expected=f"a number from {low:g} to {high:g}", found=repr(value))
        found[measure.name] = float(value)
    return found


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
