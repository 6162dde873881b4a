"""Two processes on one index."""

from __future__ import annotations

import datetime
import hashlib
import subprocess
import sys
import threading
import time

import pytest

from ragbench.errors import DataError
from ragbench.upkeep.dedupe import dedupe
from ragbench.upkeep.opened import opened
from ragbench.upkeep.prune import prune
from ragbench.upkeep.verify import verify
from tests.unit.upkeep.test_update import same_as_rebuilt

HOLD = """
import sys, time
from pathlib import Path
from ragbench.upkeep.folder import LiveFolder
with LiveFolder(Path(sys.argv[1])).locked("update", 5):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def holder(world, seconds):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(world.root / "live"), str(seconds)], stdout=subprocess.PIPE
    )
    assert process.stdout is not None and process.stdout.readline().strip() == b"held"
    return process


def test_the_second_is_refused_by_name_after_its_wait(world):
    process = holder(world, 60)
    try:
        world.write("new.txt", "new")
        with pytest.raises(DataError, match="to be alone with it") as refused:
            world.update(wait=0.2)
        assert f"update of process {process.pid} at work since 2" in str(refused.value)
        assert "--wait SECONDS" in str(refused.value)
        with pytest.raises(DataError, match="at work since"), opened(world.place().live, world.variant, wait=0.1):
            pass
    finally:
        process.kill()
        process.wait()
    world.update(wait=5)  # a killed holder holds nothing
    same_as_rebuilt(world)


def tree(folder):
    """Hash of every file of an index."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.parametrize("verb", ["update", "prune", "dedupe", "verify"])
def test_a_dry_run_writes_nothing(world, verb):
    live = world.root / "live"
    world.write("twin.md", (world.folder / "zh.md").read_text(encoding="utf-8"), day="2001-01-01")
    world.update()
    world.delete("en/backup.txt")
    before = tree(live)
    place = world.place()
    if verb == "update":
        assert world.update(apply=False).plan.deletes
    elif verb == "prune":
        assert prune(place, 30, datetime.date(2020, 1, 1), apply=False).aged
    elif verb == "dedupe":
        assert dedupe(place, 0.98, loose=False, apply=False).pairs
    else:
        verify(place)
    assert tree(live) == before
    assert "holder.json" not in before


def test_the_second_waits_its_turn(world):
    process = holder(world, 1.5)
    world.write("new.txt", "new")
    started = time.monotonic()
    world.update(wait=60)
    assert time.monotonic() - started > 0.5
    process.wait()
    same_as_rebuilt(world)


def test_many_updates_at_once_leave_one_whole_index(world):
    world.write("new.txt", "new 文档")
    failed: list[BaseException] = []

    def once() -> None:
        try:
            world.update(wait=60)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=once) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    same_as_rebuilt(world)


def test_a_reader_keeps_what_it_opened_while_an_update_follows(world):
    sparse = world.variant.pipeline.sparse
    with opened(world.place().live, world.variant) as built:
        world.delete("en/backup.txt")
        world.update()
        with sparse.open(built.sparse_folder / "data") as index:
            found = {built.chunks[n].doc_id for n in index.search("uid0003", 5)[0].tolist()}
        assert found == {"en/backup.txt"}
    assert world.found("uid0003") == set()
    assert list((world.root / "live").glob(".reading-*")) == []
