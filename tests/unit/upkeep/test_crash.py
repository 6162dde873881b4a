"""Processes killed with SIGKILL at every step of a change, and sides that were damaged on disk."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from ragbench.errors import DataError
from ragbench.upkeep.folder import LiveFolder
from ragbench.upkeep.opened import opened
from ragbench.upkeep.verify import verify
from tests.unit.upkeep.test_update import same_as_rebuilt
from tests.unit.upkeep.world import World

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
STEPS = ("index.json", "journal.json", "catalogue.json", "sparse.json", "dense.json")


def killed(world: World, step: str, after: bool = False) -> None:
    """Update in a child process that is killed before a file is put in place (or, `after`, before the next is)."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        passed = False

        def strike(event: str, given: tuple[object, ...]) -> None:
            nonlocal passed
            if event == "os.rename" and str(given[1]).endswith(f"/{step}"):
                if not after:
                    os.kill(os.getpid(), signal.SIGKILL)
                passed = True
            elif passed and event in ("os.rename", "os.remove", "shutil.rmtree"):
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(strike)
        try:
            world.update()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def killed_while_removing(world: World) -> None:
    """Update in a child process that is killed when it has deleted the meta file of an old list of documents alone."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        unlink, rmtree = os.unlink, shutil.rmtree

        def strike(path: object, **given: object) -> None:
            if path == "_meta.json":
                unlink(path, **given)
                os.kill(os.getpid(), signal.SIGKILL)

        def removal(path: object, *given: object, **more: object) -> None:
            if Path(f"{path}/documents.jsonl").exists():
                os.unlink = strike
            rmtree(path, *given, **more)

        shutil.rmtree = removal
        try:
            world.update()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def lying_about(world: World, text: str) -> list[str]:
    """Files of the index that hold a text."""
    files = [path for path in (world.root / "live").rglob("*") if path.is_file()]
    return sorted(path.name for path in files if text.encode() in path.read_bytes())


def changed(world: World) -> None:
    world.delete("en/backup.txt")
    world.write("zh.md", "改写之后 quokka")
    world.write("new.txt", "added uid0077")


def left_behind(world: World) -> list[str]:
    """Files that were to replace another one."""
    return sorted(path.name for path in (world.root / "live").rglob(".*.json.*"))


@pytest.mark.parametrize("step", STEPS)
def test_killed_before_a_step(world, step):
    before = world.hashes()
    changed(world)
    killed(world, step)
    assert [name.rpartition(".")[0] for name in left_behind(world)] == [f".{step}"]
    found = verify(world.place())
    behind = {"index.json": [], "journal.json": [], "catalogue.json": [], "sparse.json": ["sparse", "dense"], "dense.json": ["dense"]}[step]  # fmt: skip
    assert [one.part for one in found.findings] == behind
    if behind:
        assert all(f"the {one.part} side is behind: it holds chunk set" in one.problem for one in found.findings)
        assert all("index update --index" in one.next_step for one in found.findings)
        with (
            pytest.raises(DataError, match=f"the {behind[0]} side is behind"),
            opened(world.place().live, world.variant),
        ):
            pass
        assert found.notes and "cut off" in found.notes[0]
    else:
        assert world.hashes() == before
        assert world.found("uid0003") == {"en/backup.txt"}
    done = world.update()
    assert len(done.faults) == len(behind)
    assert verify(world.place()).findings == ()
    assert not (world.root / "live" / "journal.json").exists()
    assert left_behind(world) == []
    assert world.found("uid0003") == set() and world.found("quokka") == {"zh.md"}
    same_as_rebuilt(world)


def test_killed_after_the_last_head(world):
    changed(world)
    killed(world, "dense.json", after=True)
    found = verify(world.place())
    assert found.findings == () and "leaving it whole" in found.notes[0]
    assert world.found("quokka") == {"zh.md"}
    world.update()
    assert verify(world.place()).notes == ()
    same_as_rebuilt(world)


def test_killed_while_an_old_list_of_documents_is_deleted(world):
    world.delete("en/backup.txt")
    killed_while_removing(world)
    assert "documents.jsonl" in lying_about(world, "uid0003")
    found = verify(world.place())
    assert found.findings == ()
    (note,) = found.notes
    assert "of a process that was cut off, the first: catalogue/" in note and "index update --index" in note
    assert world.found("uid0003") == set()
    assert world.update(apply=None).written.built == ()
    assert lying_about(world, "uid0003") == []
    assert verify(world.place()).notes == ()
    same_as_rebuilt(world)


@pytest.mark.parametrize("part", ["catalogue", "sparse", "dense"])
def test_a_folder_without_its_meta_file_is_told_and_deleted(world, part):
    old = artifact(world, part)
    copy = old.parent.parent / "ab" / ("ab" + old.name[2:])
    shutil.copytree(old, copy)
    (copy / "_meta.json").unlink()
    copy.with_name(f"{copy.name}.lock").touch()
    (note,) = verify(world.place()).notes
    assert f"1 folder of a process that was cut off, the first: {part}/ab/ab" in note
    world.update()
    assert not copy.exists() and not copy.with_name(f"{copy.name}.lock").exists()
    assert verify(world.place()).notes == ()


def test_a_repair_is_made_without_apply_where_nothing_is_deleted(world):
    world.write("new.txt", "added uid0077")
    killed(world, "dense.json")
    assert world.update(apply=False).faults
    assert verify(world.place()).findings != ()
    done = world.update(apply=None)
    assert done.plan.counts["unchanged"] == 4 and done.written is not None
    assert verify(world.place()).findings == ()


@pytest.mark.parametrize("step", ["index.json", "catalogue.json", "sparse.json", "dense.json"])
def test_a_first_update_that_was_killed(tmp_path, step):
    world = World(tmp_path)
    world.write("zh.md", "年假五天 uid0001")
    world.open_embedder()
    killed(world, step)
    with pytest.raises(DataError), opened(LiveFolder(tmp_path / "live"), world.variant):
        pass
    world.update()
    assert world.found("uid0001") == {"zh.md"}
    same_as_rebuilt(world)


def artifact(world: World, part: str):
    head = LiveFolder(world.root / "live").head(part)
    assert head is not None
    return LiveFolder(world.root / "live").path(part, head)


DAMAGE = {
    "removed": lambda folder: shutil.rmtree(folder),
    "truncated": lambda folder: os.truncate(sorted(folder.glob("data/**/*.npy"))[0], 100),
    "one file gone": lambda folder: (folder / "rows.jsonl").unlink(),
    "a bit flipped": lambda folder: (folder / "rows.jsonl").write_bytes(
        (folder / "rows.jsonl").read_bytes()[:-2] + b"!\n"
    ),
}


@pytest.mark.parametrize("side", ["sparse", "dense"])
@pytest.mark.parametrize("how", list(DAMAGE))
def test_a_damaged_side_is_found_refused_and_mended(world, side, how):
    DAMAGE[how](artifact(world, side))
    (finding,) = verify(world.place()).findings
    assert finding.part == side and f"the {side} side is damaged" in finding.problem
    with pytest.raises(DataError, match=f"the {side} side is damaged"), opened(world.place().live, world.variant):
        pass
    n_before = len(world.worker.embedded)
    done = world.update(apply=None)
    assert done.written is not None and done.written.built == (side,) and len(done.faults) == 1
    assert len(world.worker.embedded) == n_before
    same_as_rebuilt(world)


@pytest.mark.parametrize("side", ["sparse", "dense"])
def test_a_side_without_its_head_is_missing(world, side):
    (world.root / "live" / "heads" / f"{side}.json").unlink()
    (finding,) = verify(world.place()).findings
    assert (finding.part, finding.problem) == (side, f"the {side} side is missing")
    assert world.update().written.built == ()  # the artifact was whole
    same_as_rebuilt(world)


def test_damaged_documents_need_a_rebuild(world):
    os.truncate(artifact(world, "catalogue") / "documents.jsonl", 10)
    (finding,) = verify(world.place()).findings
    assert finding.part == "catalogue" and finding.next_step.endswith("--rebuild")
    with pytest.raises(DataError, match="--rebuild"):
        world.update()
    n_before = len(world.worker.embedded)
    world.update(rebuild=True)
    assert len(world.worker.embedded) == n_before
    same_as_rebuilt(world)


def test_a_change_of_recipe_that_was_killed_leaves_no_old_part_under_the_new_one(world):
    from tests.unit.upkeep.world import composed

    other = composed(("variant=hybrid", "chunk_unit=chars", "chunk_size=25", "overlap=0")).pipeline.splitter
    old = world.variant
    world.variant = world.place(splitter=other).variant
    update = world.update
    world.update = lambda: update(rebuild=True)
    killed(world, "journal.json")
    del world.update
    world.update(rebuild=world.place().live.settings().recipe == old.recipe())
    assert max(len(chunk.text) for chunk in world.answers(queries=())[0]) <= 25
