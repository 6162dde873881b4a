from pathlib import Path

import numpy as np
import pytest

from ragbench.core.store import Store
from ragbench.errors import DataError
from ragbench.index.exact import ExactIndex
from ragbench.testing.index_contract import folder_hashes, random_units


def build(folder: Path, rows) -> Path:
    folder.mkdir()
    ExactIndex().build(folder, rows, [f"c{n}" for n in range(len(rows))])
    return folder


def test_same_vectors_give_the_same_bytes(tmp_path: Path) -> None:
    rows = random_units(20)
    assert folder_hashes(build(tmp_path / "a", rows)) == folder_hashes(build(tmp_path / "b", rows))


def test_a_filter_does_not_change_scores(tmp_path: Path) -> None:
    rows, query = random_units(1001, width=37), random_units(1, seed=1, width=37)[0]
    with ExactIndex().open(build(tmp_path / "i", rows)) as reader:
        whole = dict(zip(*(part.tolist() for part in reader.search(query, 1001))))
        for numbers in (np.arange(1, 1001, 7), np.array([1000]), np.arange(3, 998), np.arange(0, 1001, 4)):
            part = reader.search(query, 1001, numbers.astype(np.int32))
            assert dict(zip(*(one.tolist() for one in part))) == {n: whole[n] for n in numbers.tolist()}


def test_a_zero_vector_is_near_nothing(tmp_path: Path) -> None:
    rows = random_units(3)
    rows[1] = 0
    with ExactIndex().open(build(tmp_path / "i", rows)) as reader:
        found = dict(zip(*(part.tolist() for part in reader.search(rows[0], 3))))
        assert found[1] == 0.0
        assert reader.search(rows[1], 3)[1].tolist() == [0.0, 0.0, 0.0]


def test_chunk_numbers_beyond_the_index_are_left_out_of_a_filter(tmp_path: Path) -> None:
    rows = random_units(5)
    with ExactIndex().open(build(tmp_path / "i", rows)) as reader:
        assert sorted(reader.search(rows[0], 9, np.array([4, 2, 2, 77, -1], np.int32))[0].tolist()) == [2, 4]


@pytest.mark.parametrize("content", [None, b"", b"no matrix", b"\x93NUMPY\x01\x00"])
def test_a_spoilt_folder_is_named(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "vectors.npy").write_bytes(content)
    with (
        pytest.raises(DataError, match=r"index .*expected a matrix in vectors.npy.*Build it again"),
        ExactIndex().open(tmp_path),
    ):
        pass


def test_pickled_content_is_not_loaded(tmp_path: Path) -> None:
    np.save(tmp_path / "vectors.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="Python objects"), ExactIndex().open(tmp_path):
        pass


def test_stays_whole_in_the_store(tmp_path: Path) -> None:
    rows = random_units(10)
    folder = Store(tmp_path).get_or_build("index", "ab" * 32, lambda f: ExactIndex().build(f, rows, list("abcdefghij")))
    with ExactIndex().open(folder) as reader:
        assert reader.search(rows[4], 1)[0].tolist() == [4]
    again = Store(tmp_path)
    assert again.find("index", "ab" * 32) == folder and not again.repaired
