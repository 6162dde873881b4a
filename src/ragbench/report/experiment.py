"""The report of an experiment: claim, verdict, curves, paired differences, and what differed; one HTML file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragbench import __version__
from ragbench.core.codec import read_json
from ragbench.errors import DataError
from ragbench.report.experiment_best import best_table
from ragbench.report.experiment_charts import forest
from ragbench.report.experiment_curves import curve_sections, knee_table
from ragbench.report.experiment_tables import category_sections, difference_sections
from ragbench.report.experiment_words import Words, joined, signed, unavailable_lines
from ragbench.report.html import in_all_languages, spoken, write_page
from ragbench.report.labels import Labels
from ragbench.report.links import relative_link
from ragbench.report.view_turned import TurnedPair, turned_list, turned_pair
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir

View = dict[str, Any]

FEWEST = 20


def write_experiment_report(folder: Path, target: Path, lang: str) -> Path:
    """Write the report of the experiment in a folder and return its path: in every language, `lang` shown first.

    Raises ConfigError for a language other than `en` and `zh`, and DataError where there is no finished experiment.
    """
    found = read_experiment(folder)
    linked = {
        point["run_id"]: relative_link(folder.parent / point["run_id"] / layout.REPORT, target)
        for point in found["points"]
    }
    listed = turned_list(_turned_pairs(found, folder.parent), target)
    pages: list[tuple[Labels, View]] = []
    for labels in spoken(lang):
        words = Words(labels.lang)
        view = experiment_view(found, words, linked) | {"turned": listed.view(labels)}
        pages.append(
            (labels, {"v": view, "x": words, "rows_here": not pages, "title": f"{view['name']} · {words('title')}"})
        )
    return write_page(target, in_all_languages("experiment_page.html", pages, listed.data([one for one, _ in pages])))


def read_experiment(folder: Path) -> dict[str, Any]:
    """The content of experiment.json; raises DataError where there is none that can be read."""
    path = folder / layout.EXPERIMENT
    try:
        found: dict[str, Any] = read_json(path)
    except (OSError, ValueError) as error:
        hint = "Run it again with ragbench experiment; finished stages are reused."
        raise DataError(str(path), expected="a finished experiment", found=str(error), hint=hint) from error
    return found


def _turned_pairs(found: Mapping[str, Any], runs: Path) -> list[TurnedPair]:
    """Each variant against the baseline of its eval set and arm; runs that are no longer there are left out."""
    opened = {one["run_id"]: _run(runs / one["run_id"]) for one in found["points"]}
    there = {run_id: run for run_id, run in opened.items() if run is not None}
    points = [one for one in found["points"] if one["run_id"] in there]
    bases = {(one["set"], one["arm"]): one for one in points if one["variant"] == found["baseline"]}
    pairs = []
    for one in points:
        base = bases.get((one["set"], one["arm"]))
        if base is not None and base["run_id"] != one["run_id"]:
            a, b = there[base["run_id"]], there[one["run_id"]]
            names = (base["variant"], one["variant"])
            pairs.append(turned_pair(joined([one["set"], one["arm"]]), names, a, b))
    return pairs


def _run(folder: Path) -> RunDir | None:
    try:
        return RunDir(folder)
    except DataError:
        return None


def experiment_view(found: Mapping[str, Any], words: Words, linked: Mapping[str, str]) -> View:
    """The experiment as plain data; `linked` are the ways to the runs' own reports, empty where there is none."""
    total = len(found["sets"]) + len(found["missing"])
    return {
        "id": found["experiment_id"],
        "name": found["experiment"],
        "version": __version__,
        "claim": found["claim"].get(words.lang) or found["claim"]["en"],
        "outcome": found["verdict"],
        "baseline": found["baseline"],
        "lead": words(
            "lead",
            n=len(found["sets"]),
            total=total,
            variants=len(found["variants"]),
            baseline=found["baseline"],
            varied=found["key"] or words("named_variants"),
        ),
        "missing": [words.missing(one) for one in found["missing"]] + unavailable_lines(found, words),
        "failed": [(one["label"], one["error"]) for one in found["failed"]],
        "checks": [_check(check, words) for check in found["checks"]],
        "curves": curve_sections(found, words),
        "knees": knee_table(found, words),
        "bests": best_table(found, words),
        "sizes": found["key"] in ("chunk_size", "overlap"),
        "tables": difference_sections(found, words),
        "trades": [trade_line(row, words) for row in found["trade_offs"]],
        "categories": category_sections(found, words),
        "overlap": overlap_lines(found, words),
        "points": _points(found, words, linked),
        "differing": found["differing"],
        "timed": any(point["split_ms"] is not None for point in found["points"]),
        "asked": any(point.get("query_ms") for point in found["points"]),
        "base": [f"{key}={value}" for key, value in found["base"].items()],
        "sets": [_set_line(one, words) for one in found["sets"]],
        "notes": found["notes"],
        "fewest": FEWEST,
    }


def _check(check: Mapping[str, Any], words: Words) -> View:
    return {
        "says": words.check(check),
        "code": check["outcome"],
        "outcome": words.outcome(check["outcome"]),
        "reason": words.reason(check["reason"]),
        "facts": words.facts(check),
        "legs": [_leg(leg, words) for leg in check["legs"]],
    }


def _leg(leg: Mapping[str, Any], words: Words) -> View:
    """One comparison: pooled first, then sets, then languages."""
    kind = leg["test"]["kind"]
    pooled = {"name": words("pooled"), "found": leg["pooled"], "outcome": leg["outcome"], "excluded": ""}
    groups = [pooled, *leg["sets"], *leg["languages"]]
    used = [one for one in groups if not one["excluded"] and one["found"]["mean"] is not None]
    sides = {"at_most": ("high",), "below": ("high",), "between": ("low", "high")}.get(kind, ("low",))
    bounds = [leg["test"][side] for side in sides]
    drawn = [(one["name"], _interval(one["found"]), one["outcome"]) for one in used]
    title = words.leg_title(leg)
    return {
        "title": title,
        "test": words.test(leg["test"]),
        "ratio": kind == "within",
        "reason": words.reason(leg["reason"]),
        "chart": forest(drawn, bounds, title) if kind != "within" else "",
        "rows": [
            {
                "name": one["name"],
                "gain": words.gain(one["found"], kind),
                "n": one["found"]["n"],
                "code": one["outcome"],
                "outcome": words.reason({"code": one["excluded"], "values": {}}) or words.outcome(one["outcome"]),
            }
            for one in groups
        ],
    }


def _interval(found: Mapping[str, Any]) -> tuple[float, float | None, float | None]:
    return found["mean"], found["low"], found["high"]


def trade_line(row: Mapping[str, Any], words: Words) -> str:
    """Which measures a variant wins and which it loses, by name."""
    up, down = (
        words("comma").join(f"{words.measure(one['metric'])} ({signed(one['mean'])})" for one in row[side])
        for side in ("up", "down")
    )
    return words("trade", place=joined([row["set"], row["arm"], row["variant"]]), up=up, down=down)


def overlap_lines(found: Mapping[str, Any], words: Words) -> list[str]:
    """Whether the resolved overlap is held fixed, for each arm."""
    lines = []
    for one in found["overlap"]:
        values = {name: words("no_overlap") if value is None else str(value) for name, value in one["values"].items()}
        arm = words("of_arm", arm=one["arm"]) if one["arm"] else ""
        if one["held"]:
            lines.append(words("overlap_held", arm=arm, value=next(iter(values.values()))))
        else:
            said = words("comma").join(f"{name} {value}" for name, value in values.items())
            lines.append(words("overlap_not_held", arm=arm, values=said))
    return lines


def _points(found: Mapping[str, Any], words: Words, linked: Mapping[str, str]) -> list[View]:
    """Every run: what differed, what it resolved to, its chunks; equal chunk sets of one eval set are told."""
    first: dict[tuple[str, str], str] = {}
    rows = []
    for point in found["points"]:
        named = joined([point["arm"], point["variant"]])
        other = first.setdefault((point["set"], point["chunks"]), named)
        fields = point["splitter"]
        size = " ".join(str(fields[key]) for key in ("chunk_size", "chunk_unit") if fields.get(key) is not None)
        overlap = "–" if fields.get("overlap") is None else fields["overlap"]
        rows.append(
            {
                "set": point["set"],
                "name": named,
                "run_id": point["run_id"],
                "link": linked.get(point["run_id"], ""),
                "choices": [point["choices"].get(key) for key in found["differing"]],
                "resolved": f"{size or '–'} / {overlap}",
                "n_chunks": point["n_chunks"],
                "same": words("same_chunks", other=other) if other != named else "",
                "query_ms": " / ".join(f"{value:,.1f}" for value in point.get("query_ms", {}).values()) or "–",
                "split_ms": "–" if point["split_ms"] is None else f"{point['split_ms']:,.2f} ms",
            }
        )
    return rows


def _set_line(one: Mapping[str, Any], words: Words) -> str:
    languages = ", ".join(f"{name} {n}" for name, n in one["languages"].items())
    part = one.get("questions")
    n = words("part_of", n=part["n"], of=part["of"]) if part else one["n_questions"]
    return f"{one['name']} {one['version'] or ''} ({one['split']}): {n} ({languages})"
