"""Runs in a real sqlite store: names, parents, artifacts, and a store that fails."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbench.run_dir.read import RunDir
from ragbench.sink.mlflow import TABLE, MlflowSink
from ragbench.sink.mlflow_store import open_client
from tests.report_fixture import make_run, rewrite_summary


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('mlflow') / 'deep' / 'er' / 'mlflow.db'}"


@pytest.fixture
def sink(store: str) -> Iterator[MlflowSink]:
    yield MlflowSink(store, "unit tests / 试验")


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    run = make_run(tmp_path, n_filler=3)
    (run.folder / "report.html").write_text("<p>report</p>", encoding="utf-8")
    return run


def logged(sink: MlflowSink, run: RunDir) -> Any:
    return open_client(sink.uri).get_run(sink.run_ids[run.run_id])


def test_a_run_arrives_whole(sink: MlflowSink, run: RunDir) -> None:
    assert sink.deliver(run) == ""
    found = logged(sink, run)
    mean = run.summary["metrics"]["ranking/recall@5"]["mean"]
    assert found.data.metrics["ranking/recall_at_5"] == pytest.approx(mean)
    by_category = run.summary["by_category"]["multi_hop"]["ranking/recall@5"]["mean"]
    assert found.data.metrics["ranking/recall_at_5/by_category/multi_hop"] == pytest.approx(by_category)
    assert "retrieval/recall_at_5/by_category/negative" not in found.data.metrics, "a mean of nothing is left out"
    assert found.data.params["chunk_size"] == "500"
    assert found.data.params["overlap"] == "null"
    assert found.data.tags["eval_set.lock"] == run.summary["eval_set"]["lock"]
    assert found.data.tags["git.dirty"] == "True"
    assert found.data.tags["judge"] == "offline-1"
    assert found.info.status == "FINISHED"
    names = {item.path for item in open_client(sink.uri).list_artifacts(found.info.run_id)}
    assert names == {"config.yaml", "summary.json", "report.html", TABLE}


def test_artifacts_lie_at_an_absolute_place_beside_the_store(sink: MlflowSink, run: RunDir) -> None:
    sink.deliver(run)
    uri = logged(sink, run).info.artifact_uri
    assert uri.startswith(f"file://{Path(sink.uri.removeprefix('sqlite:///')).parent}/mlartifacts/")


def test_the_question_table_has_the_same_columns_in_every_run(sink: MlflowSink, tmp_path: Path) -> None:
    tables = []
    for number in (1, 2):
        run = make_run(tmp_path, f"run{number}-1", n_filler=number)
        sink.deliver(run)
        path = open_client(sink.uri).download_artifacts(sink.run_ids[run.run_id], TABLE, str(tmp_path))
        tables.append(json.loads(Path(path).read_text(encoding="utf-8")))
    assert tables[0]["columns"] == tables[1]["columns"]
    rows = [dict(zip(tables[0]["columns"], row)) for row in tables[0]["data"]]
    by_id = {row["id"]: row for row in rows}
    assert by_id["zh-001"]["question"].startswith("工作满一年")
    assert by_id["formula-001"]["question"].startswith("'="), "a spreadsheet must not run it"
    assert by_id["failed-001"]["answer"] is None
    assert by_id["failed-001"]["ranking/recall@5"] is None
    assert by_id["en-002"]["outcome"] == "not_recalled"


def test_a_sweep_is_a_parent_and_variants_are_its_children(sink: MlflowSink, run: RunDir, tmp_path: Path) -> None:
    (tmp_path / "sweep.json").write_text("{}", encoding="utf-8")
    parent = sink.open_sweep("sweep-1", {"axes": "chunk_size"})
    assert parent is not None
    assert sink.deliver(run, parent) == ""
    assert sink.close_sweep(parent, tmp_path) == ""
    assert logged(sink, run).data.tags["mlflow.parentRunId"] == parent
    client = open_client(sink.uri)
    assert client.get_run(parent).info.status == "FINISHED"
    assert [item.path for item in client.list_artifacts(parent)] == ["sweep.json"]


def test_no_active_run_is_left_behind(sink: MlflowSink, run: RunDir) -> None:
    import mlflow

    sink.deliver(run)
    assert mlflow.active_run() is None


def test_a_run_that_fails_half_way_is_marked_failed_and_warned_of(
    sink: MlflowSink, run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: RunDir) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("ragbench.sink.mlflow.question_table", broken)
    line = sink.deliver(run)
    assert "disk full" in line and "run directory is whole" in line
    client = open_client(sink.uri)
    experiment = client.get_experiment_by_name(sink.experiment)
    latest = client.search_runs([experiment.experiment_id], max_results=1)[0]
    assert latest.info.status == "FAILED"


@pytest.mark.parametrize("uri", ["file:///nowhere/allowed", "sqlite:////proc/none/mlflow.db", "nonsense://host/x"])
def test_a_store_that_cannot_be_opened_is_one_line_and_tried_once(uri: str, run: RunDir) -> None:
    sink = MlflowSink(uri)
    first = sink.deliver(run)
    assert first.startswith("mlflow: ") and "\n" not in first
    assert sink.open_sweep("s", {}) is None
    assert len(sink.warnings) == 2


def test_a_password_in_the_address_is_not_printed(run: RunDir) -> None:
    line = MlflowSink("nonsense://me:secret@host/x").deliver(run)
    assert "secret" not in line and "host/x" in line


def test_long_values_and_foreign_names_are_taken(sink: MlflowSink, run: RunDir) -> None:
    cell = {"mean": 0.5, "n_scored": 3}
    by_category = {"为什么? (a@b)/c,d": {"answer/f1(x)%": cell}, "..": {"x@5": cell}}
    rewritten = rewrite_summary(
        run, variant={"note": "长" * 9000, "nested": {"a": [1, 2], "b": None}}, by_category=by_category
    )
    assert sink.deliver(rewritten) == ""
    data = logged(sink, rewritten).data
    assert len(data.params["note"]) == 6000
    assert data.params["nested.a"] == "[1, 2]"
    assert any("为什么" in name for name in data.metrics)


def test_importing_the_sink_does_not_import_mlflow() -> None:
    code = "import sys, ragbench.sink.mlflow, ragbench.sink.console; print('mlflow' in sys.modules, 'matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_telemetry_is_off_before_mlflow_is_imported(tmp_path: Path) -> None:
    code = (
        "import os; [os.environ.pop(k, None) for k in ('MLFLOW_DISABLE_TELEMETRY', 'DO_NOT_TRACK')];"
        "from ragbench.sink.mlflow_store import open_client;"
        f"open_client('sqlite:///{tmp_path}/x.db');"
        "print(os.environ['MLFLOW_DISABLE_TELEMETRY'], os.environ['DO_NOT_TRACK'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["true", "true"]
