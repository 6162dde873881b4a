"""Many configurations that nobody thought of: each runs or is refused in words, and what must hold of every run does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragbench.cli.main import main
from ragbench.core.codec import read_json
from tests.e2e.configurations import check_run, drawn
from tests.e2e.timeless import everything
from tests.e2e.world import local

FEW = range(6)
MANY = range(int(os.environ.get("RAGBENCH_SOAK") or 200))
REFUSED, FINISHED = 2, 0


def run_folder(printed: str) -> Path:
    return Path(next(line.removeprefix("run: ") for line in printed.splitlines() if line.startswith("run: ")))


def soak(seed: int, tiny: Path, models: str, warm: Path, capfd) -> bool:
    """Whether the configuration ran; twice, in a store that others fill and in a new one, with the same result."""
    asked = ["run", *local(tiny), "sink=files", models, *drawn(seed)]
    capfd.readouterr()
    code = main([*asked, f"paths.store={warm}", "paths.runs=runs/warm"])
    printed = capfd.readouterr()
    assert "Traceback" not in printed.err
    assert code in (FINISHED, REFUSED), (code, asked, printed.err)
    if code == REFUSED:
        assert "expected" in printed.err and "found" in printed.err, (asked, printed.err)
        return False
    first = run_folder(printed.out)
    check_run(first, asked)
    assert main([*asked, "paths.store=cold", "paths.runs=runs/cold"]) == FINISHED
    files, again = everything(first), everything(run_folder(capfd.readouterr().out))
    differ = [name for name, content in files.items() if again[name] != content]
    assert not differ, (differ, asked)
    shutil.rmtree("cold")
    return True


@pytest.mark.slow
@pytest.mark.parametrize("seed", FEW)
def test_a_configuration_drawn_at_random(here, tiny, models, warm, capfd, seed) -> None:
    soak(seed, tiny, models, warm, capfd)


@pytest.mark.slow
@pytest.mark.large
def test_hundreds_of_them(here, tiny, models, warm, capfd) -> None:
    ran = sum(soak(seed, tiny, models, warm, capfd) for seed in MANY)
    assert ran >= len(MANY) // 2, f"only {ran} of {len(MANY)} configurations ran"


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [10, pytest.param(100, marks=pytest.mark.large)])
def test_killed_at_random_moments_and_run_again_it_is_the_same(cli, tiny, here, repo, models, rounds) -> None:
    asked = [
        "sweep", *local(tiny), "sink=files", "split=all", models, "variant=bm25,hybrid_rerank", "judge=offline",
    ]  # fmt: skip
    begun = time.monotonic()
    whole = cli(*asked, "paths.store=whole", "paths.runs=runs/whole")
    span = time.monotonic() - begun
    torn = [*asked, "paths.store=torn", "paths.runs=runs/torn"]
    command = [sys.executable, "-m", "tests.e2e.killed", str(rounds), "0", str(span), *torn]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(repo), str(repo / "src")))}
    done = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=True)
    assert int(done.stdout) >= rounds // 2, done.stdout
    after = cli(*torn)
    for first, again in zip(run_folders(whole.sweep), run_folders(after.sweep), strict=True):
        files, others = everything(first), everything(again)
        assert not [name for name, content in files.items() if others[name] != content]
    finished = [path for path in Path("runs/torn").glob("*/manifest.json") if read_json(path)["status"] == "finished"]
    assert all((path.parent / "summary.json").is_file() for path in finished)


def run_folders(sweep: Path) -> list[Path]:
    return [sweep.parent / row["run_id"] for row in read_json(sweep / "sweep.json")["points"]]
