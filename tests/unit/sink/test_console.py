"""Tables fit eighty columns and say what happened."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from ragbench.run_dir.read import RunDir
from ragbench.sink.console import console, print_run, print_sweep
from tests.report_fixture import make_run, rewrite_summary


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunDir:
    return make_run(tmp_path_factory.mktemp("console"), n_filler=6)


def printed(run: RunDir, terminal: bool = False) -> str:
    out = Console(file=io.StringIO(), width=80, force_terminal=terminal, no_color=not terminal)
    print_run(run.summary, out)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def test_every_line_fits_eighty_columns(run: RunDir) -> None:
    assert max(cell_len(line.rstrip()) for line in printed(run).splitlines()) <= 80


def test_a_measure_shows_mean_interval_and_the_three_counts(run: RunDir) -> None:
    line = next(line for line in printed(run).splitlines() if "faithfulness" in line)
    row = run.summary["metrics"]["answer/faithfulness"]
    assert line.split() == ["faithfulness", "0.500", "0.440", "–", "0.560", str(row["n_scored"]), str(row["n_na"]), "2"]


def test_without_a_terminal_there_are_no_escapes_or_frames(run: RunDir) -> None:
    text = printed(run)
    assert "\x1b" not in text and "│" not in text and "─" not in text
    assert "\x1b" in printed(run, terminal=True)


def test_categories_show_their_number_and_small_ones_are_marked(run: RunDir) -> None:
    lines = [line.split() for line in printed(run).splitlines()]
    assert ["multi_hop*", "1"] in [line[:2] for line in lines]
    assert ["lookup", "7"] in [line[:2] for line in lines]


def test_foreign_names_with_brackets_and_chinese_are_printed_as_they_are(run: RunDir, tmp_path: Path) -> None:
    cell = {"mean": 0.25, "low": 0.1, "high": 0.4, "n_scored": 4, "n_na": 0, "n_failed": 0}
    metrics = {"other/[red]measure": cell, "answer/faithfulness": cell}
    other = rewrite_summary(
        make_run(tmp_path, n_filler=0), metrics=metrics, by_category={"[b]年假": {"answer/faithfulness": cell}}
    )
    text = printed(other)
    assert "[red]measure" in text and "[b]年假" in text


def test_a_summary_without_anything_is_printed_too() -> None:
    out = Console(file=io.StringIO(), width=80)
    print_run({}, out)
    print_sweep([], out)
    assert isinstance(out.file, io.StringIO)
    assert len(out.file.getvalue().splitlines()) == 1, "the heads of the columns and nothing else"


@pytest.mark.parametrize(("recall", "warned"), [(0.9, True), (0.995, False)])
def test_an_index_of_low_recall_is_warned_of(recall: float, warned: bool) -> None:
    out = Console(file=io.StringIO(), width=80)
    print_run({"cost": {"facts": {"index": {"recall_at_10": recall, "recall_at_100": 1.0}}}}, out)
    assert isinstance(out.file, io.StringIO)
    text = " ".join(out.file.getvalue().split())
    assert f"recall@10 {recall:.3f}, recall@100 1.000 against exact search" in text
    assert ("warning: the index misses near chunks" in text) == ("index=exact" in text) == warned


def test_a_sweep_shows_what_differs_and_who_is_told_apart(tmp_path: Path) -> None:
    runs = [
        make_run(tmp_path, f"r{n}-1", n_filler=3, shift=shift, variant=n)
        for n, shift in (("bm25", -0.4), ("hybrid", 0.0))
    ]
    out = Console(file=io.StringIO(), width=80)
    print_sweep([run.summary for run in runs], out)
    assert isinstance(out.file, io.StringIO)
    lines = out.file.getvalue().splitlines()
    assert any(line.startswith("hybrid") and "best" in line for line in lines)
    assert not any(line.startswith("bm25") and "best" in line for line in lines)
    assert max(cell_len(line.rstrip()) for line in lines) <= 80


def test_a_sweep_shows_its_categories(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, f"r{n}-1", n_filler=3, variant=n) for n in ("bm25", "hybrid")]
    out = Console(file=io.StringIO(), width=80)
    print_sweep([run.summary for run in runs], out)
    assert isinstance(out.file, io.StringIO)
    text = out.file.getvalue()
    scored = [name for name, row in runs[0].summary["by_category"].items() if row["ranking/recall@5"]["n_scored"]]
    assert scored and all(name[:10] in text for name in scored)
    assert sum(line.startswith("bm25") for line in text.splitlines()) >= 3


def test_the_own_console_is_plain_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    console().print("[bold]年假[/bold]")
    assert capsys.readouterr().out == "年假\n"
