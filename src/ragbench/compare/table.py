"""The comparison table of several runs: variants × headline measures, with what can and cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.compare.headline import headline, mean_of
from ragbench.eval_set.chosen import asked_of

WINDOW = "chunks/over_window_chars"
"""Stands beside the headline measures of a comparison where some variant's chunks exceed the embedder's window."""

CEILING = 0.95
"""A measure of which this share of the scored questions has the best value tells nothing apart."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One measure of one variant. `mark` is `best`, `tied` (a leader that cannot be told apart) or empty."""

    mean: float | None
    low: float | None
    high: float | None
    n_scored: int
    n_failed: int
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One variant: `name` says only what differs from the others."""

    run_id: str
    name: str
    choices: Mapping[str, Any]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several runs side by side. `differing` are the keys of the variant whose values are not all equal.

    `one_lock` (one eval set), `one_part` (the same questions of it) and `one_judge` say whether the figures, and the
    judged figures, may be compared at all; without them nothing is marked.
    """

    measures: tuple[str, ...]
    lines: tuple[Line, ...]
    differing: tuple[str, ...]
    one_lock: bool
    one_judge: bool
    one_part: bool = True


def higher_is_better(measure: str) -> bool:
    """Direction of a measure; measures that are not ours count as higher-is-better."""
    from ragbench.measure.registry import registry

    family = registry().get(measure.partition("@")[0])
    return family.higher_is_better if family else True


def quality(measure: str) -> bool:
    """Whether a headline measure says how good a variant is: not what it costs, nor what its chunks are like for the
    embedder, which is a fact of the corpus."""
    return measure != WINDOW and not measure.startswith("cost/")


def judged(measure: str) -> bool:
    """Whether a judge's verdict stands behind a measure."""
    from ragbench.measure.registry import registry

    family = registry().get(measure.partition("@")[0])
    return family.judged if family else False


def subject_of(row: Mapping[str, Any]) -> str:
    """The subject's id of a row of scores.jsonl.gz."""
    return str(row["id"] if "id" in row else row["subject"])


def compare_table(summaries: Sequence[Mapping[str, Any]]) -> Comparison:
    """Lay the runs of one sweep side by side, in the given order; no runs give an empty table."""
    measures = headline(summaries)
    if any(mean_of(one, WINDOW) for one in summaries):
        measures = (WINDOW, *measures)
    differing = differing_keys([one.get("variant") or {} for one in summaries])
    one_lock = len({(one.get("eval_set") or {}).get("lock") for one in summaries}) <= 1
    one_part = len({asked_of(one.get("eval_set")) for one in summaries}) <= 1
    one_judge = len({repr(sorted((one.get("judge") or {}).items())) for one in summaries}) <= 1
    columns = []
    for name in measures:
        cells = [_cell((one.get("metrics") or {}).get(name) or {}) for one in summaries]
        comparable = one_lock and one_part and (one_judge or not judged(name))
        columns.append(mark_best(cells, higher_is_better(name)) if comparable else cells)
    names = variant_names(summaries, differing)
    lines = tuple(
        Line(str(one.get("run_id", "")), names[row], dict(one.get("variant") or {}), tuple(c[row] for c in columns))
        for row, one in enumerate(summaries)
    )
    return Comparison(measures, lines, differing, one_lock, one_judge, one_part)


def differing_keys(variants: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Keys whose values are not equal in all variants, in order of first appearance; `variant` (the preset) last."""
    keys = list(dict.fromkeys(key for one in variants for key in one))
    found = [key for key in keys if len({repr(one.get(key)) for one in variants}) > 1]
    return tuple(sorted(found, key=lambda key: key == "variant"))


def variant_names(summaries: Sequence[Mapping[str, Any]], differing: Sequence[str]) -> list[str]:
    """A name for each run from what differs: the preset where it differs, then the keys it does not settle, then the
    eval set where runs have different ones.

    A key is told by its last part where no other differing key ends in it: `scale=zscore`. Doubled names get the run id
    behind them; runs that differ in nothing have their preset's name.
    """
    variants = [one.get("variant") or {} for one in summaries]
    presets = [str(variant.get("variant")) for variant in variants]
    keys = [key for key in differing if key != "variant"]
    if "variant" in differing:
        keys = [key for key in keys if not _settled(presets, [repr(variant.get(key)) for variant in variants])]
    ends = [key.rpartition(".")[2] for key in keys]
    short = {key: end if ends.count(end) == 1 else key for key, end in zip(keys, ends)}
    sets = [str((one.get("eval_set") or {}).get("name") or "") for one in summaries]
    names = []
    for one, variant, preset, asked in zip(summaries, variants, presets, sets):
        parts = [preset] if "variant" in differing else []
        parts += [f"{short[key]}={_plain(variant.get(key))}" for key in keys]
        if len(set(sets)) > 1 and asked:
            parts = [*(parts or [str(variant.get("variant") or "")]), asked]
        names.append(", ".join(filter(None, parts)) or str(variant.get("variant") or one.get("run_id", "")))
    return [
        f"{name} ({one.get('run_id', '')})" if names.count(name) > 1 and one.get("run_id") not in (None, name) else name
        for name, one in zip(names, summaries)
    ]


def _settled(presets: Sequence[str], values: Sequence[str]) -> bool:
    """Whether runs of one preset always have one value."""
    return len(set(zip(presets, values))) == len(set(presets))


def mark_best(cells: Sequence[Cell], higher: bool) -> list[Cell]:
    """Mark the one cell whose interval lies clear of all others `best`; else the leader and all that overlap it `tied`.
    A figure that is shown with the same digits as the leader's is tied with it.

    Intervals are of single runs: lying apart is stricter than a paired test, so a marked best is safe and a tie may
    still be told apart by `compare`. A scored cell alone gets no mark.
    """
    scored = [(index, cell) for index, cell in enumerate(cells) if cell.mean is not None]
    if len(scored) < 2:
        return list(cells)
    sign = 1 if higher else -1
    leader = max(scored, key=lambda pair: (sign * _number(pair[1].mean), -pair[0]))[0]
    near = [index for index, cell in scored if index != leader and _near(cells[leader], cell, sign)]
    marks = dict.fromkeys([leader, *near], "tied") if near else {leader: "best"}
    return [
        Cell(cell.mean, cell.low, cell.high, cell.n_scored, cell.n_failed, marks.get(index, ""))
        for index, cell in enumerate(cells)
    ]


def saturated(values: Sequence[float], best: float = 1.0) -> bool:
    """Whether at least 95 % of the scored values are the best one (no values: False)."""
    return bool(values) and sum(value >= best for value in values) >= CEILING * len(values)


def group_size(row: Mapping[str, Any]) -> int:
    """Number of questions of a group of `summary.by_…`: all three counts of the fullest measure together."""
    fields = ("n_scored", "n_na", "n_failed")
    rows = [one for one in row.values() if isinstance(one, Mapping)]
    return max((sum(int(one.get(field) or 0) for field in fields) for one in rows), default=0)


def number(value: float | None) -> str:
    """A figure as tables show it: three decimals below 10, one below 1000, none above; `–` for none."""
    if value is None:
        return "–"
    if abs(value) < 10:
        return f"{value:.3f}"
    return f"{value:.1f}" if abs(value) < 1000 else f"{value:,.0f}"


def signed(value: float | None) -> str:
    """A difference with its sign, three decimals; `–` for none."""
    if value is None:
        return "–"
    return "0.000" if round(value, 3) == 0 else f"{value:+.3f}".replace("-", "−")


def _near(leader: Cell, other: Cell, sign: int) -> bool:
    return number(leader.mean) == number(other.mean) or not _clear(leader, other, sign)


def _clear(leader: Cell, other: Cell, sign: int) -> bool:
    near = leader.low if sign > 0 else leader.high
    far = other.high if sign > 0 else other.low
    if near is None or far is None:
        return False
    return sign * (near - far) > 0


def _cell(row: Mapping[str, Any]) -> Cell:
    return Cell(
        row.get("mean"), row.get("low"), row.get("high"), int(row.get("n_scored") or 0), int(row.get("n_failed") or 0)
    )


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _plain(value: Any) -> str:
    if value is None:
        return "default"
    return str(value)
