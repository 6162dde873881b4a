"""The wheel is whole: built from the source distribution, installed alone, it lists and runs in an empty folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("configs", "experiments", "eval_sets")
TRIED = "tried.recording.jsonl"
FILES = ("pyproject.toml", "setup.py", "MANIFEST.in", "LICENSE", "README.md", "README.zh-CN.md", "CHANGELOG.md")
pytestmark = pytest.mark.slow


def call(*command: str | Path, cwd: Path) -> str:
    """Run a command as a user would, with nothing of this session in its environment."""
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("RAGBENCH_", "PYTHON", "MLFLOW_TRACKING"))
    }
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("source")
    for name in FILES:
        shutil.copy(ROOT / name, source)
    unwanted = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in ("src", *SHIPPED):
        shutil.copytree(ROOT / name, source / name, ignore=unwanted)
    (source / "cassettes").mkdir()
    for path in (ROOT / "cassettes").rglob("*.jsonl"):
        copy = source / path.relative_to(ROOT)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(path, copy)
    for name in (TRIED, f"{TRIED}.lock"):
        (source / "cassettes" / name).touch()
    call(sys.executable, "-m", "build", "--no-isolation", "--outdir", source / "dist", source, cwd=source)
    return next((source / "dist").glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `ragbench` of an environment that holds the wheel and sees the dependencies of this one."""
    home = tmp_path_factory.mktemp("home") / "venv"
    call(sys.executable, "-m", "venv", "--without-pip", home, cwd=home.parent)
    scheme = sysconfig.get_path("purelib", "venv", {"base": str(home), "platbase": str(home)})
    python = Path(sysconfig.get_path("scripts", "venv", {"base": str(home)})) / "python"
    call(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index", wheel, cwd=home)
    (Path(scheme) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python.with_name("ragbench")


def test_the_wheel_carries_every_shipped_file(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        everything = {name: archive.read(name) for name in archive.namelist()}
    carried = {name: data for name, data in everything.items() if "/assets_data/" in name}
    expected = {
        f"ragbench/assets_data/{path.relative_to(ROOT).as_posix()}": path.read_bytes()
        for folder in SHIPPED
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in path.relative_to(ROOT).parts)
    }
    expected |= {
        f"ragbench/assets_data/{path.relative_to(ROOT).as_posix()}": path.read_bytes()
        for path in (ROOT / "cassettes").rglob("*.jsonl")
    }
    expected[f"ragbench/assets_data/cassettes/{TRIED}"] = b""
    assert any(" " in name and not name.isascii() for name in expected), (
        "no file name with Chinese and a blank is tried"
    )
    assert carried == expected
    source = ROOT / "src"
    ours = {path.relative_to(source).as_posix() for path in (source / "ragbench").rglob("*") if path.is_file()}
    lost = sorted(name for name in ours if "__pycache__" not in name and name not in everything)
    assert not lost


def test_it_lists_and_runs_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    assert str(ROOT) not in call(
        installed.with_name("python"), "-c", "import ragbench; print(ragbench.__file__)", cwd=tmp_path
    )
    assert {"splitter", "retriever", "eval_set"} <= json.loads(call(installed, "ls", "--json", cwd=tmp_path)).keys()
    stages = ("retriever=sparse", "pipeline.generator.scorer=lexical", "judge.semantic=false", "sink=files")
    overrides = ("eval_set=policy_zh", "split=dev", *stages, "sink.report=true")
    summary = json.loads(call(installed, "run", *overrides, "--json", cwd=tmp_path))
    assert 0 < summary["metrics"]["retrieval/recall@5"]["mean"] <= 1
    replay = ("query=step_back", "llm=gguf", "calls.mode=replay", "questions=48")
    told = json.loads(call(installed, "run", "eval_set=policy_zh", *replay, *stages, "--json", cwd=tmp_path))
    assert told["cost"]["models"]["query"]["calls"] == told["n_questions"] == 48 and told["health"] == []
    assert {path.name for path in tmp_path.iterdir()} == {"runs", ".ragbench"}
    for name in ("summary.json", "report.html"):
        assert (tmp_path / "runs" / summary["run_id"] / name).is_file()


def test_it_makes_a_project_that_runs(installed: Path, tmp_path: Path) -> None:
    call(installed, "init", "my-rag", cwd=tmp_path)
    fast = ("variant=bm25", "pipeline.generator.scorer=lexical", "judge.semantic=false", "sink=files")
    summary = json.loads(call(installed, "run", *fast, "--json", cwd=tmp_path / "my-rag"))
    assert (summary["eval_set"]["name"], summary["n_questions"]) == ("my_docs", 10)
    assert 0 < summary["metrics"]["retrieval/recall@5"]["mean"] <= 1
