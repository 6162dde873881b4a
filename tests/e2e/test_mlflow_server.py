"""Runs sent to a real `mlflow server`, which may also go away."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbench.cli.main import main
from ragbench.sink.mlflow import TABLE, MlflowSink
from ragbench.sink.mlflow_store import open_client
from tests.report_fixture import make_sweep

pytestmark = pytest.mark.slow
_STARTS_IN = 180


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    python = os.environ.get("RAGBENCH_MLFLOW_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import flask, mlflow.server"], capture_output=True, check=False).returncode:
        pytest.skip("the server of MLflow needs the extra ui")
    folder = tmp_path_factory.mktemp("server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        python, "-m", "mlflow", "server", "--backend-store-uri", f"sqlite:///{folder}/mlflow.db",
        "--artifacts-destination", str(folder / "artifacts"), "--host", "127.0.0.1", "--port", str(port), "--workers", "1",
    ]  # fmt: skip
    with subprocess.Popen(command, start_new_session=True, cwd=folder) as running:
        address = f"http://127.0.0.1:{port}"
        _wait_for(f"{address}/health", running)
        yield address, running
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGTERM)


def _wait_for(address: str, running: subprocess.Popen[bytes]) -> None:
    for _ in range(_STARTS_IN):
        assert running.poll() is None, "the server ended"
        try:
            urllib.request.urlopen(address, timeout=5).read()
            return
        except OSError:
            time.sleep(1)
    pytest.fail("the server did not answer")


def test_a_sweep_arrives_is_not_doubled_and_a_server_that_goes_away_costs_nothing(
    server: tuple[str, subprocess.Popen[bytes]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    address, running = server
    folder, runs = make_sweep(tmp_path, sizes=(200, 500))
    monkeypatch.setenv("MLFLOW_TRACKING_URI", address)
    for _ in range(2):
        assert main(["log", str(folder)]) == 0
    client = open_client(address)
    experiment = client.get_experiment_by_name("ragbench").experiment_id
    found = {run.info.run_name: run for run in client.search_runs([experiment])}
    assert set(found) == {"chunk_size=200", "chunk_size=500", folder.name}
    parent = found[folder.name].info.run_id
    for name in ("chunk_size=200", "chunk_size=500"):
        assert found[name].data.tags["mlflow.parentRunId"] == parent
        names = {item.path for item in client.list_artifacts(found[name].info.run_id)}
        assert {TABLE, "charts", "summary.json", "config.yaml"} <= names
    os.killpg(running.pid, signal.SIGTERM)
    running.wait(timeout=60)
    assert main(["log", str(runs[0].folder)]) == 2
    said = capsys.readouterr().err
    assert "was not logged" in said and "ragbench log RUN" in said
    late = MlflowSink(address)
    assert late.open_sweep("s", {}) is None and late.deliver(runs[0]).startswith("mlflow: ")
