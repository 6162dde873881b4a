"""The examples of docs/ci do what they say: their steps are run in a new repository."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.e2e.gating import eval_set

CI = Path(__file__).resolve().parents[2] / "docs" / "ci"
SOURCE = CI.parents[1] / "src"
FAST = "variant=bm25 splitter=whole sink=files pipeline.generator.scorer=lexical pipeline.generator.refuse_below=0 judge.semantic=false"
HARM = "splitter=fixed chunk_unit=chars chunk_size=4 overlap=0"


def loaded(name: str) -> Any:
    found = yaml.safe_load((CI / name).read_text(encoding="utf-8"))
    return {("on" if key is True else key): value for key, value in found.items()}  # YAML 1.1 reads `on` as true


def github(name: str, promote: bool = False) -> list[tuple[str, bool]]:
    """The commands of a job, and whether each runs although one before it failed."""
    job = loaded(name)["jobs"]["gate"]
    steps = [step for step in job["steps"] if "run" in step]
    skipped = "${{ !inputs.promote }}" if promote else "${{ inputs.promote }}"
    return [(step["run"], step.get("if") == "always()") for step in steps if step.get("if") != skipped]


def gitlab() -> list[tuple[str, bool]]:
    return [(line, False) for line in loaded("gitlab-ci.yml")["rag"]["script"]]


@pytest.fixture(scope="module")
def repository(tmp_path_factory) -> Iterator[Path]:
    """A repository with an eval set, and `ragbench` and `pip` on the path; the latter installs nothing."""
    folder = tmp_path_factory.mktemp("repository")
    eval_set(folder / "my_set")
    tools = folder / "bin"
    tools.mkdir()
    for name, line in (("ragbench", f'exec "{sys.executable}" -m ragbench "$@"'), ("pip", "exit 0")):
        (tools / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (tools / name).chmod(0o755)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    yield folder


def job(folder: Path, steps: list[tuple[str, bool]], overrides: str = "", options: str = "") -> int:
    """Run a job as the service does: the exit code of the first step that fails, or 0."""
    summary = folder / "summary.md"
    for path in (summary, folder / "gate.md", folder / "gate.xml"):
        path.unlink(missing_ok=True)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("RAGBENCH_")}
    environment = kept | {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(SOURCE), "GITHUB_STEP_SUMMARY": str(summary),
        "EVAL_SET": "my_set", "OVERRIDES": f"{FAST} {overrides}", "OPTIONS": options, "INSTALL": "./ragbench",
    }  # fmt: skip
    failed = 0
    for command, always in steps:
        if failed and not always:
            continue
        if "eval_set=local eval_set.path=my_set" in command:
            command = command.replace("eval_set.path=my_set", f"eval_set.path=my_set {FAST} {overrides}")
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        failed = failed or done.returncode
    return failed


@pytest.mark.slow
def test_the_workflow_promotes_a_baseline_and_then_tells_harm_from_what_is_sound(repository: Path) -> None:
    steps = github("rag-gate.yml")
    assert job(repository, steps) == 3
    assert "ragbench baseline set" in (repository / "summary.md").read_text(encoding="utf-8")
    assert job(repository, github("rag-gate.yml", promote=True)) == 0
    assert (repository / "baselines" / "my_set.json").is_file()
    assert job(repository, steps, options="gate.margin=0.03") == 0
    assert "pass" in (repository / "summary.md").read_text(encoding="utf-8")
    assert job(repository, steps, HARM) == 1
    root = ElementTree.fromstring((repository / "gate.xml").read_bytes())
    assert int(root[0].get("failures") or 0) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["github-actions.yml", "gitlab-ci.yml"])
def test_the_examples_block_what_harms(repository: Path, name: str) -> None:
    if not (repository / "baselines" / "my_set.json").is_file():
        assert job(repository, github("rag-gate.yml", promote=True)) == 0
    steps = gitlab() if name.startswith("gitlab") else github(name)
    assert job(repository, steps, HARM) == 1
    assert job(repository, steps) == 0
    assert (repository / "gate.xml").is_file() and (repository / "gate.md").is_file()


def test_their_inputs_are_quoted_or_variables_of_the_environment() -> None:
    """What a caller gives reaches no shell as program text."""
    for name in ("github-actions.yml", "rag-gate.yml"):
        for step in loaded(name)["jobs"]["gate"]["steps"]:
            assert "${{" not in step.get("run", "")


def test_they_cannot_write_to_the_repository() -> None:
    for name in ("github-actions.yml", "rag-gate.yml"):
        assert loaded(name)["permissions"] == {"contents": "read"}
