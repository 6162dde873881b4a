"""Opening an MLflow store: quiet, without telemetry, an experiment whose artifacts lie at an absolute place."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import quote

DEFAULT_URI = "sqlite:///.ragbench/mlflow.db"
_SQLITE = "sqlite:///"
_QUIET = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_LOGGING_LEVEL": "ERROR",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
}
_LOCK_SECONDS = 120


def tracking_uri(uri: str | None = None) -> str:
    """The given store, else `MLFLOW_TRACKING_URI`, else the sqlite file below `.ragbench`."""
    return uri or os.environ.get("MLFLOW_TRACKING_URI") or DEFAULT_URI


def sqlite_file(uri: str) -> Path | None:
    """The absolute path of a sqlite store's file; None for other stores and for a store in memory."""
    if not uri.startswith(_SQLITE):
        return None
    name = uri.removeprefix(_SQLITE).partition("?")[0]
    return Path(name).absolute() if name and name != ":memory:" else None


def open_client(uri: str) -> Any:
    """An `MlflowClient` of a store; a missing folder of a sqlite file is made. Whatever MLflow raises is passed on.

    The client never starts an *active* run, so nothing can leak from one variant into the next. The first use of a new
    sqlite file runs its migrations (4–5 s).
    """
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    file = sqlite_file(uri)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        uri = f"{_SQLITE}{file.as_posix()}"
    from mlflow.tracking import MlflowClient

    for logger in ("mlflow", "alembic"):
        logging.getLogger(logger).setLevel(logging.ERROR)
    return MlflowClient(tracking_uri=uri)


@contextmanager
def exclusive(uri: str) -> Iterator[None]:
    """One writer at a time on a sqlite file: neither migrations nor writes of two processes meet."""
    file = sqlite_file(uri)
    guard: Any = nullcontext()
    if file is not None:
        from filelock import FileLock

        file.parent.mkdir(parents=True, exist_ok=True)
        guard = FileLock(f"{file}.lock", timeout=_LOCK_SECONDS)
    with guard:
        yield


def experiment_id(client: Any, uri: str, name: str) -> str:
    """The experiment of that name, made where there is none and restored where it was deleted.

    On a sqlite store the artifacts lie beside the file, given as an absolute URI: MLflow's own default is relative to
    the working directory of whoever made the experiment. A server chooses its own place.
    """
    found = client.get_experiment_by_name(name)
    if found is not None:
        if found.lifecycle_stage == "deleted":
            client.restore_experiment(found.experiment_id)
        return str(found.experiment_id)
    file = sqlite_file(uri)
    place = (file.parent / "mlartifacts" / quote(name, safe="")).as_uri() if file is not None else None
    return str(client.create_experiment(name, artifact_location=place))
