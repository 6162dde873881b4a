"""Shared fixtures, and the promise that tests do not hide.

`RAGBENCH_DATA` is the folder of public data (default `../shared/data` beside the repository), `RAGBENCH_MLFLOW_PYTHON` an
interpreter that has MLflow's server (default: this one). `RAGBENCH_REQUIRE` names what must be there, of `data`,
`browser`, `gguf`, `ragas`, `st`, `ui`: a test that would be skipped for lack of it then fails. Property tests try the
same examples each time; with `RAGBENCH_FUZZ=1` they draw new ones.
Everything a test writes goes to a folder of this session; nothing talks to another machine.
"""

from __future__ import annotations

import gc
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("RAGBENCH_DATA") or ROOT.parent / "shared" / "data")
NEEDS = {
    "data": re.compile(r"RAGBENCH_DATA|data folder", re.IGNORECASE),
    "browser": re.compile(r"chromium|browser|playwright", re.IGNORECASE),
    "gguf": re.compile(r"\bgguf\b", re.IGNORECASE),
    "ragas": re.compile(r"\bragas\b", re.IGNORECASE),
    "st": re.compile(r"\btorch\b|sentence.transformers", re.IGNORECASE),
    "ui": re.compile(r"\bextra ui\b", re.IGNORECASE),
}
REQUIRED = frozenset(filter(None, re.split(r"[,\s]+", os.environ.get("RAGBENCH_REQUIRE", ""))))
FENCED_VARIABLES = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "ANONYMIZED_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "true",
    "RAGBENCH_REUSE": "false",
}
settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
if not os.environ.get("RAGBENCH_FUZZ"):
    settings.load_profile("fixed")
SESSION_FOLDER = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Point store, runs and MLflow at a folder of this session; workers of pytest-xdist inherit it."""
    unknown = sorted(REQUIRED - NEEDS.keys())
    if unknown:
        raise pytest.UsageError(f"RAGBENCH_REQUIRE: expected some of {', '.join(NEEDS)}, found {', '.join(unknown)}")
    os.environ.update(FENCED_VARIABLES)
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):
        os.environ.pop(name, None)
    if hasattr(config, "workerinput"):
        return
    folder = Path(tempfile.mkdtemp(prefix="ragbench-tests-"))
    config.stash[SESSION_FOLDER] = folder
    # It is there from the start: what Hydra composed is kept in a store that exists, so that no test composes it again.
    (folder / "store").mkdir()
    os.environ["RAGBENCH_STORE"] = str(folder / "store")
    os.environ["RAGBENCH_RUNS"] = str(folder / "runs")
    os.environ["MLFLOW_TRACKING_URI"] = f"sqlite:///{folder / 'mlflow.db'}"


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the session's folder."""
    if SESSION_FOLDER in config.stash:
        shutil.rmtree(config.stash[SESSION_FOLDER], ignore_errors=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that need torch come first and so in one worker: to import it takes ten to twenty seconds of each."""
    items.sort(key=lambda item: item.get_closest_marker("st") is None)


def pytest_collection_finish() -> None:
    """Half a million objects of thirteen thousand tests stay to the end: the garbage collector need not look at them."""
    gc.collect()
    gc.freeze()


def missing_requirement(reason: str, marks: set[str]) -> str | None:
    """Which required thing a skip is about: by the words of its reason, and where they name none by the test's markers."""
    named = {name for name, words in NEEDS.items() if words.search(reason)} or marks
    return min(named & REQUIRED, default=None)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A required skip is a failure."""
    outcome: Any = yield
    report = outcome.get_result()
    _fail_if_required(report, {mark.name for mark in item.iter_markers()})


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    """The same for a module that skips itself."""
    outcome: Any = yield
    _fail_if_required(outcome.get_result(), set())


def _fail_if_required(report: Any, marks: set[str]) -> None:
    if report.outcome != "skipped" or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    name = missing_requirement(reason, marks)
    if name is not None:
        report.outcome = "failed"
        report.longrepr = f"{reason} (required by RAGBENCH_REQUIRE={name})"


@pytest.fixture(scope="session")
def repo() -> Path:
    """Root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The public data folder; skips when it is absent."""
    if not DATA.is_dir():
        pytest.skip(f"no data folder at {DATA}; set RAGBENCH_DATA")
    return DATA


@pytest.fixture(autouse=True, scope="session")
def loopback_only() -> Iterator[None]:
    """Connections to anything but this machine are errors."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
        yield


def _guarded(connect: Any) -> Any:
    def guarded(self: socket.socket, address: Any) -> Any:
        host = address[0] if isinstance(address, tuple) else None
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(str(host)):
            raise ConnectionRefusedError(f"tests may not connect to {host}")
        return connect(self, address)

    return guarded


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")
