"""The artifact store: whole or absent, never half."""

import json
import multiprocessing
import os
import re
import shutil
import signal
import time
from pathlib import Path

import pytest

from ragbench.core.store import META, Store
from ragbench.errors import StoreError


def write(text: str):
    def build(folder: Path) -> None:
        (folder / "deep").mkdir()
        (folder / "deep" / "a.txt").write_text(text, encoding="utf-8")
        (folder / "b.bin").write_bytes(bytes(100))

    return build


def test_built_once_then_reused(tmp_path):
    store = Store(tmp_path)
    first = store.get_or_build("chunks", "ab12", write("年假"))
    again = Store(tmp_path)
    second = again.get_or_build("chunks", "ab12", write("other"))
    assert first == second
    assert (second / "deep/a.txt").read_text(encoding="utf-8") == "年假"
    assert (store.computed["chunks"], again.computed["chunks"], again.reused["chunks"]) == (1, 0, 1)


def test_a_failing_build_leaves_nothing(tmp_path):
    store = Store(tmp_path)

    def build(folder: Path) -> None:
        (folder / "half").write_text("x")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        store.get_or_build("chunks", "ab12", build)
    assert store.find("chunks", "ab12") is None
    assert [p.name for p in tmp_path.rglob("half")] == []
    assert store.get_or_build("chunks", "ab12", write("x")).is_dir()


def damage_content(folder):
    (folder / "b.bin").write_bytes(b"\x01" + bytes(99))


def damage_size(folder):
    (folder / "b.bin").write_bytes(b"")


def damage_missing(folder):
    (folder / "b.bin").unlink()


def damage_meta(folder):
    (folder / META).write_text("{", encoding="utf-8")


def rewrite(folder, **changes):
    head = json.loads((folder / META).read_text(encoding="utf-8"))
    (folder / META).write_text(json.dumps(head | changes), encoding="utf-8")


def empty_list_of_files(folder):
    rewrite(folder, files={})
    (folder / "b.bin").unlink()


def files_of_another_shape(folder):
    rewrite(folder, files=[])


def facts_of_another_shape(folder):
    rewrite(folder, files={"b.bin": None})


def meta_of_another_key(folder):
    other = Store(folder.parents[2]).get_or_build("chunks", "ff99", write("other"))
    (folder / META).write_text((other / META).read_text(encoding="utf-8"), encoding="utf-8")


def a_file_in_its_place(folder):
    shutil.rmtree(folder)
    folder.write_text("no folder")


@pytest.mark.parametrize(
    "damage",
    [
        damage_content,
        damage_size,
        damage_missing,
        damage_meta,
        empty_list_of_files,
        files_of_another_shape,
        facts_of_another_shape,
        meta_of_another_key,
        a_file_in_its_place,
    ],
)
def test_corruption_is_detected_and_rebuilt(tmp_path, damage):
    damage(Store(tmp_path).get_or_build("chunks", "ab12", write("x")))
    store = Store(tmp_path)
    folder = store.get_or_build("chunks", "ab12", write("x"))
    assert (folder / "b.bin").read_bytes() == bytes(100)
    assert store.computed["chunks"] == 1
    assert len(store.repaired) == 1
    assert store.repaired[0].startswith("chunks/ab12")


def _build_slowly(root: str, queue) -> None:
    store = Store(Path(root))

    def build(folder: Path) -> None:
        time.sleep(0.4)
        (folder / "pid").write_text(str(os.getpid()))

    store.get_or_build("index", "cd34", build)
    queue.put(store.computed["index"])


def test_two_processes_compute_it_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    workers = [context.Process(target=_build_slowly, args=(str(tmp_path), queue)) for _ in range(3)]
    for worker in workers:
        worker.start()
    counts = [queue.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    assert sorted(counts) == [0, 0, 1]


def _build_forever(root: str) -> None:
    def build(folder: Path) -> None:
        (folder / "half").write_text("x")
        (Path(root) / "begun").write_text("x")
        time.sleep(60)

    Store(Path(root)).get_or_build("index", "ee55", build)


def test_a_killed_build_is_not_found_and_does_not_block(tmp_path):
    context = multiprocessing.get_context("spawn")
    worker = context.Process(target=_build_forever, args=(str(tmp_path),))
    worker.start()
    while not (tmp_path / "begun").exists():
        time.sleep(0.02)
    os.kill(worker.pid, signal.SIGKILL)
    worker.join()
    store = Store(tmp_path)
    assert store.find("index", "ee55") is None
    assert store.get_or_build("index", "ee55", write("x")).is_dir()


def test_entries_and_removal(tmp_path):
    store = Store(tmp_path)
    store.get_or_build("chunks", "ab12", write("x"), {"splitter": "fixed"})
    (entry,) = store.entries()
    assert (entry.kind, entry.key, entry.about, entry.size) == ("chunks", "ab12", {"splitter": "fixed"}, 101)
    store.remove(entry)
    assert list(store.entries()) == []
    assert store.find("chunks", "ab12") is None


def test_meta_is_plain_json(tmp_path):
    folder = Store(tmp_path).get_or_build("chunks", "ab12", write("x"))
    assert set(json.loads((folder / META).read_text())["files"]) == {"b.bin", "deep/a.txt"}


def test_a_place_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be created") as caught:
        Store(tmp_path / "file" / "store")
    assert "\n" not in str(caught.value)


def test_nothing_in_the_package_pickles():
    sources = Path(__file__).parents[3] / "src" / "ragbench"
    for path in sources.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for word in ("import pickle", "import dill", "joblib.load", "allow_pickle=True", "eval("):
            assert not re.search(rf"(?<!literal_){re.escape(word)}", text), f"{path}: {word}"
