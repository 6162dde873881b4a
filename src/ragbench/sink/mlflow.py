"""Runs in MLflow: a sweep is a parent run, a variant its child. MLflow is a guest: its failure is a warning."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir
from ragbench.sink.mlflow_names import metrics_of, params_of, tags_of
from ragbench.sink.mlflow_store import exclusive, experiment_id, open_client, tracking_uri
from ragbench.sink.question_table import question_table

PARENT_TAG = "mlflow.parentRunId"
TABLE = "per_question.json"
_Result = TypeVar("_Result")


class MlflowSink:
    """Delivers finished runs to an MLflow store.

    `uri` None: `MLFLOW_TRACKING_URI`, else `sqlite:///.ragbench/mlflow.db`. Nothing here raises: what could not be
    delivered is returned, and kept in `warnings`, as one line. After a store failed once to open, later calls give up
    at once instead of waiting for it again.
    """

    def __init__(self, uri: str | None = None, experiment: str = "ragbench") -> None:
        self.uri = tracking_uri(uri)
        self.experiment = experiment
        self.warnings: list[str] = []
        self.run_ids: dict[str, str] = {}
        self._client: Any = None
        self._experiment_id = ""
        self._broken = ""

    def deliver(self, run: RunDir, parent: str | None = None) -> str:
        """Log one run: tags, parameters, metrics, and as artifacts configuration, summary, per-question table, report.

        Returns an empty string, or the warning. `run_ids` then maps the run's id to MLflow's.
        """
        return self._guarded(f"run {run.run_id}", lambda: self._deliver(run, parent))[0]

    def open_sweep(self, name: str, tags: Mapping[str, str]) -> str | None:
        """Begin the parent run of a sweep; its id, or None with a warning."""
        return self._guarded(f"sweep {name}", lambda: self._create(name, dict(tags) | {"ragbench.kind": "sweep"}))[1]

    def close_sweep(self, parent: str, folder: Path | None = None, status: str = "FINISHED") -> str:
        """End the parent run with the sweep's report and list of runs; an empty string, or the warning."""

        def close() -> None:
            for name in (layout.SWEEP, layout.REPORT):
                if folder is not None and (folder / name).is_file():
                    self._client.log_artifact(parent, str(folder / name))
            self._client.set_terminated(parent, status)

        return self._guarded("sweep", close)[0]

    def _guarded(self, what: str, act: Callable[[], _Result]) -> tuple[str, _Result | None]:
        """The warning (empty: none) and the result of an action on the opened store."""
        if self._broken:
            return self._warn(what, self._broken), None
        try:
            with exclusive(self.uri):
                self._connect()
                return "", act()
        except Exception as error:  # client, database and network each raise their own; the run goes on without MLflow
            reason = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            if not self._experiment_id:
                self._broken = reason
            return self._warn(what, reason), None

    def _warn(self, what: str, reason: str) -> str:
        line = f"mlflow: {what} was not logged to {self.uri} ({reason}); the run directory is whole."
        line = _without_password(line, self.uri)
        self.warnings.append(line)
        return line

    def _connect(self) -> None:
        if self._client is None:
            self._client = open_client(self.uri)
        if not self._experiment_id:
            self._experiment_id = experiment_id(self._client, self.uri, self.experiment)

    def _create(self, name: str, tags: Mapping[str, str]) -> str:
        run = self._client.create_run(self._experiment_id, tags=dict(tags), run_name=name)
        return str(run.info.run_id)

    def _deliver(self, run: RunDir, parent: str | None) -> None:
        tags = tags_of(run.manifest, run.summary)
        name = " ".join(filter(None, [str(run.summary.get("label") or ""), run.run_id]))
        run_id = self._create(name, tags | ({PARENT_TAG: parent} if parent else {}))
        try:
            self._log(run, run_id)
        except BaseException:
            self._client.set_terminated(run_id, "FAILED")
            raise
        self._client.set_terminated(run_id, "FINISHED")
        self.run_ids[run.run_id] = run_id

    def _log(self, run: RunDir, run_id: str) -> None:
        from mlflow.entities import Metric, Param

        now = int(time.time() * 1000)
        metrics = [Metric(key, value, now, 0) for key, value in metrics_of(run.summary).items()]
        params = [Param(key, value) for key, value in params_of(run.summary.get("variant") or {}).items()]
        self._client.log_batch(run_id, metrics=metrics, params=params)
        self._client.log_table(run_id, data=question_table(run), artifact_file=TABLE)
        for name in (layout.CONFIG, layout.SUMMARY, layout.REPORT):
            if (run.folder / name).is_file():
                self._client.log_artifact(run_id, str(run.folder / name))


def _without_password(line: str, uri: str) -> str:
    """The line without what stands before the `@` of the store's address, wherever MLflow repeated it."""
    user, at, _ = uri.partition("://")[2].rpartition("@")
    return line.replace(user + at, "") if at else line
