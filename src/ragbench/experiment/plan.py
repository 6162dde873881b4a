"""What a study runs: eval sets × arms × variants, composed and checked before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from ragbench.errors import ConfigError, Problems, RagbenchError
from ragbench.evaluate.defaults import default_names
from ragbench.experiment.available import CHOSEN_MODEL, lacks_model, missing_model
from ragbench.experiment.sets import ReadySet
from ragbench.experiment.study import Study
from ragbench.run.build import build
from ragbench.run.compose import Composer
from ragbench.run.grid import axes, check_form
from ragbench.run.sweep import Point

TUNING = "dev"
"""The split that values are chosen on."""


class Cell(NamedTuple):
    """The place of one variant: eval set, arm, variant; `split` is `dev` for a run that values are chosen on."""

    eval_set: str
    arm: str
    variant: str
    split: str = ""

    def __str__(self) -> str:
        return " · ".join(filter(None, self))


@dataclass(frozen=True)
class Planned:
    """The points to run, each under its cell's label; `same` maps a cell to the equal one that is run in its place,
    `unavailable` the cells of optional variants to the model that is not on this machine."""

    points: Mapping[Cell, Point]
    same: Mapping[Cell, Cell] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unavailable: Mapping[Cell, str] = field(default_factory=dict)

    def cell_of(self, point: Point) -> Cell:
        """The cell of a point of this plan."""
        return next(cell for cell, one in self.points.items() if one is point)


def given_overrides(study: Study, overrides: Sequence[str]) -> dict[str, str]:
    """Overrides of the command line by key.

    Raises ConfigError for one that would vary a second thing or set the one that is varied.
    """
    found: dict[str, str] = {}
    for item in overrides:
        check_form(item)
        key, _, value = item.partition("=")
        if axes([item]):
            raise ConfigError(
                item, expected="one value", found="a list", hint="An experiment varies one thing; use ragbench sweep."
            )
        if key in study.varied_keys:
            hint = f"Copy its file to experiments/ and change it there, or use ragbench sweep {key}=…"
            raise ConfigError(key, expected=f"not to be set: {study.name} varies it", found=item, hint=hint)
        found[key] = value
    return found


def make_plan(study: Study, sets: Sequence[ReadySet], given: Mapping[str, str]) -> Planned:
    """Compose every cell; what the command line says wins over the file.

    Two cells of one set that come out as the same variant are run once. Raises Problems naming every cell that cannot
    be composed.
    """
    points: dict[Cell, Point] = {}
    same: dict[Cell, Cell] = {}
    unavailable: dict[Cell, str] = {}
    notes: list[str] = []
    idle: dict[str, list[str]] = {}
    problems: list[str] = []
    seen: dict[tuple[str, str, str], Cell] = {}
    composer = Composer()
    for cell, overrides in _cells(study, sets, given):
        try:
            experiment = build(composer.compose(overrides), lenient=True, composer=composer)
        except RagbenchError as error:
            if cell.variant in study.optional and lacks_model(error):
                unavailable[cell] = CHOSEN_MODEL
            else:
                problems += _told(cell, error)
            continue
        if cell.variant in study.optional and (model := missing_model(experiment)):
            unavailable[cell] = model
            continue
        key = (cell.eval_set, cell.split, experiment.fingerprint())
        if key in seen:
            same[cell] = seen[key]
            notes.append(f"{cell} is the same variant as {seen[key].variant}")
            continue
        for line in experiment.unused:
            idle.setdefault(line, []).append(f"{cell.arm} {cell.variant}".strip())
        if experiment.pipeline.oracles:
            notes.append(f"{cell.variant} is an oracle: it reads gold of the questions; an upper reference, no system")
        seen[key] = cell
        points[cell] = Point(overrides, str(cell), experiment)
    if problems:
        raise Problems(f"experiment {study.name}", list(dict.fromkeys(problems)), "Nothing was computed.")
    return Planned(points, same, tuple(dict.fromkeys([*notes, *_notes(unavailable, idle)])), unavailable)


def _notes(unavailable: Mapping[Cell, str], idle: Mapping[str, Sequence[str]]) -> list[str]:
    """What is told of variants that lack a model, and of knobs that nobody reads."""
    gone = [
        f"{cell.variant} is not run: the model {model} is not on this machine" for cell, model in unavailable.items()
    ]
    return gone + [f"{', '.join(dict.fromkeys(variants))}: {line}" for line, variants in idle.items()]


def _told(cell: Cell, error: RagbenchError) -> list[str]:
    """What is wrong with a cell, a line each."""
    lines = error.problems if isinstance(error, Problems) else [str(error)]
    return [f"{cell.arm} {cell.variant}: {line}".strip() for line in lines]


def _cells(study: Study, sets: Sequence[ReadySet], given: Mapping[str, str]) -> list[tuple[Cell, tuple[str, ...]]]:
    found = []
    extra = [name for name in study.metrics if name not in default_names()]
    measures = {"measures": f"[{','.join(['default', *extra])}]"} if extra else {}
    for one in sets:
        for (arm, of_arm), (variant, of_variant) in product(study.arms.items(), study.variants.items()):
            for role, split in _splits(study, one, given):
                chosen = {**measures, **study.base, **of_arm, **of_variant, **split, **given, **one.overrides}
                overrides = tuple(f"{key}={value}" for key, value in chosen.items())
                found.append((Cell(one.name, arm, variant, role), overrides))
    return found


def _splits(study: Study, one: ReadySet, given: Mapping[str, str]) -> list[tuple[str, dict[str, str]]]:
    """The runs of one variant on one set: where values are chosen, one on the questions of `dev` and one on those of
    `test`; all questions of a set without such splits of its own."""
    if not study.tunes or "split" in given:
        return [("", {})]
    if one.own_splits:
        return [("", {"split": "test"}), (TUNING, {"split": TUNING})]
    return [("", {"split": "all"})]
