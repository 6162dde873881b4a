"""Tests do not hide: a required skip fails; tests write to a folder of their session and stay on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SKIPPING = """
import pytest

def test_by_fixture(data_dir):
    pass

@pytest.mark.st
def test_by_marker():
    pytest.skip("not today")

def test_by_words():
    pytest.skip("needs Chromium")

@pytest.mark.ragas
def test_by_words_before_its_marker():
    pytest.skip("needs a GGUF file")

def test_of_another_kind():
    pytest.skip("only on Windows")
"""
MODULE = 'import pytest\npytest.importorskip("no_such_torch", reason="torch is not installed")\n'


def outcome(folder: Path, required: str) -> str:
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    (folder / "pytest.ini").write_text(
        "[pytest]\nmarkers =\n  st: x\n  data: x\n  browser: x\n  ragas: x\n", encoding="utf-8"
    )
    (folder / "test_skipping.py").write_text(SKIPPING, encoding="utf-8")
    (folder / "test_module.py").write_text(MODULE, encoding="utf-8")
    environment = os.environ | {"RAGBENCH_REQUIRE": required, "RAGBENCH_DATA": str(folder / "absent")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--continue-on-collection-errors", "."]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("required", "expected"),
    [
        ("", "6 skipped"),
        ("data", "5 skipped, 1 error"),
        ("browser", "1 failed, 5 skipped"),
        ("st", "1 failed, 4 skipped, 1 error"),
        ("gguf", "1 failed, 5 skipped"),
        ("ragas", "6 skipped"),
        ("data,browser,st", "2 failed, 2 skipped, 2 errors"),
    ],
)
def test_required_skips_fail(tmp_path: Path, required: str, expected: str) -> None:
    found = outcome(tmp_path, required)
    assert expected in found, found
    assert ("required by RAGBENCH_REQUIRE" in found) == ("failed" in expected or "error" in expected)


def test_an_unknown_requirement_is_an_error(tmp_path: Path) -> None:
    assert "RAGBENCH_REQUIRE: expected some of data, browser, gguf, ragas, st, ui, found gpu" in outcome(
        tmp_path, "gpu"
    )


def test_results_go_to_the_session(tmp_path: Path) -> None:
    for name in ("RAGBENCH_STORE", "RAGBENCH_RUNS"):
        assert "ragbench-tests-" in os.environ[name]
    assert "ragbench-tests-" in os.environ["MLFLOW_TRACKING_URI"]


def test_other_machines_cannot_be_reached() -> None:
    import socket

    with pytest.raises(ConnectionRefusedError, match=r"may not connect to 192\.0\.2\.1"):
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()
