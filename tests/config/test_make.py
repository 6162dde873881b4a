"""The Makefile hands every key=value of its command line to the verb, unharmed; help, clean and stamps keep their word."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
STUB = '#!/bin/sh\nfor argument in "$@"; do printf "<%s>\\n" "$argument"; done\n'


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A folder with our Makefile and a stand-in for ragbench that prints its arguments."""
    for name in ("Makefile", "pyproject.toml", "setup.py"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    folder = tmp_path / ".venv" / "bin"
    folder.mkdir(parents=True)
    for name in ("python", "ragbench"):
        (folder / name).write_text(STUB if name == "ragbench" else "#!/bin/sh\nexit 0\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    done = make(tmp_path, "setup")
    assert done.returncode == 0, done.stderr
    return tmp_path


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(
        ["make", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def passed_on(folder: Path, *arguments: str) -> list[str]:
    done = make(folder, *arguments)
    assert done.returncode == 0, done.stderr
    return re.findall(r"<(.*?)>\n", done.stdout, re.DOTALL)


HARD = [
    "chunk_size=200,500,800",
    "question=年假有多少天？",
    "question=how many days, and when",
    "eval_set.path=/tmp/my own folder",
    "x=it's",
    'x="quoted"',
    "x='single'",
    "price=$5 and $(shell echo no) and ${HOME}",
    "x=a$b$$c",
    "x=back\\slash",
    "x=hash # not a comment",
    "x=semi;colon&and|pipe>out`tick`",
    "+new.key=1",
    "++forced=2",
    "retriever.weights.dense=0.5",
    "list=[1,2,3]",
    "map={a: 1, b: 2}",
    "x=a=b",
    "empty=",
    "star=*",
    "x=100%",
]


@pytest.mark.parametrize("verb", ["run", "sweep"])
@pytest.mark.parametrize("override", HARD)
def test_an_override_arrives_as_it_was_typed(house: Path, verb: str, override: str) -> None:
    assert passed_on(house, verb, override) == [verb, override]


def test_many_overrides_arrive_in_their_order(house: Path) -> None:
    given = ["variant=bm25,dense", "chunk_size=200,500", "b=k=5 alpha=7", "alpha=0.3", "k=10"]
    assert passed_on(house, "sweep", *given) == ["sweep", *given]


def test_what_only_looks_like_an_override_inside_a_value_is_not_one(house: Path) -> None:
    assert passed_on(house, "run", "b=k=5 alpha=7") == ["run", "b=k=5 alpha=7"]


def test_variables_of_make_and_the_environment_stay_out(house: Path) -> None:
    assert passed_on(house, "run", "PYTHON=python3", "PYTEST_ARGS=-x", "alpha=1") == ["run", "alpha=1"]


def test_values_do_not_become_environment_variables(house: Path) -> None:
    (house / ".venv" / "bin" / "ragbench").write_text("#!/bin/sh\nenv\n", encoding="utf-8")
    assert not re.search("^alpha=", make(house, "run", "alpha=0.3").stdout, re.MULTILINE)


def test_report_takes_a_run_and_means_the_latest_without(house: Path) -> None:
    assert passed_on(house, "report", "RUN=runs/my run's-1") == ["report", "runs/my run's-1"]
    assert passed_on(house, "report") == ["report", "latest"]


def test_compare_takes_two_runs_or_a_sweep_and_further_arguments(house: Path) -> None:
    assert passed_on(house, "compare", "A=runs/my run's-1", "B=年假-2") == ["compare", "runs/my run's-1", "年假-2"]
    assert passed_on(house, "compare", "A=sweep-1", "ARGS=--multi --json") == [
        "compare",
        "sweep-1",
        "--multi",
        "--json",
    ]


def test_gate_takes_a_run_or_the_latest_and_its_options(house: Path) -> None:
    assert passed_on(house, "gate", "RUN=runs/my run's-1", "gate.margin=0.1") == [
        "gate", "runs/my run's-1", "gate.margin=0.1",
    ]  # fmt: skip
    assert passed_on(house, "gate") == ["gate"]


def test_a_baseline_is_of_a_run_that_is_named(house: Path) -> None:
    assert passed_on(house, "baseline", "RUN=改名-1") == ["baseline", "set", "改名-1"]
    done = make(house, "baseline")
    assert done.returncode != 0 and "make baseline RUN=" in done.stderr and "<set>" not in done.stdout


def test_a_failing_verb_fails_make(house: Path) -> None:
    (house / ".venv" / "bin" / "ragbench").write_text("#!/bin/sh\necho no\nexit 3\n", encoding="utf-8")
    for target in ("run", "sweep", "gate", "report", "demo"):
        done = make(house, target)
        assert done.returncode != 0
        assert "no" in done.stdout


def test_demo_runs_the_presets_on_both_sets_and_chroma(house: Path) -> None:
    done = make(house, "demo", "split=dev")
    presets = "variant=bm25,dense,hybrid,hybrid_rerank"
    assert re.findall(r"<(.*?)>\n", done.stdout) == [
        "sweep", "eval_set=policy_zh", presets, "split=dev",
        "sweep", "eval_set=product_en", presets, "split=dev",
        "run", "eval_set=policy_zh", "variant=hybrid", "index=chroma", "split=dev",
    ]  # fmt: skip


def test_help_is_the_default_and_lists_every_target(house: Path) -> None:
    shown = make(house).stdout
    assert shown == make(house, "help").stdout
    named = re.findall(r"^  make ([a-z-]+) ", shown, re.MULTILINE)
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert phony is not None
    assert sorted(named) == sorted(phony[1].split())


def test_setup_runs_once_until_a_requirement_changes(house: Path) -> None:
    assert "pip install" not in make(house, "setup").stdout
    with (house / "requirements" / "constraints.txt").open("a", encoding="utf-8") as handle:
        handle.write("# changed\n")
    assert "pip install" in make(house, "setup").stdout


def test_bench_measures_speed_and_leaves_the_calibration_alone(house: Path) -> None:
    for folder in (".venv", ".bench-venv", ".loop-venv"):
        (house / folder / "bin").mkdir(parents=True, exist_ok=True)
        (house / folder / "bin" / "python").write_text(STUB, encoding="utf-8")
        (house / folder / "bin" / "python").chmod(0o755)
    done = make(house, "bench")
    assert done.returncode == 0, done.stderr
    said = re.findall(r"<(.*?)>\n", done.stdout)
    peer = ["--peer", ".bench-venv/bin/python"]
    splitters = ["benchmarks/splitters.py", "--rounds", "1", *peer]
    loop = ["--loop", ".loop-venv/bin/python"]
    grids = ["benchmarks/peers.py", "--rounds", "1", *peer, *loop, "benchmarks/fusion_grid.py", "--rounds", "1"]
    speed = ["benchmarks/sweep.py", *peer, *grids, "benchmarks/scale.py", "benchmarks/embedder.py", "speed", *splitters]
    assert said[-len(speed) :] == speed
    assert "chonkie==1.7.0" in said and "langchain-text-splitters" in said
    assert [word for word in said if word.startswith("context-grid")] == ["context-grid==0.9.5"]
    assert "rank-bm25==0.2.2" in said and "chromadb" in said
    again = make(house, "bench").stdout
    assert "context-grid" not in again and "rank-bm25" not in again, "the environments are made once"


def test_clean_keeps_results(house: Path) -> None:
    kept = [
        house / name for name in ("runs/r-1/summary.json", ".ragbench/mlflow.db", ".ragbench/store/x", "reports/r.html")
    ]
    for path in [*kept, house / "build" / "x", house / "src" / "__pycache__" / "x"]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    for name in ("tests", "benchmarks"):
        (house / name).mkdir(exist_ok=True)
    assert make(house, "clean").returncode == 0
    assert all(path.exists() for path in kept)
    assert not (house / "build").exists()
    assert not (house / "src" / "__pycache__").exists()


def test_only_syntax_of_make_3_81() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert not re.search(
        r"^\.ONESHELL|^\.RECIPEPREFIX|\$\(file |^undefine |::=|!=|\$\(guile|\$\(let |\$\(intcmp", text, re.MULTILINE
    )


def test_no_address_is_written_down() -> None:
    for path in (ROOT / "Makefile", *(ROOT / "requirements").iterdir(), ROOT / ".ci" / "run"):
        assert "://" not in path.read_text(encoding="utf-8"), path.name
