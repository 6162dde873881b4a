"""Handing a finished run to the sinks; a sink that fails is a warning, never the end of a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ragbench.run.experiment import Experiment
from ragbench.run.session import Session
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir


def keep_font_list(store: Path) -> None:
    """Have matplotlib keep its list of fonts in the store and not in the user's home."""
    os.environ.setdefault("MPLCONFIGDIR", str(store.absolute() / "matplotlib"))


class Delivery:
    """The sinks of a run or sweep. `warnings` are what could not be delivered."""

    def __init__(self, experiment: Experiment, session: Session) -> None:
        self.experiment = experiment
        self.session = session
        self.warnings: list[str] = []
        self._mlflow: Any = None
        self._parent: str | None = None
        keep_font_list(session.store.root)

    def run(self, folder: Path) -> None:
        """Report and tracking of one run."""
        run = RunDir(folder)
        if self.experiment.sinks.get("report"):
            self._try("report", lambda: self._write_report(run))
        if self.experiment.sinks.get("mlflow"):
            self._try("mlflow", lambda: self._track(run))

    def open_sweep(self, name: str, tags: dict[str, str]) -> None:
        """Begin the parent run of a sweep."""
        if self.experiment.sinks.get("mlflow"):
            self._try("mlflow", lambda: self._open_parent(name, tags))

    def close_sweep(self, folder: Path, runs: Sequence[Path]) -> None:
        """Write the comparison report and end the parent run."""
        if self.experiment.sinks.get("report") and runs:
            self._try("report", lambda: self._write_sweep(folder, runs))
        if self._mlflow is not None and self._parent is not None:
            parent = self._parent
            self._try("mlflow", lambda: self._sink().close_sweep(parent, folder))

    def _try(self, sink: str, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:  # a sink is a guest: what it raises must not fail the run
            self.warnings.append(f"{sink}: not delivered ({type(error).__name__}: {error})")

    def _write_report(self, run: RunDir) -> None:
        from ragbench.report.html import write_report

        write_report(run, run.folder / layout.REPORT, self.experiment.lang, self._text_of())

    def _write_sweep(self, folder: Path, runs: Sequence[Path]) -> None:
        from ragbench.report.sweep import write_sweep_report

        found = [RunDir(path) for path in runs]
        write_sweep_report(folder, found, folder / layout.REPORT, self.experiment.lang, self._text_of())

    def _text_of(self) -> Callable[[str], str | None]:
        """Texts of the documents of the experiment at hand. Runs of one lock have the same ones."""
        return {doc.doc_id: doc.text for doc in self.session.corpus(self.experiment).documents}.get

    def _sink(self) -> Any:
        if self._mlflow is None:
            from ragbench.sink.mlflow import MlflowSink

            self._mlflow = MlflowSink(lang=self.experiment.lang)
        return self._mlflow

    def _track(self, run: RunDir) -> None:
        warning = self._sink().deliver(run, self._parent)
        if warning:
            self.warnings.append(warning)

    def _open_parent(self, name: str, tags: dict[str, str]) -> None:
        self._parent = self._sink().open_sweep(name, tags)
