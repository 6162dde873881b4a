"""Finding runs, and refusing what is no finished run or sweep."""

import os

import pytest

from ragbench.core.codec import write_json
from ragbench.errors import DataError
from ragbench.run_dir.read import RunDir, find_run, read_sweep


def make(folder, status="finished", age=0):
    folder.mkdir(parents=True)
    write_json(folder / "manifest.json", {"run_id": folder.name, "status": status})
    os.utime(folder / "manifest.json", (1_700_000_000 - age, 1_700_000_000 - age))
    return folder


def test_latest_is_the_newest(tmp_path):
    runs = tmp_path / "runs"
    make(runs / "a-2", age=20)
    newest = make(runs / "a-1", age=10)
    make(runs / "b-1", age=30)
    (runs / "sweep-1").mkdir()
    assert find_run("latest", runs) == newest


def test_a_run_is_found_by_id_and_by_path(tmp_path, monkeypatch):
    runs = tmp_path / "运行 记录"
    folder = make(runs / "a-1")
    assert find_run("a-1", runs) == folder
    assert find_run(str(folder), tmp_path / "elsewhere") == folder
    monkeypatch.chdir(tmp_path)
    assert find_run("运行 记录/a-1", tmp_path / "elsewhere").resolve() == folder


@pytest.mark.parametrize("name", ["latest", "nix", "a/b"])
def test_what_is_not_there_is_one_line(tmp_path, name):
    with pytest.raises(DataError, match=f"run {name}: expected") as caught:
        find_run(name, tmp_path / "runs")
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_manifest_is_no_run(tmp_path):
    with pytest.raises(DataError, match=r"expected a folder with manifest\.json"):
        RunDir(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{ torn", b"[1]", b"\xff"])
def test_a_manifest_that_cannot_be_read_is_one_line(tmp_path, content):
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(DataError, match="expected a manifest in JSON") as caught:
        RunDir(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("status", ["running", "failed", None])
def test_only_a_finished_run_is_read(tmp_path, status):
    with pytest.raises(DataError, match=f"found status {status}"):
        RunDir(make(tmp_path / "run", status))


def test_only_a_finished_sweep_is_read(tmp_path):
    write_json(tmp_path / "sweep.json", {"status": "finished", "points": []})
    assert read_sweep(tmp_path)["points"] == []
    write_json(tmp_path / "sweep.json", {"status": "running", "points": []})
    with pytest.raises(DataError, match="expected a finished sweep, found status running"):
        read_sweep(tmp_path)
    (tmp_path / "sweep.json").write_bytes(b"{")
    with pytest.raises(DataError, match="expected a sweep in JSON"):
        read_sweep(tmp_path)


def test_latest_is_the_last_run_that_finished(tmp_path):
    for age, (name, text) in enumerate(
        [
            ("a-1", '{"status": "finished"}'),
            ("b-1", '{"status": "running"}'),
            ("c-1", '{"sta'),
            ("d-1", '{"status": "failed"}'),
        ]
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(text)
        os.utime(tmp_path / name / "manifest.json", (1000 + age, 1000 + age))
    assert find_run("latest", tmp_path) == tmp_path / "a-1"
    (tmp_path / "a-1" / "manifest.json").unlink()
    with pytest.raises(DataError, match="a finished run"):
        find_run("latest", tmp_path)


def test_latest_may_be_a_sweep(tmp_path):
    make(tmp_path / "a-1", age=50)
    (tmp_path / "sweep-b-1").mkdir()
    write_json(tmp_path / "sweep-b-1" / "sweep.json", {"status": "finished", "points": []})
    assert find_run("latest", tmp_path) == tmp_path / "sweep-b-1"
    write_json(tmp_path / "sweep-b-1" / "sweep.json", {"status": "running", "points": []})
    assert find_run("latest", tmp_path) == tmp_path / "a-1"
