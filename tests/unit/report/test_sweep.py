"""The comparison report."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbench.compare.table import compare_table
from ragbench.report.sweep import numeric_knob, write_sweep_report
from tests.report_fixture import make_run, make_sweep, rewrite_summary


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_variants_links_failures_and_stages_are_shown(tmp_path: Path, lang: str) -> None:
    folder, runs = make_sweep(tmp_path)
    (runs[0].folder / "report.html").write_text("x", encoding="utf-8")
    text = write_sweep_report(folder, runs, folder / "report.html", lang).read_text(encoding="utf-8")
    assert 'href="../size200-1/report.html"' in text and "size500-1/report.html" not in text, (
        "no link to a report that is not there"
    )
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text and "<script>alert" not in text
    assert text.count("chunk_size=500") >= 2 and "corpus 3, chunks 3" in text
    assert text.count("<svg") == 1
    assert ("无法区分" in text) == (lang == "zh")


def test_a_sweep_in_which_nothing_finished(tmp_path: Path) -> None:
    folder, _ = make_sweep(tmp_path, sizes=())
    text = write_sweep_report(folder, [], tmp_path / "empty.html", "en").read_text(encoding="utf-8")
    assert "No variant finished" in text and "chunk_size=1" in text


def test_a_folder_without_a_sweep_file_and_one_run(tmp_path: Path) -> None:
    run = make_run(tmp_path, n_filler=1)
    text = write_sweep_report(tmp_path, [run], tmp_path / "one.html", "en").read_text(encoding="utf-8")
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
    runs = [make_run(tmp_path, f"{n}-1", n_filler=2, shift=s, variant=n) for n, s in (("bm25", -0.4), ("hybrid", 0.0))]
    text = write_sweep_report(tmp_path, runs, tmp_path / "a.html", "en").read_text(encoding="utf-8")
    assert '<p class="verdict">hybrid is best in Recall@5' in text
    slow = {"mean": 900.0, "low": 890.0, "high": 910.0, "n_scored": 9}
    same = runs[1].summary["metrics"]
    timed = [
        rewrite_summary(run, metrics=same | {"cost/total_ms": slow | more})
        for run, more in zip(runs, ({}, {"mean": 9.0, "low": 8.0, "high": 10.0}))
    ]
    text = write_sweep_report(tmp_path, timed, tmp_path / "b.html", "en").read_text(encoding="utf-8")
    assert "No variant is clearly best in any headline measure of quality" in text
