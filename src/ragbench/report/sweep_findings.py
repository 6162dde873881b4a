"""The findings of a sweep in words, tables and charts: the best, effects of axes, knees, and what quality costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare.table import number, signed
from ragbench.report.charts import Interval
from ragbench.report.experiment_charts import forest, knee_curve
from ragbench.report.labels import Labels
from ragbench.report.sweep_charts import front_plot

View = dict[str, Any]
Row = Mapping[str, Any]
_NAMED = 4


def findings_view(findings: Sequence[Row], names: Mapping[str, str], labels: Labels) -> list[View]:
    """A part for each measure; `names` are those of the variants by run id. Findings on runs that are not shown are
    left out."""
    return [_part(one, names, labels) for one in findings if one["best"]["run_id"] in names]


def _part(one: Row, names: Mapping[str, str], labels: Labels) -> View:
    measure = labels.measure_in_list(one["measure"])
    best = one["best"]
    return {
        "id": one["measure"],
        "name": measure,
        "meaning": labels.measure_meaning(one["measure"]),
        "verdict": _verdict(best, names, measure, labels),
        "behind": [_behind(row, names, labels) for row in sorted(best["behind"], key=lambda row: row["mean"])],
        "effects": [_effect(effect, measure, labels) for effect in one["effects"]],
        "curves": [_curve(found, measure, labels) for found in one["curves"]],
        "front": _front(one["front"], best, names, measure, labels),
    }


def _verdict(best: Row, names: Mapping[str, str], measure: str, labels: Labels) -> str:
    told = {"name": names[best["run_id"]], "mean": number(best["mean"]), "interval": _interval(best), "n": best["n"]}
    tied = [names.get(run_id, run_id) for run_id in best["tied"]]
    if not tied:
        return labels("f_best_alone", measure=measure, others=len(best["behind"]), **told)
    found = [row["detectable"] for row in best["behind"] if not row["apart"] and row["detectable"]]
    more = labels("f_detectable", least=number(max(found))) if found else ""
    return labels("f_best_tied", measure=measure, tied=few(tied, labels), **told) + more


def few(names: Sequence[str], labels: Labels) -> str:
    """The first few names and how many more there are."""
    more = len(names) - _NAMED
    shown = labels("f_comma").join(names[:_NAMED])
    return shown + (labels("f_more", n=more) if more > 0 else "")


def _behind(row: Row, names: Mapping[str, str], labels: Labels) -> View:
    return {
        "name": names.get(row["run_id"], row["run_id"]),
        "mean": signed(-row["mean"]),
        "interval": _interval({"low": _minus(row["high"]), "high": _minus(row["low"])}, signed),
        "p": "–" if row["p"] is None else f"{row['p']:.4f}",
        "apart": row["apart"],
        "says": labels("f_apart" if row["apart"] else "s_tied"),
    }


def _minus(value: float | None) -> float | None:
    return None if value is None else -value


def _effect(effect: Row, measure: str, labels: Labels) -> View:
    key = "f_effect_base" if effect["is_base"] else "f_effect_best"
    title = labels(key, axis=effect["axis"], reference=effect["reference"], measure=measure)
    better = effect["better"]
    rows: list[tuple[str, Interval, str]] = [
        (row["value"], (row["mean"], row["low"], row["high"]), _outcome(row, better)) for row in effect["values"]
    ]
    return {
        "title": title,
        "chart": forest(rows, [], title) if len(rows) > 1 else "",
        "rows": [
            {
                "value": row["value"],
                "mean": signed(row["mean"]),
                "interval": _interval(row, signed),
                "p": "–" if row["p"] is None else f"{row['p']:.4f}",
                "n": row["n"],
                "pairs": row["pairs"],
                "outcome": _outcome(row, better),
                "says": labels("f_apart" if row["apart"] else "s_tied"),
            }
            for row in effect["values"]
        ],
    }


def _outcome(row: Row, better: int) -> str:
    if not row["apart"]:
        return ""
    return "confirmed" if row["mean"] * better > 0 else "refuted"


def _curve(found: Row, measure: str, labels: Labels) -> View:
    points: list[tuple[float, Interval]] = [
        (one["value"], (one["mean"], one["low"], one["high"])) for one in found["points"]
    ]
    told = {"axis": found["axis"], "n": found["n"], "measure": measure, "settings": found["settings"]}
    caption = labels("f_curve", **told)
    note = ""
    if found["knee"] is not None:
        rises = found["knee"] == found["points"][-1]["value"]
        note = labels("f_rises" if rises else "f_knee", best=f"{found['best']:g}", knee=f"{found['knee']:g}", **told)
    return {
        "caption": caption,
        "note": note,
        "chart": knee_curve(found["axis"], {measure: points}, found["knee"], caption),
    }


def _front(front: Row | None, best: Row, names: Mapping[str, str], measure: str, labels: Labels) -> View | None:
    if not front:
        return None
    rows = sorted(front["rows"], key=lambda row: (not row["front"], row["ms"]))
    able = {best["run_id"], *best["tied"]}
    fast = min((row for row in rows if row["run_id"] in able), key=lambda row: row["ms"], default=None)
    other = fast is not None and fast["run_id"] != best["run_id"]
    drawn = [(names.get(row["run_id"], row["run_id"]), row["ms"], row["mean"], row["front"]) for row in rows]
    unit = labels("f_tokens") if front["unit"] == "tokens" else front["unit"]
    words = (labels("f_ms"), measure)
    return {
        "unit": unit,
        "fastest": labels("f_fastest", name=names.get(fast["run_id"], ""), ms=f"{fast['ms']:.1f}")
        if fast and other
        else "",
        "chart": front_plot(drawn, words, labels("f_front", measure=measure), front["better"] > 0),
        "rows": [
            {
                "name": names.get(row["run_id"], row["run_id"]),
                "mean": number(row["mean"]),
                "ms": f"{row['ms']:.1f}",
                "cost": "" if row["cost"] is None else f"{row['cost']:.4g}",
                "front": row["front"],
            }
            for row in rows
        ],
    }


def _interval(row: Row, shown: Any = number) -> str:
    return f"{shown(row['low'])} – {shown(row['high'])}" if row["low"] is not None else ""
