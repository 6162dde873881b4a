"""The comparison report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragbench.compare.table import compare_table
from ragbench.core.codec import write_json
from ragbench.report.charts import drawable
from ragbench.report.labels import Labels
from ragbench.report.sweep import BESIDE, numeric_knob, write_sweep_report
from ragbench.report.sweep_groups import category_tables
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir
from tests.report_fixture import make_run, make_sweep, rewrite_summary, shown


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_variants_links_failures_and_stages_are_shown(tmp_path: Path, lang: str) -> None:
    folder, runs = make_sweep(tmp_path)
    (runs[0].folder / "report.html").write_text("x", encoding="utf-8")
    text = shown(write_sweep_report(folder, runs, folder / "report.html", lang))
    assert 'href="../size200-1/report.html"' in text and "size500-1/report.html" not in text, (
        "no link to a report that is not there"
    )
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text and "<script>alert" not in text
    assert text.count("chunk_size=500") >= 2
    assert ("corpus 3, chunks 3" if lang == "en" else "文档库 3、切块 3") in text
    assert text.count("<svg") == 1
    assert ("无法区分" in text) == (lang == "zh")


def test_a_sweep_in_which_nothing_finished(tmp_path: Path) -> None:
    folder, _ = make_sweep(tmp_path, sizes=())
    text = shown(write_sweep_report(folder, [], tmp_path / "empty.html", "en"))
    assert "No variant finished" in text and "chunk_size=1" in text


def test_a_folder_without_a_sweep_file_and_one_run(tmp_path: Path) -> None:
    run = make_run(tmp_path, n_filler=1)
    text = shown(write_sweep_report(tmp_path, [run], tmp_path / "one.html", "en"))
    assert "There is nothing to compare" in text


def test_a_knob_is_numeric_and_alone(tmp_path: Path) -> None:
    _, runs = make_sweep(tmp_path)
    summaries = [run.summary for run in runs]
    assert numeric_knob(compare_table(summaries)) == "chunk_size"
    mixed = [*summaries, {**summaries[0], "variant": {**summaries[0]["variant"], "chunk_size": None}}]
    assert numeric_knob(compare_table(mixed)) is None
    two = [*summaries, {**summaries[0], "variant": {**summaries[0]["variant"], "chunk_size": 9, "alpha": 0.1}}]
    assert numeric_knob(compare_table(two)) is None
    doubled = [*summaries, summaries[0]]
    assert numeric_knob(compare_table(doubled)) is None


def test_the_headline_names_the_best_in_quality_and_never_a_time(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, f"{n}-1", n_filler=2, shift=s, variant=n) for n, s in (("bm25", -0.4), ("dense", -0.4), ("hybrid", 0.0))]  # fmt: skip
    text = shown(write_sweep_report(tmp_path, runs, tmp_path / "a.html", "en"))
    assert '<p class="verdict">hybrid is best in Recall@5' in text
    slow = {"mean": 900.0, "low": 890.0, "high": 910.0, "n_scored": 9}
    same = runs[1].summary["metrics"]
    timed = [
        rewrite_summary(run, metrics=same | {"cost/total_ms": slow | more})
        for run, more in zip(runs, ({}, {}, {"mean": 9.0, "low": 8.0, "high": 10.0}))
    ]
    text = shown(write_sweep_report(tmp_path, timed, tmp_path / "b.html", "en"))
    assert "No variant is clearly best in any headline measure of quality" in text


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("values", [(0.00937, 0.00908, 0.009), (0.4, 0.4, 0.1)], ids=["alike", "apart"])
def test_text_beyond_the_window_is_no_headline(tmp_path: Path, lang: str, values: tuple[float, ...]) -> None:
    runs = [make_run(tmp_path, f"{n}-1", n_filler=2, variant=n) for n in ("bm25", "dense", "hybrid")]
    same = runs[1].summary["metrics"]
    facts = [{"chunks/over_window_chars": {"mean": v, "low": v, "high": v, "n_scored": 1}} for v in values]
    changed = [rewrite_summary(run, metrics=same | one) for run, one in zip(runs, facts)]
    text = shown(write_sweep_report(tmp_path, changed, tmp_path / "a.html", lang))
    assert Labels(lang)("s_no_best") in text
    assert Labels(lang)("s_wins", name="hybrid", measures="") not in text


def test_categories_have_their_counts_and_few_questions_are_marked() -> None:
    def summary(mean: float, n: int) -> dict[str, object]:
        scored = {"mean": mean, "low": 0.1, "high": 0.9, "n_scored": n, "n_failed": 1}
        nothing = {"mean": None, "n_scored": 0, "n_failed": 0}
        groups = {"lookup": scored, "vague": scored | {"n_scored": 3}, "negative": nothing}
        return {"by_category": {name: {"ranking/recall@5": row} for name, row in groups.items()}}

    found = category_tables([summary(0.25, 9), summary(0.75, 11)], ["a", "b"], Labels("en"))
    assert [table["id"] for table in found] == ["ranking/recall@5"], "a measure nobody has is no table"
    columns = [(one["name"], one["n"], one["small"]) for one in found[0]["columns"]]
    assert columns == [("Lookup", "10–12", False), ("Vague", "4", True)]
    assert [(row["name"], row["cells"][0]["mean"]) for row in found[0]["rows"]] == [("a", "0.250"), ("b", "0.750")]
    assert category_tables([{}], ["a"], Labels("en")) == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_few_variants_stand_side_by_side_and_many_below_each_other(tmp_path: Path, lang: str) -> None:
    folder, runs = make_sweep(tmp_path, sizes=tuple(range(200, 200 + BESIDE + 1)))
    few, many = (
        shown(write_sweep_report(folder, some, tmp_path / f"{len(some)}.html", lang)) for some in (runs[:BESIDE], runs)
    )
    assert few.count('<th scope="col" class="n variant">') == BESIDE
    assert 'class="n variant"' not in many and many.count("</tr>") > few.count("</tr>") - len(runs)
    assert 'id="categories"' in few


def test_only_shares_of_which_more_is_better_are_drawn(tmp_path: Path) -> None:
    assert drawable("answer/correctness_f1")
    assert not drawable("answer/false_answer") and not drawable("cost/total_ms") and not drawable("query/abstained")
    runs = [make_run(tmp_path, f"{n}-1", n_filler=2, variant=n) for n in ("bm25", "dense", "hybrid")]
    figures = (
        {"mean": 0.9, "low": 0.85, "high": 0.95, "n_scored": 9},
        {"mean": 0.9, "low": 0.85, "high": 0.95, "n_scored": 9},
        {"mean": 0.1, "low": 0.0, "high": 0.2, "n_scored": 9},
    )
    changed = [
        rewrite_summary(run, metrics=run.summary["metrics"] | {"answer/false_answer": row})
        for run, row in zip(runs, figures)
    ]
    text = shown(write_sweep_report(tmp_path, changed, tmp_path / "a.html", "en"))
    assert "hybrid is best in False answers (lower is better)" in text
    assert "<svg" not in text, "all that can be drawn is equal"


def _made_on(run: RunDir, runtime: Any, **cpu: Any) -> RunDir:
    made = run.manifest["provenance"] | {"cpu": {"model": "Example CPU", "count": 2, **cpu}}
    write_json(run.folder / layout.MANIFEST, run.manifest | {"runtime": runtime, "provenance": made})
    return RunDir(run.folder)


INT8 = {"runtime": "int8", "precision": "int8"}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("runtime", "first", "second", "told"),
    [
        (INT8, {"int8": ["avx2"]}, {"int8": ["avx2", "avx512_vnni"]}, True),
        (INT8, {"int8": []}, {"int8": ["avx2"]}, True),
        (INT8, {"int8": ["avx2"]}, {"int8": ["avx2"], "model": "Another CPU"}, False),
        (INT8, {"int8": ["avx2"]}, {}, False),
        ({"runtime": "fp32"}, {"int8": ["avx2"]}, {"int8": ["avx2", "avx512_vnni"]}, False),
        (None, {"int8": ["avx2"]}, {"int8": ["avx2", "avx512_vnni"]}, False),
    ],
    ids=["vnni", "none", "same", "untold", "fp32", "keywords"],
)
def test_int8_runs_of_different_processors_are_told(
    tmp_path: Path, lang: str, runtime: Any, first: dict[str, Any], second: dict[str, Any], told: bool
) -> None:
    runs = [make_run(tmp_path, f"{n}-1", n_filler=2, variant=n) for n in ("bm25", "hybrid")]
    runs = [_made_on(run, runtime, **cpu) for run, cpu in zip(runs, (first, second), strict=True)]
    text = shown(write_sweep_report(tmp_path, runs, tmp_path / "a.html", lang))
    sign = Labels(lang)("s_processors", runs="|").partition("|")[0]
    assert (sign in text) == told
    assert not told or ("bm25-1: Linux x86_64" in text and "hybrid-1: Linux x86_64" in text)
