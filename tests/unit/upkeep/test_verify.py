"""What verify finds, besides what a crash leaves."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ragbench.core.codec import read_jsonl, write_jsonl
from ragbench.core.store import META, Store
from ragbench.errors import ConfigError, DataError
from ragbench.upkeep.folder import LiveFolder
from ragbench.upkeep.verify import verify
from tests.unit.upkeep.world import World


def problems(world):
    return [(one.part, one.problem) for one in verify(world.place()).findings]


def rewritten(world, part, change):
    """Change the files of a part so that every file hash is right, as a faulty writer would."""
    live = LiveFolder(world.root / "live")
    folder = live.path(part, live.head(part))
    change(folder)
    key, kind = folder.name, part
    (folder / META).unlink()
    aside = folder.with_name("aside")
    folder.rename(aside)

    def copy(target):
        for path in aside.rglob("*"):
            if path.is_file():
                (target / path.relative_to(aside)).parent.mkdir(parents=True, exist_ok=True)
                path.rename(target / path.relative_to(aside))

    Store(live.root).get_or_build(kind, key, copy)


def test_a_whole_index(world):
    found = verify(world.place())
    assert found.findings == () and found.notes == ()
    assert (found.n_documents, found.n_chunks) == (3, len(world.ids()))
    assert found.sides["dense"] == {"rows": found.n_chunks, "chunk_set": found.chunk_set, "dimension": 24}
    assert set(found.changes.counts.values()) == {0, 3}


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0])
def test_vectors_that_are_none(world, value):
    def spoil(folder):
        rows = np.load(folder / "vectors.npy")
        rows[1] = value
        np.save(folder / "vectors.npy", rows)

    rewritten(world, "dense", spoil)
    assert problems(world) == [("dense", "1 vectors hold NaN, infinity or are not of length 1, the first in row 1")]


def test_vectors_of_no_chunk_and_chunks_without_one(world):
    def spoil(folder):
        rows = list(read_jsonl(folder / "rows.jsonl"))
        write_jsonl(folder / "rows.jsonl", [*rows[1:], ["gone.md#0", "d" * 32, "sha256:0"]])

    rewritten(world, "dense", spoil)
    first = world.place().live
    said = problems(world)
    assert ("dense", "1 rows of no chunk, the first: gone.md#0") in said
    assert any("1 rows missing" in problem for _, problem in said)
    assert ("dense", "its rows are not those of its chunk-set hash") in said
    assert first.exists


def test_an_index_that_holds_fewer(world):
    def spoil(folder):
        rows = np.load(folder / "data" / "vectors.npy")
        np.save(folder / "data" / "vectors.npy", rows[:-1])

    rewritten(world, "dense", spoil)
    n = len(world.hashes()["dense"][1]) and len(list(read_jsonl(_folder(world, "dense") / "rows.jsonl")))
    assert ("dense", f"the index holds {n - 1} vectors, not {n}") in problems(world)


def test_an_index_of_other_vectors(world):
    def spoil(folder):
        path = folder / "data" / "vectors.npy"
        rows = np.load(path)
        np.save(path, np.roll(rows, 3, axis=1))

    rewritten(world, "dense", spoil)
    assert any("are not found by the index" in problem for _, problem in problems(world))


def test_an_index_of_another_dimension(world):
    def spoil(folder):
        path = folder / "data" / "vectors.npy"
        np.save(path, np.load(path)[:, :-1])

    rewritten(world, "dense", spoil)
    assert any("cannot be read" in problem for _, problem in problems(world))


def test_a_text_that_is_not_the_one_that_was_cut(world):
    def spoil(folder):
        rows = list(read_jsonl(folder / "documents.jsonl"))
        rows[0]["text"] = rows[0]["text"].replace("35", "36")
        write_jsonl(folder / "documents.jsonl", rows)

    rewritten(world, "catalogue", spoil)
    ((part, problem),) = problems(world)
    assert part == "catalogue" and "en/backup.txt" in problem


def test_chunks_that_were_taken_out_of_the_list(world):
    def spoil(folder):
        write_jsonl(folder / "chunks.jsonl", list(read_jsonl(folder / "chunks.jsonl"))[1:])

    rewritten(world, "catalogue", spoil)
    said = problems(world)
    assert any(part == "catalogue" and "its chunks are of set" in problem for part, problem in said)
    assert any(part == "sparse" and "rows of no chunk" in problem for part, problem in said)


def test_documents_whose_file_changed_since(world):
    world.delete("zh.md")
    world.write("mixed.md", "changed 改了")
    world.write("new.txt", "new")
    found = verify(world.place())
    assert found.findings == ()
    assert found.changes.of("deleted") == ["zh.md"]
    assert found.changes.of("modified") == ["mixed.md"]
    assert found.changes.of("new") == ["new.txt"]


def test_a_folder_that_is_not_there_breaks_nothing(world):
    world.folder.rename(world.root / "moved")
    found = verify(world.place())
    assert found.findings == () and found.changes is None
    assert "was not looked at" in found.notes[0]
    assert verify(world.place(), world.root / "moved").changes.of("unchanged")


def test_no_index_and_another_format(tmp_path):
    world = World(tmp_path)
    with pytest.raises(DataError, match=r"expected a stored index .* found nothing"):
        verify(world.place())
    world.write("a.txt", "a 文")
    world.update()
    path = tmp_path / "live" / "index.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    with pytest.raises(DataError, match="found format 99"):
        verify(world.place())
    path.write_text("{")
    with pytest.raises(DataError, match="an unreadable file"):
        world.update()
    world.update(rebuild=True)
    assert verify(world.place()).findings == ()


def test_another_recipe(world):
    from tests.unit.upkeep.world import composed

    with pytest.raises(ConfigError, match="variant it was made with"):
        verify(world.place(splitter=composed(("splitter=whole",)).pipeline.splitter))


def _folder(world, part):
    live = LiveFolder(world.root / "live")
    return live.path(part, live.head(part))
