from concurrent.futures import ThreadPoolExecutor

import pytest

from ragbench.core.blobs import BlobTable
from ragbench.core.memo import Memo


def test_a_result_is_computed_once_and_keeps_its_time(tmp_path) -> None:
    memo = Memo(BlobTable(tmp_path / "m.sqlite"))
    first = memo.call("a", lambda: lambda: b"one")
    again = memo.call("a", lambda: pytest.fail("opened again"))
    memo.flush()
    stored = Memo(BlobTable(tmp_path / "m.sqlite")).call("a", lambda: pytest.fail("opened again"))
    assert first.value == again.value == stored.value == b"one"
    assert first.ms == again.ms == stored.ms
    assert (first.cached, again.cached, stored.cached) == (False, True, True)
    assert (memo.n_computed, memo.n_cached) == (1, 1)


def test_one_that_is_passed_by_computes_each_time_and_keeps_nothing(tmp_path) -> None:
    kept = Memo(BlobTable(tmp_path / "m.sqlite"))
    kept.call("a", lambda: lambda: b"kept")
    kept.flush()
    memo = Memo(BlobTable(tmp_path / "m.sqlite"), passed_by=True)
    assert [memo.call("a", lambda: lambda: b"new").value for _ in range(2)] == [b"new", b"new"]
    memo.flush()
    assert (memo.n_computed, memo.n_cached) == (2, 0)
    assert Memo(BlobTable(tmp_path / "m.sqlite")).call("a", lambda: pytest.fail("opened again")).value == b"kept"


def test_what_raises_is_not_stored(tmp_path) -> None:
    memo = Memo(BlobTable(tmp_path / "m.sqlite"))
    with pytest.raises(ZeroDivisionError):
        memo.call("a", lambda: lambda: bytes(1 // 0))
    assert memo.call("a", lambda: lambda: b"x").value == b"x"


def test_threads_share_it(tmp_path) -> None:
    memo = Memo(BlobTable(tmp_path / "m.sqlite"), flush_every=3)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: memo.call(f"{n}", lambda: lambda: b"%d" % n).value, range(1000)))
    memo.flush()
    assert found == [b"%d" % n for n in range(1000)]
    assert len(memo.table) == memo.n_computed == 1000
