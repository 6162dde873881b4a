"""The key–value tables."""

import multiprocessing
import os
import sqlite3
import time
from pathlib import Path

import pytest

from ragbench.core.blobs import BlobTable
from ragbench.core.memo import Memo
from ragbench.core.store import Store
from ragbench.errors import StoreError


def test_values_come_back_and_survive_reopening(tmp_path):
    table = BlobTable(tmp_path / "t.sqlite")
    table.put_many({f"k{i}": bytes([i % 256]) * i for i in range(1200)})
    table.close()
    again = BlobTable(tmp_path / "t.sqlite")
    found = again.get_many([f"k{i}" for i in range(1200)] + ["none", "k1"])
    assert len(found) == 1200
    assert found["k7"] == b"\x07" * 7
    assert (again.hits, again.misses, len(again)) == (1200, 1, 1200)


@pytest.mark.parametrize("evil", [b"evil", 7, 0.5, "good"])
def test_a_damaged_row_is_missing_and_can_be_rewritten(tmp_path, evil):
    table = BlobTable(tmp_path / "t.sqlite")
    table.put_many({"a": b"good", "b": b"good"})
    with sqlite3.connect(tmp_path / "t.sqlite") as db:
        db.execute("UPDATE blobs SET value = ? WHERE key = 'a'", (evil,))
    assert table.get_many(["a", "b"]) == {"b": b"good"}
    table.put_many({"a": b"new"})
    assert table.get_many(["a"]) == {"a": b"new"}


def test_a_file_that_is_no_database_is_set_aside(tmp_path):
    path = tmp_path / "t.sqlite"
    path.write_bytes(b"this is not a database, it is a text" * 100)
    table = BlobTable(path)
    table.put_many({"a": b"1"})
    assert table.get_many(["a"]) == {"a": b"1"}
    assert len(list(tmp_path.glob("t.corrupt-*"))) == 1


def _fill(path: str, start: int) -> None:
    table = BlobTable(Path(path))
    for i in range(start, start + 200):
        table.put_many({f"k{i}": str(i).encode()})
    table.close()


def test_two_processes_write_the_same_table(tmp_path):
    path = str(tmp_path / "t.sqlite")
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_fill, args=(path, start)) for start in (0, 150)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert len(BlobTable(Path(path))) == 350


def test_memo_computes_once_and_keeps_the_time(tmp_path):
    calls = []
    memo = Memo(BlobTable(tmp_path / "m.sqlite"))

    def compute():
        calls.append(1)
        return b"v"

    first = memo.call("a", lambda: compute)
    before_flush = memo.call("a", lambda: compute)
    memo.flush()
    again = Memo(BlobTable(tmp_path / "m.sqlite")).call("a", lambda: compute)
    assert (first.value, first.cached, before_flush.cached, again.cached) == (b"v", False, True, True)
    assert again.ms == first.ms
    assert len(calls) == 1


def failing():
    raise ValueError("no")


def test_memo_does_not_keep_failures(tmp_path):
    memo = Memo(BlobTable(tmp_path / "m.sqlite"))
    with pytest.raises(ValueError, match="no"):
        memo.call("a", lambda: failing)
    assert memo.call("a", lambda: lambda: b"now").value == b"now"


def test_what_opening_takes_is_not_in_the_time_and_corrections_are(tmp_path):
    clock = iter([10.0, 510.0])

    def ready():
        time.sleep(0.2)
        return lambda: b"v"

    found = Memo(BlobTable(tmp_path / "m.sqlite")).call("a", ready, lambda: next(clock))
    assert 500.0 <= found.ms < 600.0


def test_a_locked_table_is_not_taken_for_a_corrupt_one(tmp_path, monkeypatch):
    path = tmp_path / "t.sqlite"
    BlobTable(path).put_many({"a": b"1"})

    def locked(*_, **__):
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(sqlite3, "connect", locked)
    with pytest.raises(StoreError, match=r"store table .*t\.sqlite: cannot be read or written \(database is locked\)"):
        BlobTable(path)
    monkeypatch.undo()
    assert BlobTable(path).get_many(["a"]) == {"a": b"1"}
    assert list(tmp_path.glob("*corrupt*")) == []


def test_what_the_disk_refuses_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be opened"):
        BlobTable(tmp_path / "file" / "t.sqlite")
    table = BlobTable(tmp_path / "t.sqlite")
    table.close()
    with pytest.raises(StoreError, match="closed database"):
        table.get_many(["a"])


def test_damage_inside_the_file_is_set_aside_and_work_goes_on(tmp_path):
    store = Store(tmp_path)
    table = store.table("vectors")
    table.put_many({f"k{i}": bytes(2000) for i in range(200)})
    store.close()
    path = tmp_path / "tables" / "vectors.sqlite"
    data = bytearray(path.read_bytes())
    data[4096 : len(data) - 4096] = os.urandom(len(data) - 8192)
    path.write_bytes(data)
    again = Store(tmp_path)
    table = again.table("vectors")
    assert table.get_many([f"k{i}" for i in range(200)]) == {}
    table.put_many({"k1": b"new"})
    assert table.get_many(["k1"]) == {"k1": b"new"}
    assert len(table) == 1
    again.close()
    assert len(again.repaired) == 1
    assert again.repaired[0].startswith("tables/vectors.sqlite: ")
    assert list((tmp_path / "tables").glob("vectors.corrupt-*"))
