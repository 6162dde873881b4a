"""The comparison report of a sweep: variants side by side, what differs, what could not be told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragbench import __version__
from ragbench.compare.table import Cell, Comparison, compare_table, higher_is_better, number, quality
from ragbench.core.codec import read_json
from ragbench.eval_set.chosen import asked_of
from ragbench.report import charts
from ragbench.report.html import in_all_languages, json_lines, spoken, write_page
from ragbench.report.labels import Labels
from ragbench.report.links import relative_link
from ragbench.report.reasons import reason
from ragbench.report.sweep_findings import findings_view
from ragbench.report.sweep_groups import category_tables
from ragbench.report.sweep_stages import stages_table
from ragbench.report.view_compare import compare_borders
from ragbench.report.view_facts import plain, stage_counts
from ragbench.report.view_judge import judge_notes
from ragbench.report.view_pairs import pairs_headline, pairs_view
from ragbench.report.view_query import oracle_note
from ragbench.report.view_questions import TextOf
from ragbench.report.view_turned import TurnedList, TurnedPair, turned_list, turned_pair
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir

View = dict[str, Any]

BESIDE = 6
"""Up to this many variants stand side by side, a measure a row; more of them are rows themselves."""


def write_sweep_report(
    sweep_folder: Path, runs: Sequence[RunDir], target: Path, lang: str, text_of: TextOf = lambda _: None
) -> Path:
    """Write the comparison report of the finished runs of a sweep and return its path, in every language, `lang` shown
    first; without runs it says so.

    `text_of(doc_id)` gives the text of a document of the runs, None where it is not at hand: chunk borders are then not
    drawn. `sweep_folder` without a sweep.json only gives the page its name. Links to the runs' own reports are
    relative, so that the folder of runs can be moved as a whole. Raises ConfigError for a language other than `en` and
    `zh`.
    """
    path = sweep_folder / layout.SWEEP
    sweep: Mapping[str, Any] = read_json(path) if path.is_file() else {}
    data: dict[str, str] = {}
    pages: list[tuple[Labels, View]] = []
    listed: TurnedList | None = None
    for labels in spoken(lang):
        view = sweep_view(sweep_folder.name, sweep, runs, target, labels)
        borders = compare_borders(runs, [row["name"] for row in view["rows"]], text_of, labels)
        if borders and not borders["note"]:
            data = {"borders": json_lines(borders["rows"]), "border-sets": json_lines(borders["sets"])}
        pairs = pairs_view(runs, text_of, labels)
        view |= {"borders": borders, "pairs": pairs, "headline": pairs_headline(pairs, labels) or view["headline"]}
        listed = listed or turned_list(_turned_pairs(runs, pairs, labels), target)
        view["turned"] = listed.view(labels)
        pages.append(
            (labels, {"v": view, "rows_here": not pages, "title": f"{sweep_folder.name} · {labels('sweep_title')}"})
        )
    data |= listed.data([labels for labels, _ in pages]) if listed else {}
    return write_page(target, in_all_languages("sweep_page.html", pages, data))


def sweep_view(name: str, sweep: Mapping[str, Any], runs: Sequence[RunDir], target: Path, labels: Labels) -> View:
    """The comparison as plain data."""
    summaries = [run.summary for run in runs]
    table = compare_table(summaries)
    points = [point for point in sweep.get("points") or () if isinstance(point, Mapping)]
    by_run = {str(point.get("run_id")): point for point in points if point.get("run_id")}
    return {
        "sweep_id": name,
        "version": __version__,
        "set": _set_name(summaries) or labels("unknown"),
        "n": len(runs),
        "headline": _headline(table, labels),
        "warnings": [
            *_warnings(table, summaries, labels),
            *_processors(runs, labels),
            *_oracles(table, summaries, labels),
        ],
        "measures": [
            (labels.measure(m), labels.layer(m.partition("/")[0]), m, not higher_is_better(m)) for m in table.measures
        ],
        "beside": len(runs) <= BESIDE,
        "rows": [_row(line, run, by_run, target, labels) for line, run in zip(table.lines, runs)],
        "chart": _chart(table, labels),
        "findings": findings_view(
            sweep.get("findings") or (), {line.run_id: line.name for line in table.lines}, labels
        ),
        "effects": stages_table(summaries, [line.name for line in table.lines], labels),
        "categories": category_tables(summaries, [line.name for line in table.lines], labels),
        "differing": list(table.differing),
        "failed": [(str(p.get("label")), str(p.get("error", ""))) for p in points if p.get("status") == "failed"],
        "folded": [reason(str(text), labels) for text in sweep.get("folded") or ()],
        "stages": _stage_totals([run.manifest.get("stages") or {} for run in runs], labels),
    }


def _turned_pairs(runs: Sequence[RunDir], pairs: View | None, labels: Labels) -> list[TurnedPair]:
    """Each run against the first; runs that may not be compared against the first of their own eval set and part."""
    if pairs is not None:
        return [pair["found"] for pair in pairs["pairs"]]
    lines = compare_table([run.summary for run in runs]).lines
    bases: dict[str, tuple[str, RunDir]] = {}
    found = []
    for line, run in zip(lines, runs):
        asked = run.summary.get("eval_set") or {}
        name, base = bases.setdefault(repr((asked.get("lock"), asked_of(asked))), (line.name, run))
        if base is not run:
            group = _set_name([run.summary]) or labels("unknown")
            found.append(turned_pair(group, (name, line.name), base, run))
    return found


def _row(line: Any, run: RunDir, points: Mapping[str, Any], target: Path, labels: Labels) -> View:
    stages = run.manifest.get("stages") or (points.get(run.run_id) or {}).get("stages") or {}
    return {
        "run_id": run.run_id,
        "name": line.name,
        "link": relative_link(run.folder / layout.REPORT, target),
        "n": run.manifest.get("n_questions", len(run.questions)),
        "choices": {key: "–" if value is None else str(value) for key, value in line.choices.items()},
        "cells": [_cell(cell, labels) for cell in line.cells],
        "reused": stage_counts(stages.get("reused"), labels),
        "computed": stage_counts(stages.get("computed"), labels),
    }


def _cell(cell: Cell, labels: Labels) -> View:
    return {
        "mean": number(cell.mean),
        "interval": f"{number(cell.low)}–{number(cell.high)}" if cell.low is not None else "",
        "mark": cell.mark,
        "mark_name": labels(f"s_{cell.mark}") if cell.mark else "",
        "failed": cell.n_failed,
    }


def _chart(table: Comparison, labels: Labels) -> str:
    """A curve where one numeric knob is all that differs, else bars.

    Only shares of which more is better are drawn, so that longer always means better, and of these only those in which
    the variants differ; the table has all.
    """
    places = [
        at
        for at, name in enumerate(table.measures)
        if charts.drawable(name) and len({number(line.cells[at].mean) for line in table.lines}) > 1
    ]
    if len(table.lines) < 2:
        return ""
    names = {at: labels.measure_in_list(table.measures[at]) for at in places}
    knob = numeric_knob(table)
    if knob is not None:
        xs = [float(line.choices[knob]) for line in table.lines]
        curves = {
            names[at]: [(x, value) for x, line in zip(xs, table.lines) if (value := _interval(line.cells[at]))]
            for at in places
        }
        return charts.knob_curve(knob, curves, labels("s_chart"))
    bars = {names[at]: [_interval(line.cells[at]) for line in table.lines] for at in places}
    return charts.grouped_bars([line.name for line in table.lines], bars, labels("s_chart"))


def numeric_knob(table: Comparison) -> str | None:
    """The one key that differs, when all its values are different numbers; None otherwise."""
    if len(table.differing) != 1:
        return None
    knob = table.differing[0]
    values = [line.choices.get(knob) for line in table.lines]
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        return None
    return knob if len(set(values)) == len(values) else None


def _interval(cell: Cell) -> charts.Interval | None:
    return None if cell.mean is None else (cell.mean, cell.low, cell.high)


def _headline(table: Comparison, labels: Labels) -> str:
    """Which variants are best in a measure of quality, or that no two can be told apart. Times, whose intervals do not
    know what else the machine was doing, and facts of the corpus are left to the table."""
    best = [
        labels("s_wins", name=line.name, measures=labels("s_comma").join(won))
        for line in table.lines
        if (
            won := [
                labels.measure_with_direction(m)
                for m, c in zip(table.measures, line.cells)
                if c.mark == "best" and quality(m)
            ]
        )
    ]
    if best:
        return labels("s_stop").join(best)
    return labels("s_no_best") if len(table.lines) > 1 else labels("s_nothing")


def _oracles(table: Comparison, summaries: Sequence[Mapping[str, Any]], labels: Labels) -> list[str]:
    """A line for each variant that reads gold of the questions."""
    pairs = zip(table.lines, summaries, strict=True)
    return [f"{line.name}{labels('s_stop')}{note}" for line, one in pairs if (note := oracle_note(one, labels))]


def _warnings(table: Comparison, summaries: Sequence[Mapping[str, Any]], labels: Labels) -> list[str]:
    found = [] if table.lines else [labels("s_no_runs")]
    if not table.one_lock:
        found.append(labels("s_locks"))
    elif not table.one_part:
        found.append(labels("s_parts"))
    if not table.one_judge:
        found.append(labels("s_judges"))
    return [*found, *dict.fromkeys(note for one in summaries for note in judge_notes(one, labels))]


def _processors(runs: Sequence[RunDir], labels: Labels) -> list[str]:
    """A line where runs with an int8 embedder were made on processors that add up int8 in different ways. Runs that do
    not say theirs are left out."""
    kinds: dict[str, str] = {}
    for run in runs:
        made = run.manifest.get("provenance") or {}
        instructions = (made.get("cpu") or {}).get("int8")
        if instructions is not None and "int8" in plain(run.manifest.get("runtime")):
            kinds.setdefault(f"{made.get('platform')} ({plain(instructions) or labels('none')})", run.run_id)
    told = labels("s_comma").join(f"{run_id}: {kind}" for kind, run_id in kinds.items())
    return [labels("s_processors", runs=told)] if len(kinds) > 1 else []


def _set_name(summaries: Sequence[Mapping[str, Any]]) -> str:
    sets = [one.get("eval_set") or {} for one in summaries]
    names = [" ".join(str(one[key]) for key in ("name", "version") if one.get(key)) for one in sets]
    return ", ".join(dict.fromkeys(names))


def _stage_totals(stages: Sequence[Mapping[str, Any]], labels: Labels) -> list[tuple[str, str]]:
    embedded = sum(int((one.get("embedded") or {}).get("texts") or 0) for one in stages)
    found = []
    for key in ("reused", "computed"):
        total: Counter[str] = Counter()
        for one in stages:
            total.update({str(kind): int(n) for kind, n in (one.get(key) or {}).items()})
        found.append((labels(key), stage_counts(total, labels) or "0"))
    return [*found, (labels("texts_embedded"), f"{embedded:,}")]
