"""Runs in a real sqlite store: names, parents, artifacts, and a store that fails."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbench.run_dir.read import RunDir
from ragbench.sink.mlflow import TABLE, MlflowSink
from ragbench.sink.mlflow_log import NOTE, VARIANTS_TABLE
from ragbench.sink.mlflow_store import open_client
from tests.report_fixture import make_run, make_sweep, rewrite_summary


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


def plain(note: str) -> str:
    return note.replace(" &nbsp;&nbsp;", " ")


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
    assert names == {"config.yaml", "summary.json", "report.html", "charts", TABLE}
    charts = {item.path for item in open_client(sink.uri).list_artifacts(found.info.run_id, "charts")}
    assert charts == {f"charts/{name}.svg" for name in ("bars", "curve", "heat", "waterfall")}
    dataset = found.inputs.dataset_inputs[0].dataset
    assert (dataset.name, dataset.digest) == ("policy_zh v1", "ab" * 8)
    points = open_client(sink.uri).get_metric_history(found.info.run_id, "curves/ranking_recall")
    assert [point.step for point in points] == [1, 3, 5, 10]
    assert points[2].value == pytest.approx(mean)


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
    assert {item.path for item in client.list_artifacts(parent)} == {"sweep.json", VARIANTS_TABLE}


def test_a_variant_says_what_it_changes_against_the_first_one(store: str, tmp_path: Path) -> None:
    folder, runs = make_sweep(tmp_path, sizes=(200, 500))
    for lang, word in (("en", "Against the sweep's first variant"), ("zh", "与本次扫描的第一个方案")):
        sink = MlflowSink(store, f"notes {lang}", lang)
        parent = sink.open_sweep(folder.name, {"axes": "chunk_size"})
        assert parent is not None and [sink.deliver(run, parent) for run in runs] == ["", ""]
        assert sink.close_sweep(parent, folder) == ""
        first, second = (logged(sink, run) for run in runs)
        assert [one.info.run_name for one in (first, second)] == ["chunk_size=200", "chunk_size=500"]
        assert word in second.data.tags[NOTE] and "**chunk\\_size=200**" not in second.data.tags[NOTE]
        assert not [name for name in first.data.metrics if name.startswith("vs_first/")]
        values = [row["value"] for row in runs[1].scores() if row["measure"] == "ranking/recall@5"]
        mean = statistics.mean(value for value in values if value is not None)
        assert f"| ranking/recall@5 | {mean:.3f} | {mean:.3f} | 0.000 |" in plain(second.data.tags[NOTE])
        assert second.data.metrics["vs_first/ranking/recall_at_5"] == 0
        table = open_client(sink.uri).get_run(parent).data.tags[NOTE]
        assert "| chunk_size=200 | chunk_size=500 |" in plain(table) and "\n| ranking/recall@5 |" in plain(table)


def test_logging_again_writes_over_and_doubles_nothing(store: str, tmp_path: Path) -> None:
    folder, runs = make_sweep(tmp_path, sizes=(200, 500))
    client = open_client(store)
    seen = []
    for again in range(2):
        sink = MlflowSink(store, "again")
        parent = sink.open_sweep(folder.name, {"axes": "chunk_size"}, runs if again else ())
        assert parent is not None and [sink.deliver(run, parent) for run in runs] == ["", ""]
        assert sink.close_sweep(parent, folder) == ""
        experiment = client.get_experiment_by_name("again").experiment_id
        found = client.search_runs([experiment])
        history = client.get_metric_history(sink.run_ids[runs[1].run_id], "ranking/recall_at_5")
        path = client.download_artifacts(sink.run_ids[runs[1].run_id], TABLE, str(tmp_path))
        rows = json.loads(Path(path).read_text(encoding="utf-8"))["data"]
        seen.append((parent, sink.run_ids, sorted(run.info.run_id for run in found), len(history), len(rows)))
    assert seen[0] == seen[1] and len(seen[0][2]) == 3 and seen[0][3] == 1


def test_a_run_scored_anew_shows_its_new_figures_and_a_persons_words_stay(sink: MlflowSink, run: RunDir) -> None:
    sink.deliver(run)
    run_id = sink.run_ids[run.run_id]
    client = open_client(sink.uri)
    client.set_tag(run_id, NOTE, "do not ship this one")
    metrics = {"ranking/recall@5": {"mean": 0.01, "n_scored": 3}}
    again = rewrite_summary(run, metrics=metrics)
    os.utime(again.folder / "summary.json", (time.time() + 5, time.time() + 5))
    assert sink.deliver(again) == "" and sink.run_ids[run.run_id] == run_id
    found = client.get_run(run_id)
    assert found.data.metrics["ranking/recall_at_5"] == pytest.approx(0.01)
    assert found.data.tags[NOTE] == "do not ship this one"


def test_no_active_run_is_left_behind(sink: MlflowSink, run: RunDir) -> None:
    import mlflow

    sink.deliver(run)
    assert mlflow.active_run() is None


def test_a_run_that_fails_half_way_is_marked_failed_and_warned_of(
    store: str, run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink = MlflowSink(store, "half way")

    def broken(_: RunDir) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("ragbench.sink.mlflow_log.question_table", broken)
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
