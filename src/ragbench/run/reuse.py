"""Finished runs taken over: the same code, configuration and data make the same run.

What a run is made of is one key: the experiment, the bytes of corpus and questions, the bytes of every file of this
package and of the modules of foreign stages, and versions and machine as `provenance` has them. The store remembers by
that key where a run lies and what its files hash to. A run that is found whole is copied into a new run directory whose
manifest names it under `reused`; times in it are those that were measured then. Runs in which anything failed are never
remembered, so that they are made again.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ragbench.core.codec import dumps, loads, read_json, write_json
from ragbench.core.fingerprint import fingerprint
from ragbench.core.stage import Stage
from ragbench.corpus.loader import raw_hashes
from ragbench.eval_set.source import CORPUS
from ragbench.llm.cassettes import recordings_key
from ragbench.llm.within import models_within
from ragbench.run.experiment import Experiment
from ragbench.run.judge_facts import judge_card
from ragbench.run.provenance import provenance
from ragbench.run.session import Session
from ragbench.run_dir import layout
from ragbench.run_dir.write import new_folder

_COPIED = (layout.QUESTIONS, layout.TRACES, layout.DOCUMENTS, layout.CHUNKS, layout.VERDICTS, layout.SCORES)
_HASHED = (*_COPIED, layout.SUMMARY, layout.MANIFEST)
_OWN = "ragbench"


def may_be_taken_over(experiment: Experiment) -> bool:
    """Whether a finished run may stand for this one: not where its replies are to be written to cassettes."""
    records = experiment.calls.mode == "record" and bool(models_within(experiment.pipeline, experiment.judge))
    return experiment.reuse and not records


def run_key(experiment: Experiment, session: Session) -> str:
    """Key of everything a run's files depend on but the time that things took."""
    folder = experiment.source.folder()
    made = provenance()
    where = {name: made[name] for name in ("ragbench", "python", "platform", "cpu", "libraries")}
    return fingerprint(
        "run",
        experiment.fingerprint(),
        _mode(experiment, session),
        judge_card(experiment),
        [experiment.label, dict(experiment.variant), list(experiment.fallback), experiment.judged],
        session.memo(("files", str(folder.resolve()), experiment.loader.fingerprint()), lambda: _data_key(folder)),
        str(folder.resolve()),
        [_package_hash(), _foreign_hash(experiment), np.__version__, where],
    )


def _mode(experiment: Experiment, session: Session) -> list[str]:
    """How models are called, where any are asked: what stages do without them is another run; a replay is made of its
    recordings."""
    if not models_within(experiment.pipeline, experiment.judge):
        return []
    calls = experiment.calls
    recorded = ("recordings", calls.cassettes)
    return [
        calls.mode,
        session.memo(recorded, lambda: recordings_key(calls.cassettes)) if calls.mode == "replay" else "",
    ]


def is_known(experiment: Experiment, session: Session) -> bool:
    """Whether a finished run is remembered that may stand for this one; its files are not looked at."""
    if not may_be_taken_over(experiment):
        return False
    key = run_key(experiment, session)
    return key in session.store.table("runs").get_many([key])


def taken_over(key: str, experiment: Experiment, session: Session) -> tuple[Path, dict[str, Any]] | None:
    """A copy of the run remembered under a key as a new run directory, and its summary; None where there is none, or
    where a file of it is gone or is not the one that was written."""
    known = session.store.table("runs").get_many([key]).get(key)
    if known is None:
        return None
    where = loads(known)
    former = Path(where["folder"])
    files = {name: _read(former / name) for name in _HASHED}
    if any(data is None or _hash(data) != where["files"].get(name) for name, data in files.items()):
        return None
    held = {name: data for name, data in files.items() if data is not None}
    folder = new_folder(experiment.places.runs, experiment.fingerprint()[:8])
    manifest = loads(held[layout.MANIFEST])
    begun = {"run_id": folder.name, "status": "running"}
    write_json(folder / layout.MANIFEST, manifest | begun)
    (folder / layout.CONFIG).write_text(experiment.config, encoding="utf-8")
    for name in _COPIED:
        (folder / name).write_bytes(held[name])
    summary = loads(held[layout.SUMMARY]) | {"run_id": folder.name}
    write_json(folder / layout.SUMMARY, summary)
    first = manifest.get("reused") or {"run": former.name, "folder": str(former), "started": manifest["started"]}
    ended = {"run_id": folder.name, "provenance": provenance(), "reused": first, "stages": STAGES}
    write_json(folder / layout.MANIFEST, manifest | ended)
    return folder, summary


STAGES: Mapping[str, Mapping[str, int]] = {"reused": {"run": 1}, "computed": {}, "embedded": {"texts": 0}}
"""What a run that was taken over did."""


def remember(key: str, folder: Path, session: Session) -> None:
    """Note a finished run; one in which a question, a cell, a verdict or a reranking failed is not noted."""
    summary = read_json(folder / layout.SUMMARY)
    if summary["health"] or _failed(summary) or b'"error":"' in (folder / layout.VERDICTS).read_bytes():
        return
    files = {name: _hash((folder / name).read_bytes()) for name in _HASHED}
    session.store.table("runs").put_many({key: dumps({"folder": str(folder.resolve()), "files": files})})


def _failed(summary: Mapping[str, Any]) -> bool:
    cells = any(one["n_failed"] for one in summary["metrics"].values())
    facts = summary["cost"]["facts"]
    lacking = facts.get("reranker", {}).get("failed") or facts.get("query", {}).get("fallbacks")
    return cells or bool(summary["diagnosis"].get("failed")) or bool(lacking)


def _data_key(folder: Path) -> str:
    """Hash of the files of the corpus and of those beside it."""
    beside = {path.name: _hash(path.read_bytes()) for path in sorted(folder.iterdir()) if path.is_file()}
    return fingerprint(beside, raw_hashes(folder / CORPUS))


@cache
def _package_hash() -> str:
    root = str(Path(__file__).resolve().parents[1])
    found = hashlib.sha256()
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if name != "__pycache__")
        found.update(folder.removeprefix(root).replace(os.sep, "/").encode())
        for name in sorted(names):
            with open(os.path.join(folder, name), "rb", buffering=0) as handle:  # noqa: PTH123, PTH118 - 500 files
                data = handle.read()
            found.update(f"\0{name}\0{len(data)}\0".encode() + data)
    return found.hexdigest()


def _foreign_hash(experiment: Experiment) -> str:
    """Hash of the modules of stages that are not this package's; beyond that their `VERSION` must tell of changes, as
    it does for everything that is stored."""
    names = sorted({type(stage).__module__ for stage in _stages(experiment)})
    foreign = [name for name in names if name.partition(".")[0] != _OWN]
    sources = [_read(Path(getattr(sys.modules[name], "__file__", None) or "")) for name in foreign]
    return fingerprint(foreign, [_hash(source or b"") for source in sources])


def _stages(experiment: Experiment) -> Iterator[Stage]:
    pending: list[Any] = [experiment.pipeline, experiment.loader, experiment.judge]
    while pending:
        one = pending.pop()
        if isinstance(one, Stage):
            yield one
            pending += [getattr(one, field.name) for field in fields(one)]
        elif isinstance(one, list | tuple):
            pending += one
        elif isinstance(one, Mapping):
            pending += one.values()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
