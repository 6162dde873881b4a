"""`ragbench report` on one run, on a sweep, and on several runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from ragbench.cli.main import main
from ragbench.run_dir.read import RunDir
from tests.report_fixture import make_cuts, make_run, make_sweep, rewrite_summary, shown


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[RunDir]:
    monkeypatch.setenv("RAGBENCH_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("RAGBENCH_STORE", str(tmp_path / "store"))
    return make_cuts(tmp_path / "runs")


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["report", *arguments])
    seen = capsys.readouterr()
    return code, seen.out + seen.err


def test_several_runs_are_written_side_by_side(runs: Sequence[RunDir], capsys: pytest.CaptureFixture[str]) -> None:
    code, said = report(capsys, "lines-1", "small-1", "--json")
    path = Path(json.loads(said)["report"])
    assert code == 0 and path == runs[0].folder.parent / "compare-lines-1-small-1.html"
    text = shown(path)
    assert "splitter=lines" in text and "splitter=small" in text and 'id="borders"' in text


def test_three_runs_a_language_and_a_place(
    runs: Sequence[RunDir], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out" / "three.html"
    names = [run.run_id for run in runs]
    assert report(capsys, *names, "--lang", "zh", "--out", str(target))[0] == 0
    assert "切块边界" in shown(target)
    assert report(capsys, *names)[0] == 0
    assert (tmp_path / "runs" / "compare-lines-1-small-1-and-1-more.html").is_file()


def test_a_sweep_among_them_stands_for_its_runs(
    runs: Sequence[RunDir], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_sweep(tmp_path / "runs", sizes=(200, 500))
    assert report(capsys, "sweep-0001-1", "size200-1")[0] == 0, "a run that is in the sweep counts once"
    text = shown(tmp_path / "runs" / "compare-sweep-0001-1-size200-1.html")
    assert text.count('<th scope="col" class="n variant">') == 2


def test_runs_of_different_eval_sets_are_refused_in_one_line(
    runs: Sequence[RunDir], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = make_run(tmp_path / "runs", "other-1", n_filler=0)
    rewrite_summary(other, eval_set={"name": "policy_zh", "version": "v1", "lock": "sha256:" + "cd" * 32})
    code, said = report(capsys, "lines-1", "other-1")
    assert code == 2 and len(said.strip().splitlines()) == 1
    assert "expected runs of one eval set, as lines-1 of policy_zh v1 with lock sha256:abababababab" in said
    assert "found other-1 of policy_zh v1 with lock sha256:cdcdcdcdcdcd" in said
    assert not list((tmp_path / "runs").glob("compare-*"))


@pytest.mark.parametrize("names", [("lines-1", "lines-1"), ("lines-1", "nowhere-9")])
def test_one_run_twice_and_a_run_that_is_not_there(
    runs: Sequence[RunDir], capsys: pytest.CaptureFixture[str], names: tuple[str, str]
) -> None:
    code, said = report(capsys, *names)
    assert code == 2 and len(said.strip().splitlines()) == 1
    assert ("two or more different runs" if names[0] == names[1] else "nowhere-9") in said


def test_one_run_has_its_report_in_its_folder(runs: Sequence[RunDir], capsys: pytest.CaptureFixture[str]) -> None:
    code, said = report(capsys, "lines-1")
    assert code == 0 and said.strip() == f"report: {runs[0].folder / 'report.html'}"
