import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from ragbench.core.codec import read_json, write_json
from ragbench.core.store import Store
from ragbench.errors import ConfigError, DataError, MissingExtra
from ragbench.index.chroma import ChromaIndex
from ragbench.testing.index_contract import folder_hashes, random_units

INDEX = ChromaIndex(max_neighbors=32, ef_construction=200, ef_search=800)
KEY = "cd" * 32


@pytest.fixture
def chromadb():
    return pytest.importorskip("chromadb", reason="needs the extra chroma")


def build(folder: Path, rows, index: ChromaIndex = INDEX) -> dict:
    folder.mkdir()
    return index.build(folder, rows, [f"c{n}" for n in range(len(rows))])


def accept_files(folder: Path) -> None:
    head = read_json(folder / "index.json")
    write_json(folder / "index.json", head | {"files": folder_hashes(folder / "chroma")})


def test_missing_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "chromadb", None)
    with pytest.raises(MissingExtra, match=r"ragbench\[chroma\]"):
        build(tmp_path / "i", random_units(3))


@pytest.mark.parametrize("value", [0, 1, -4, 2.5, "48", True, None])
def test_settings_are_whole_numbers(value) -> None:
    with pytest.raises(ConfigError, match=r"index.ef_search: expected a whole number of 2 or more"):
        ChromaIndex(max_neighbors=32, ef_construction=200, ef_search=value)


def test_graph_settings_change_the_fingerprint() -> None:
    assert ChromaIndex(max_neighbors=16, ef_construction=200, ef_search=800).fingerprint() != INDEX.fingerprint()


def test_collection_has_cosine_space_and_the_settings(tmp_path: Path, chromadb) -> None:
    build(tmp_path / "i", random_units(30))
    client = chromadb.PersistentClient(path=str(tmp_path / "i" / "chroma"))
    try:
        (collection,) = client.list_collections()
        graph = collection.configuration_json["hnsw"]
        assert (graph["space"], graph["max_neighbors"]) == ("cosine", 32)
        assert (graph["ef_construction"], graph["ef_search"]) == (200, 800)
    finally:
        client.close()


def test_another_space_is_refused(tmp_path: Path, chromadb) -> None:
    build(tmp_path / "i", random_units(4))
    name = read_json(tmp_path / "i" / "index.json")["collection"]
    client = chromadb.PersistentClient(path=str(tmp_path / "i" / "chroma"))
    client.delete_collection(name)
    client.create_collection(name, embedding_function=None)
    client.close()
    accept_files(tmp_path / "i")
    with pytest.raises(DataError, match="found space l2, not cosine"), INDEX.open(tmp_path / "i"):
        pass


def test_a_count_that_differs_is_refused(tmp_path: Path, chromadb) -> None:
    build(tmp_path / "i", random_units(4))
    head = read_json(tmp_path / "i" / "index.json")
    write_json(tmp_path / "i" / "index.json", head | {"size": 5})
    with pytest.raises(DataError, match="found 4 vectors, not 5"), INDEX.open(tmp_path / "i"):
        pass
    write_json(tmp_path / "i" / "index.json", head | {"collection": "another"})
    with pytest.raises(DataError, match="Build it again"), INDEX.open(tmp_path / "i"):
        pass


def test_spoilt_folders_are_named(tmp_path: Path, chromadb) -> None:
    with pytest.raises(DataError, match="expected a Chroma index"), INDEX.open(tmp_path):
        pass
    build(tmp_path / "i", random_units(4))
    shutil.rmtree(tmp_path / "i" / "chroma")
    with pytest.raises(DataError, match="Build it again"), INDEX.open(tmp_path / "i"):
        pass


@pytest.mark.parametrize("rows", [random_units(3), random_units(4, width=8)])
def test_vectors_that_are_not_those_of_the_graph_are_refused(tmp_path: Path, chromadb, rows) -> None:
    build(tmp_path / "i", random_units(4))
    np.save(tmp_path / "i" / "vectors.npy", rows)
    with pytest.raises(DataError, match=r"found vectors of shape .*, not \[4, 16\]"), INDEX.open(tmp_path / "i"):
        pass
    (tmp_path / "i" / "vectors.npy").unlink()
    with pytest.raises(DataError, match=r"expected a matrix in vectors\.npy"), INDEX.open(tmp_path / "i"):
        pass


def test_the_bytes_told_are_those_of_graph_and_vectors(tmp_path: Path, chromadb) -> None:
    facts = build(tmp_path / "i", random_units(300))
    vectors, head = (tmp_path / "i" / name for name in ("vectors.npy", "index.json"))
    graph = sum(path.stat().st_size for path in (tmp_path / "i" / "chroma").rglob("*") if path.is_file())
    assert facts["bytes"] == graph + vectors.stat().st_size + head.stat().st_size
    assert facts["vectors_bytes"] == vectors.stat().st_size > 300 * 16 * 4


@pytest.mark.parametrize(("name", "content"), [("chroma.sqlite3", b"garbage" * 99), ("data_level0.bin", b"short")])
def test_corrupt_files_are_found_on_opening(tmp_path: Path, chromadb, name: str, content: bytes) -> None:
    build(tmp_path / "i", random_units(1200))
    next((tmp_path / "i").rglob(name)).write_bytes(content)
    with pytest.raises(DataError, match="found files that changed since"), INDEX.open(tmp_path / "i"):
        pass


def test_more_vectors_than_one_batch_takes(tmp_path: Path, chromadb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chromadb.api.client.Client.get_max_batch_size", lambda self: 7)
    rows = random_units(50)
    assert build(tmp_path / "i", rows)["recall_at_10"] == 1.0
    with INDEX.open(tmp_path / "i") as reader:
        assert [reader.search(row, 1)[0].tolist() for row in rows] == [[n] for n in range(50)]


def test_more_vectors_than_the_client_takes_at_once(tmp_path: Path, chromadb) -> None:
    client = chromadb.PersistentClient(path=str(tmp_path / "other"))
    limit = client.get_max_batch_size()
    client.close()
    rows = random_units(limit + 2, width=8)
    assert build(tmp_path / "i", rows)["recall_at_10"] >= 0.99
    with INDEX.open(tmp_path / "i") as reader:
        for number in (0, limit - 1, limit, limit + 1):
            assert reader.search(rows[number], 1)[0].tolist() == [number]


@pytest.mark.parametrize("size", [200, 700])
def test_opening_links_nothing_anew(tmp_path: Path, chromadb, size: int) -> None:
    """The whole graph is on disk, not only the log of what was added."""
    build(tmp_path / "i", random_units(size))
    (lengths,) = (tmp_path / "i").rglob("length.bin")
    assert lengths.stat().st_size >= 4 * size


def test_a_folder_that_was_deleted_is_forgotten(tmp_path: Path, chromadb) -> None:
    for size in (5, 9):
        build(tmp_path / "i", random_units(size))
        with INDEX.open(tmp_path / "i") as reader:
            assert reader.size == size
        shutil.rmtree(tmp_path / "i")


def test_recall_is_measured_not_assumed(tmp_path: Path, chromadb) -> None:
    weak = ChromaIndex(max_neighbors=2, ef_construction=2, ef_search=2)
    facts = build(tmp_path / "i", random_units(1000, width=64), weak)
    assert 0 < facts["recall_at_10"] < 0.9
    assert facts["recall_at_10"] != facts["recall_at_100"]


def test_more_equal_vectors_than_are_fetched_stand_in_chunk_order(tmp_path: Path, chromadb) -> None:
    rows = np.concatenate([random_units(20), np.repeat(random_units(1, seed=4), 150, axis=0)])
    build(tmp_path / "i", rows)
    with INDEX.open(tmp_path / "i") as reader:
        assert reader.search(rows[60], 5)[0].tolist() == [20, 21, 22, 23, 24]


def test_stays_whole_in_the_store_and_leaves_no_copy(tmp_path: Path, chromadb, monkeypatch) -> None:
    private = tmp_path / "private"
    private.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    rows = random_units(10)
    store = Store(tmp_path / "store")
    folder = store.get_or_build("index", KEY, lambda f: INDEX.build(f, rows, list("abcdefghij")))
    for _ in range(2):
        with INDEX.open(folder) as reader:
            assert reader.search(rows[4], 1)[0].tolist() == [4]
            assert list(private.iterdir())
    assert not list(private.iterdir())
    again = Store(tmp_path / "store")
    assert again.find("index", KEY) == folder and not again.repaired
