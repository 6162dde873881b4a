"""The distinct variants of a grid, all composed before anything is computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ragbench.errors import ConfigError, Problems, RagbenchError
from ragbench.run.build import build
from ragbench.run.compose import Composed, Composer, groups
from ragbench.run.experiment import Experiment
from ragbench.run.grid import axes, key_of
from ragbench.run.shape import BASE, GRID, Combination, Shape

_TOLD = 3


@dataclass(frozen=True)
class Twin:
    """A point of a grid that came out as a variant that was there already."""

    label: str
    at: Mapping[str, str]


@dataclass(frozen=True)
class Point:
    """One variant of a grid.

    `at` is its value on each axis that it reads, as typed; of the base of axes varied alone it is what the base has.
    `twins` are the points that are the same variant.
    """

    overrides: tuple[str, ...]
    label: str
    experiment: Experiment
    at: Mapping[str, str] = field(default_factory=dict)
    twins: tuple[Twin, ...] = ()


def plan_grid(overrides: Sequence[str], shape: Shape = GRID) -> tuple[list[Point], list[str]]:
    """The distinct variants of a grid, and a line for each point folded into an earlier one, with a knob that it does
    not read, or without an axis that its options do not have. A grid of one point is as strict as a run.

    Raises Problems naming every grid point that cannot be composed, before anything is computed.
    """
    maker = _Maker(overrides, shape)
    found = _Found()
    for combination in maker.combinations():
        label = combination.label or (BASE if shape.alone and maker.many else "variant")
        try:
            made, experiment, data = maker.made(combination)
        except RagbenchError as error:
            if not maker.many:
                raise
            lines = error.problems if isinstance(error, Problems) else [str(error)]
            found.problems += [f"{label}: {line}" for line in lines]
            continue
        label = made.label or label
        at = dict(made.at)
        if shape.alone:
            shown = {key: _shown(experiment, data, key) for key in maker.axes if key not in at}
            at |= {key: value for key, value in shown.items() if value}
        found.add(made.overrides, label, experiment, _read(at, experiment))
    found.problems += maker.problems()
    if found.problems:
        raise Problems("sweep", list(dict.fromkeys(found.problems)), "Nothing was computed.")
    return found.points(), [*maker.notes(), *found.folded]


@dataclass
class _Found:
    """Points by what they come out as."""

    kept: dict[str, Point] = field(default_factory=dict)
    twins: dict[str, list[Twin]] = field(default_factory=dict)
    folded: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    seen: set[tuple[str, ...]] = field(default_factory=set)

    def add(self, overrides: tuple[str, ...], label: str, experiment: Experiment, at: Mapping[str, str]) -> None:
        """Take a point in, once for the same overrides."""
        if overrides in self.seen:
            return
        self.seen.add(overrides)
        # Two sets of one name in two folders are two variants.
        key = f"{experiment.fingerprint()} {experiment.source.folder().resolve()}"
        unused = f" ({'; '.join(experiment.unused)})" if experiment.unused else ""
        if key in self.kept:
            self.twins.setdefault(key, []).append(Twin(label, at))
            self.folded.append(f"{label} is the same variant as {self.kept[key].label}{unused}")
            return
        if unused:
            self.folded.append(f"{label} leaves something without effect{unused}")
        self.kept[key] = Point(overrides, label, experiment, at)

    def points(self) -> list[Point]:
        return [replace(point, twins=tuple(self.twins.get(key, ()))) for key, point in self.kept.items()]


class _Maker:
    """Makes experiments of combinations, each without the axes that do not exist there."""

    def __init__(self, overrides: Sequence[str], shape: Shape) -> None:
        self.axes = axes(overrides)
        self.shape = shape
        self._combinations = shape.combinations(overrides)
        self.many = len(self._combinations) > 1
        self._composer = Composer(many=self.many)
        self._groups = set(groups())
        self._lacking: dict[tuple[str, tuple[str, ...]], ConfigError] = {}
        self._left_out: dict[str, dict[str, None]] = {}
        self._there: set[str] = set()
        self._held: set[str] = set()

    def combinations(self) -> Iterator[Combination]:
        """Those of the shape, without the axes whose condition does not hold."""
        for combination in self._combinations:
            for when in self.shape.when:
                if when.key not in combination.at:
                    continue
                rest = combination.without(when.key)
                found = rest.at.get(when.other)
                if when.holds(self._value(rest, when.other) if found is None else found):
                    self._held.add(when.told)
                else:
                    combination = rest
            yield combination

    def made(self, combination: Combination) -> tuple[Combination, Experiment, Composed]:
        """The combination without axes that its options do not have, and what it comes out as."""
        while True:
            chosen = tuple(item for item in combination.overrides if key_of(item) in self._groups)
            lacking = next((key for key in combination.at if (key, chosen) in self._lacking), None)
            if lacking is None:
                try:
                    composed = self._composer.compose(combination.overrides)
                    made = build(composed, lenient=self.many, composer=self._composer)
                    self._there.update(combination.at)
                    return combination, made, composed
                except ConfigError as error:
                    lacking = error.thing.removeprefix("key ")
                    if not self.many or lacking not in combination.at:
                        raise
                    self._lacking[lacking, chosen] = error
            combination = combination.without(lacking)
            self._left_out.setdefault(lacking, {})[combination.label or "the others"] = None

    def problems(self) -> list[str]:
        """A line for each axis that exists nowhere, and for each condition that holds nowhere."""
        nowhere = {key: str(error) for (key, _), error in self._lacking.items() if key not in self._there}
        never = [when for when in self.shape.when if when.told not in self._held]
        return [*nowhere.values(), *(_never(when.told, when.other) for when in never)]

    def notes(self) -> list[str]:
        """A line for each axis that some variants do not have."""
        return [f"{key} is not varied where it does not exist: {_few(list(of))}" for key, of in self._left_out.items()]

    def _value(self, combination: Combination, key: str) -> str:
        try:
            composed = self._composer.compose(combination.overrides)
        except RagbenchError:
            return ""  # told where the combination itself is made
        return _found(composed, key)


def _never(told: str, other: str) -> str:
    return str(ConfigError(f"--when {told}", expected=f"a value that {other} has in some variant", found="none has it"))


def _few(labels: Sequence[str]) -> str:
    more = len(labels) - _TOLD
    return ", ".join(labels[:_TOLD]) + (f" and {more} more" if more > 0 else "")


def _found(composed: Composed, key: str) -> str:
    """The value of a group or a key of a configuration as text; empty where there is none."""
    if key in composed.choices:
        return composed.choices[key]
    node: Any = composed.data
    for part in key.lstrip("+").split("."):
        node = node.get(part) if isinstance(node, Mapping) else None
    return "" if node is None else str(node)


def _shown(experiment: Experiment, composed: Composed, key: str) -> str:
    """What the base has on an axis; a root value that a stage fills in is the stage's."""
    found = experiment.variant.get(key)
    return _found(composed, key) if found is None else str(found)


def _read(at: Mapping[str, str], experiment: Experiment) -> dict[str, str]:
    """The axes that a variant reads: on the others it has no place."""
    idle = {line.partition(":")[0].partition("=")[0] for line in experiment.unused}
    return {key: value for key, value in at.items() if key.lstrip("+") not in idle}
