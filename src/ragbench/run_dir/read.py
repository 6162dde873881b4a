"""Reading a run directory; every part is read when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from ragbench.core.codec import read_json, read_jsonl
from ragbench.core.rows import from_row
from ragbench.errors import DataError
from ragbench.records.question import Question
from ragbench.records.score import Verdict
from ragbench.records.trace import Trace
from ragbench.run_dir import layout
from ragbench.run_dir.traces import trace_from_row


class RunDir:
    """A finished run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not (folder / layout.MANIFEST).is_file():
            raise DataError(
                f"run {folder}",
                expected=f"a folder with {layout.MANIFEST}",
                found="none",
                hint="List runs with: ragbench ls runs",
            )
        if self.manifest.get("status") != "finished":
            raise DataError(
                f"run {folder.name}",
                expected="a finished run",
                found=f"status {self.manifest.get('status')}",
                hint="Run it again; finished stages are reused.",
            )

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """Status, fingerprints, lock, provenance, durations."""
        path = self.folder / layout.MANIFEST
        try:
            found = read_json(path)
        except ValueError as error:
            raise DataError(str(path), expected="a manifest in JSON", found=str(error)) from error
        if not isinstance(found, dict):
            raise DataError(str(path), expected="a manifest in JSON", found=type(found).__name__)
        return found

    @cached_property
    def summary(self) -> dict[str, Any]:
        """summary.json."""
        found: dict[str, Any] = read_json(self.folder / layout.SUMMARY)
        return found

    @property
    def run_id(self) -> str:
        """Name of the folder."""
        return self.folder.name

    @cached_property
    def config(self) -> str:
        """The resolved configuration as YAML text."""
        return (self.folder / layout.CONFIG).read_text(encoding="utf-8")

    @cached_property
    def questions(self) -> dict[str, Question]:
        """The questions asked, by id, in order."""
        rows = (from_row(Question, row) for row in read_jsonl(self.folder / layout.QUESTIONS))
        return {question.id: question for question in rows}

    def traces(self) -> Iterator[Trace]:
        """Traces in the order of the questions."""
        return map(trace_from_row, read_jsonl(self.folder / layout.TRACES))

    def verdicts(self) -> dict[str, Verdict]:
        """Verdicts by question id; questions without an answer have none."""
        rows = (from_row(Verdict, row) for row in read_jsonl(self.folder / layout.VERDICTS))
        return {verdict.question_id: verdict for verdict in rows}

    def scores(self) -> Iterator[dict[str, Any]]:
        """Rows of scores.jsonl.gz."""
        return read_jsonl(self.folder / layout.SCORES)

    def documents(self) -> list[dict[str, Any]]:
        """Rows of documents.jsonl."""
        return list(read_jsonl(self.folder / layout.DOCUMENTS))

    def chunk_rows(self) -> list[Any]:
        """Rows of chunks.jsonl.gz, by chunk number."""
        return list(read_jsonl(self.folder / layout.CHUNKS))


def read_sweep(folder: Path) -> dict[str, Any]:
    """sweep.json of a finished sweep; raises DataError for any other."""
    try:
        found: dict[str, Any] = read_json(folder / layout.SWEEP)
        status = found.get("status")
    except (ValueError, AttributeError) as error:
        raise DataError(str(folder / layout.SWEEP), expected="a sweep in JSON", found=str(error)) from error
    if status != "finished":
        hint = "Run it again; finished stages are reused."
        raise DataError(f"sweep {folder.name}", expected="a finished sweep", found=f"status {status}", hint=hint)
    return found


def finished_runs(folder: Path) -> list[RunDir]:
    """A run, or the finished runs of a sweep in its order."""
    if not (folder / layout.SWEEP).is_file():
        return [RunDir(folder)]
    points = read_sweep(folder)["points"]
    return [RunDir(folder.parent / point["run_id"]) for point in points if point["status"] == "finished"]


def find_run(name: str, runs: Path) -> Path:
    """The folder of a run or sweep given by path, by id below `runs`, or as `latest`, the one that finished last."""
    if name == "latest":
        states = [path for kind in (layout.MANIFEST, layout.SWEEP) for path in runs.glob(f"*/{kind}")]
        states.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        finished = next((path.parent for path in states if _is_finished(path)), None)
        if finished is None:
            hint = "Make one with: ragbench run"
            raise DataError("run latest", expected=f"a finished run below {runs}", found="none", hint=hint)
        return finished
    for folder in (Path(name), runs / name):
        if folder.is_dir():
            return folder
    raise DataError(
        f"run {name}",
        expected=f"a folder, or a run id below {runs}",
        found="neither",
        hint="List runs with: ragbench ls runs",
    )


def _is_finished(state: Path) -> bool:
    try:
        return bool(read_json(state).get("status") == "finished")
    except (OSError, ValueError):
        return False
