"""Killed processes, and several at once on one store."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from ragbench.core.codec import read_json, read_jsonl
from ragbench.core.store import Store
from tests.e2e.timeless import everything
from tests.e2e.world import OFFLINE, local

PATIENCE = 120


def start(here: Path, repo: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(repo), str(repo / "src")))}
    command = [sys.executable, "-m", "ragbench", *arguments]
    # What a shell starts in the background ignores interrupts, and so do its children unless told otherwise.
    heard = None if os.name == "nt" else partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(
        command, cwd=here, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heard
    )


def wait_for(condition, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, f"ended before: {process.communicate()}"
        assert time.monotonic() < end
        time.sleep(0.02)


def statuses(runs: Path) -> Counter[str]:
    return Counter(read_json(path)["status"] for path in runs.glob("*/manifest.json"))


def test_a_killed_sweep_goes_on_where_it_was(cli, tiny, here, repo, models):
    asked = [
        "sweep", *local(tiny), *OFFLINE, models, "variant=dense", "allowed_targets=[tests.e2e]",
        "pipeline.generator._target_=tests.e2e.stages.SlowGenerator", "+pipeline.generator.seconds=0.1", "chunk_unit=chars", "chunk_size=60,120,40",
    ]  # fmt: skip
    process = start(here, repo, *asked)
    runs = here / "runs"
    wait_for(lambda: statuses(runs) == {"finished": 1, "running": 1}, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (killed,) = [path.parent for path in runs.glob("*/manifest.json") if read_json(path)["status"] == "running"]
    (before,) = [path.parent for path in runs.glob("*/manifest.json") if read_json(path)["status"] == "finished"]
    (sweep,) = runs.glob("sweep-*")
    refused = cli("report", killed.name, code=2)
    assert f"run {killed.name}: expected a finished run, found status running" in refused.err
    refused = cli("report", sweep.name, code=2)
    assert f"sweep {sweep.name}: expected a finished sweep, found status running" in refused.err
    assert [row["status"] for row in cli("ls", "runs", "--json").json] == ["finished", "running"]

    again = read_json(cli(*asked).sweep / "sweep.json")
    assert again["status"] == "finished"
    first, second, third = [point["stages"] for point in again["points"]]
    for finished in (first, second):  # the killed run's index was committed before its first question
        assert finished["computed"] == {}
    assert first["embedded"] == {"texts": 0}
    assert third["computed"] == {"chunks": 1, "index": 1}
    assert third["embedded"]["texts"] > 0
    assert statuses(runs) == {"finished": 4, "running": 1}
    assert before.name.replace("-1", "-2") in [point["run_id"] for point in again["points"]]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are told by /proc")
def test_the_processes_of_a_killed_sweep_end_and_another_sweep_takes_up_what_they_finished(cli, tiny, here, repo):
    asked = [
        "sweep", *local(tiny), *OFFLINE, "variant=bm25", "allowed_targets=[tests.e2e]", "reuse=true",
        "pipeline.generator._target_=tests.e2e.stages.SlowGenerator", "+pipeline.generator.seconds=0.1", "chunk_unit=chars",
        "chunk_size=60,120,40,80", "--jobs", "2", "--no-check",
    ]  # fmt: skip
    process = start(here, repo, *asked)
    wait_for(lambda: statuses(here / "runs")["finished"] >= 1, process)
    workers = [int(word) for word in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert len(workers) >= 2
    end = time.monotonic() + PATIENCE
    while any(map(_lives, workers)):
        assert time.monotonic() < end, "a process of the killed sweep goes on"
        time.sleep(0.05)
    finished = statuses(here / "runs")["finished"]
    again = read_json(cli(*asked).sweep / "sweep.json")
    taken = [point for point in again["points"] if point["stages"]["reused"] == {"run": 1}]
    assert again["status"] == "finished" and len(again["points"]) == 4
    assert finished >= len(taken) >= 1


def _lives(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


BUILD = """
import sys, time
from pathlib import Path
from ragbench.core.store import Store
def build(folder):
    (folder / "half.txt").write_text("half")
    Path(sys.argv[2]).touch()
    time.sleep(600)
Store(Path(sys.argv[1])).get_or_build("chunks", "ab" * 32, build)
"""


def test_a_killed_build_leaves_no_artifact(cli, here):
    root, mark = here / ".ragbench" / "store", here / "mark"
    process = subprocess.Popen([sys.executable, "-c", BUILD, str(root), str(mark)])
    while not mark.exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    store = Store(root)
    assert store.find("chunks", "ab" * 32) is None
    assert list(store.entries()) == []
    built = store.get_or_build("chunks", "ab" * 32, lambda folder: (folder / "whole.txt").write_text("whole"))
    assert [path.name for path in built.iterdir() if path.name != "_meta.json"] == ["whole.txt"]
    (left,) = store.debris(time.time() + 1)
    assert (left / "half.txt").exists()
    assert "0 artifacts, 0 B" in cli("cache", "prune", "--older-than", "1").out
    assert "would delete 1 artifacts and 1 leftovers" in cli("cache", "prune", "--older-than", "-1").out
    assert left.exists()
    cli("cache", "prune", "--older-than", "-1", "--yes")
    assert not left.exists()
    assert list(Store(root).entries()) == []


def test_processes_share_a_store(tiny, here, repo, models):
    slow = [  # long enough that both are at it at once
        "allowed_targets=[tests.e2e]", "splitter=whole", "pipeline.splitter._target_=tests.e2e.stages.SlowSplitter",
        "+pipeline.splitter.seconds=0.8",
    ]  # fmt: skip
    asked = ["run", *local(tiny), *OFFLINE, models, "variant=hybrid"]
    processes = [start(here, repo, *asked, *more) for more in (slow, slow, ["chunk_size=60"])]
    outputs = [process.communicate(timeout=PATIENCE) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], outputs
    one, two, other = (here / out.split("run: ")[1].splitlines()[0] for out, _ in outputs)
    assert one != two
    assert everything(one) == everything(two)
    computed: Counter[str] = Counter()
    for run in (one, two, other):
        stages = read_json(run / "manifest.json")["stages"]
        computed.update(stages["computed"])
        assert sum(stages["computed"].values()) + sum(stages["reused"].values()) == 4
    assert computed == {"corpus": 1, "chunks": 2, "sparse": 2, "index": 2}
    assert list(here.rglob("*corrupt*")) == []
    assert {row["question_id"] for row in read_jsonl(other / "traces.jsonl")} == {
        row["question_id"] for row in read_jsonl(one / "traces.jsonl")
    }


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_is_told_and_the_run_is_marked(tiny, here, repo):
    asked = [
        "run", *local(tiny), *OFFLINE, "variant=bm25", "allowed_targets=[tests.e2e]",
        "pipeline.generator._target_=tests.e2e.stages.SlowGenerator", "+pipeline.generator.seconds=60",
    ]  # fmt: skip
    process = start(here, repo, *asked)
    wait_for(lambda: statuses(here / "runs") == {"running": 1}, process)
    process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=15)
    except subprocess.TimeoutExpired:
        # Python drops an interrupt that meets the callback of a weak reference; one asks again.
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "interrupted; finished stages are kept" in err
    assert "Traceback" not in err
    assert statuses(here / "runs") == {"failed": 1}
