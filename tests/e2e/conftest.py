"""The command line in this process, in an empty working folder, with a store and runs of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ragbench.cli.main import main
from ragbench.core.codec import read_json
from tests.e2e.world import tiny_set


@dataclass(frozen=True)
class Output:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)

    @property
    def run(self) -> Path:
        """The folder named in `run: PATH`."""
        return Path(self._named("run"))

    @property
    def sweep(self) -> Path:
        """The folder named in `sweep: PATH`."""
        return Path(self._named("sweep"))

    @property
    def manifest(self) -> dict[str, Any]:
        """Manifest of the run."""
        found: dict[str, Any] = read_json(self.run / "manifest.json")
        return found

    @property
    def summary(self) -> dict[str, Any]:
        """Summary of the run."""
        found: dict[str, Any] = read_json(self.run / "summary.json")
        return found

    def _named(self, name: str) -> str:
        found = re.findall(rf"^{name}: (.+)$", self.out + self.err, re.MULTILINE)
        assert len(found) == 1, f"no line {name}: in\n{self.out}\n{self.err}"
        return found[0]


Cli = Callable[..., Output]


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """An empty working folder; store and runs lie in it by default."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("RAGBENCH_RUNS")
    monkeypatch.delenv("RAGBENCH_STORE")
    return folder


@pytest.fixture
def cli(here, capfd) -> Cli:
    """Run a command line; `code` is the exit code it must have."""

    def run(*arguments: str, code: int = 0) -> Output:
        capfd.readouterr()
        try:
            found = main([str(argument) for argument in arguments])
        except SystemExit as leave:
            found = int(leave.code or 0)
        printed = capfd.readouterr()
        assert found == code, f"exit {found}, not {code}\n{printed.out}\n{printed.err}"
        assert "Traceback" not in printed.err
        return Output(found, printed.out, printed.err)

    return run


@pytest.fixture(scope="session")
def tiny(tmp_path_factory) -> Path:
    """The trilingual eval set."""
    return tiny_set(tmp_path_factory.mktemp("sets") / "tiny")


@pytest.fixture(scope="session")
def warm(tmp_path_factory) -> Path:
    """A store that tests share where it does not matter what is in it already."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="session")
def models(tmp_path_factory) -> str:
    """An override: the embedder's converted model is shared, which saves seconds for each new store."""
    return f"pipeline.embedder.cache_dir={tmp_path_factory.mktemp('models')}"
