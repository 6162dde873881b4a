"""Runs in MLflow: a sweep is a parent run, a variant its child. MLflow is a guest: its failure is a warning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir
from ragbench.sink.first_variant import Scored, changes, read_scored
from ragbench.sink.mlflow_log import (
    TABLE,
    VARIANTS_TABLE,
    ended_ms,
    entities_of,
    found_run,
    identity,
    log_run,
    put_note,
    put_table,
    started_ms,
    sweep_identity,
)
from ragbench.sink.mlflow_names import run_name, tags_of
from ragbench.sink.mlflow_note import run_note, sweep_note
from ragbench.sink.mlflow_store import exclusive, experiment_id, open_client, tracking_uri
from ragbench.sink.question_table import variants_table

__all__ = ["TABLE", "MlflowSink"]

PARENT_TAG = "mlflow.parentRunId"
IDENTITY = "ragbench.identity"
_Result = TypeVar("_Result")


@dataclass
class _Sweep:
    """What is known of a sweep whose parent run is open: its axes, and what was delivered, the first variant first."""

    name: str
    axes: Sequence[str]
    delivered: list[Scored] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    identities: list[str] = field(default_factory=list)


class MlflowSink:
    """Delivers finished runs to an MLflow store.

    `uri` None: `MLFLOW_TRACKING_URI`, else `sqlite:///.ragbench/mlflow.db`. `lang` is that of descriptions and charts.
    Nothing here raises: what could not be delivered is returned, and kept in `warnings`, as one line. After a store
    failed once to open, later calls give up at once instead of waiting for it again. A run or sweep that is there
    already is written over, never doubled.
    """

    def __init__(self, uri: str | None = None, experiment: str = "ragbench", lang: str = "en") -> None:
        self.uri = tracking_uri(uri)
        self.experiment = experiment
        self.lang = lang
        self.warnings: list[str] = []
        self.run_ids: dict[str, str] = {}
        self._client: Any = None
        self._experiment_id = ""
        self._broken = ""
        self._sweeps: dict[str, _Sweep] = {}

    def deliver(self, run: RunDir, parent: str | None = None) -> str:
        """Log one run: tags, parameters, metrics, its eval set, a description, and as artifacts configuration, summary,
        per-question table, charts and report. In a sweep, description and `vs_first/…` say what it changes against the
        first variant delivered.

        Returns an empty string, or the warning. `run_ids` then maps the run's id to MLflow's.
        """
        return self._guarded(f"run {run.run_id}", lambda: self._deliver(run, parent))[0]

    def open_sweep(self, name: str, tags: Mapping[str, str], runs: Sequence[RunDir] = ()) -> str | None:
        """Begin the parent run of a sweep; its id, or None with a warning. `runs` are its runs where they are known
        already: a sweep logged before is then found again."""
        return self._guarded(f"sweep {name}", lambda: self._open(name, tags, runs))[1]

    def close_sweep(self, parent: str, folder: Path | None = None, status: str = "FINISHED") -> str:
        """End the parent run with tables of variants and questions, and the sweep's report and list of runs; an
        empty string, or the warning."""
        return self._guarded("sweep", lambda: self._close(parent, folder, status))[0]

    def _open(self, name: str, tags: Mapping[str, str], runs: Sequence[RunDir]) -> str:
        known = sweep_identity(name, map(identity, runs)) if runs else ""
        parent = found_run(self._client, self._experiment_id, IDENTITY, known) if known else None
        if parent is None:
            parent = self._create(name, dict(tags) | {"ragbench.kind": "sweep"})
        axes = [axis.strip() for axis in tags.get("axes", "").split(",") if axis.strip()]
        self._sweeps[parent] = _Sweep(name, axes)
        return parent

    def _close(self, parent: str, folder: Path | None, status: str) -> None:
        known = self._sweeps.get(parent)
        if known and known.delivered:
            put_note(self._client, parent, sweep_note(known.delivered, self.lang))
            put_table(self._client, parent, variants_table(known.delivered, known.names), VARIANTS_TABLE)
            self._client.set_tag(parent, IDENTITY, sweep_identity(known.name, known.identities))
        for name in (layout.SWEEP, layout.REPORT):
            if folder is not None and (folder / name).is_file():
                self._client.log_artifact(parent, str(folder / name))
        self._client.set_terminated(parent, status)

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
        said = f"mlflow: {what} was not logged to {self.uri} ({reason}); the run directory is whole."
        line = _without_password(f"{said} Send it later with: ragbench log RUN", self.uri)
        self.warnings.append(line)
        return line

    @property
    def shown_uri(self) -> str:
        """The store's address without a password."""
        return _without_password(self.uri, self.uri)

    def _connect(self) -> None:
        if self._client is None:
            self._client = open_client(self.uri)
        if not self._experiment_id:
            self._experiment_id = experiment_id(self._client, self.uri, self.experiment)

    def _create(self, name: str, tags: Mapping[str, str], started: int | None = None) -> str:
        run = self._client.create_run(self._experiment_id, start_time=started, tags=dict(tags), run_name=name)
        return str(run.info.run_id)

    def _deliver(self, run: RunDir, parent: str | None) -> None:
        key = identity(run)
        sweep = self._sweeps.get(parent or "")
        name = run_name(run.summary, sweep.axes if sweep else (), run.run_id)
        tags = tags_of(run.manifest, run.summary) | {IDENTITY: key} | ({PARENT_TAG: parent} if parent else {})
        run_id = found_run(self._client, self._experiment_id, IDENTITY, key)
        if run_id is None:
            run_id = self._create(name, tags, started_ms(run))
        try:
            own = read_scored(run)
            first = (sweep.delivered or [own])[0] if sweep else None
            metrics, entities = entities_of(run, changes(first, own) if first and first is not own else [])
            log_run(self._client, run, run_id, tags, (metrics, entities), self.lang)
            first_name = sweep.names[0] if sweep and sweep.names else name
            put_note(self._client, run_id, run_note(own, first, name, first_name, self.lang))
        except BaseException:
            self._client.set_terminated(run_id, "FAILED")
            raise
        self._client.set_terminated(run_id, "FINISHED", end_time=ended_ms(run))
        self.run_ids[run.run_id] = run_id
        if sweep:
            sweep.delivered.append(own)
            sweep.names.append(name)
            sweep.identities.append(key)


def _without_password(line: str, uri: str) -> str:
    """The line without what stands before the `@` of the store's address, wherever MLflow repeated it."""
    user, at, _ = uri.partition("://")[2].rpartition("@")
    return line.replace(user + at, "") if at else line
