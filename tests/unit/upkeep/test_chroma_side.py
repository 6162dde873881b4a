"""A stored index whose dense side is a graph: what goes is gone, and its recall is measured at every update."""

from __future__ import annotations

import datetime

import pytest

from ragbench.index.chroma import ChromaIndex
from ragbench.upkeep.opened import opened
from ragbench.upkeep.prune import prune
from ragbench.upkeep.update import Wish, update
from ragbench.upkeep.verify import verify
from tests.unit.upkeep.world import World

pytest.importorskip("chromadb", reason="needs the extra chroma")

INDEX = ChromaIndex(max_neighbors=32, ef_construction=200, ef_search=800)
TEXTS = {
    "zh.md": "# 年假\n\n年假最多结转五天 zhuid，次年三月底之前休完。",
    "en.txt": "Full backups enuid start at 02:00 every Sunday and are kept for 35 days.",
    "mixed.md": "# 上线 checklist\n\nKubernetes 集群 mixeduid 版本不低于 1.27。",
}


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    for name, text in TEXTS.items():
        made.write(name, text)
    for number in range(40):
        made.write(f"more/{number:02}.txt", f"Filler {number} about subject{number} 其余 {number} 号")
    made.variant = made.place(index=INDEX).variant
    made.update()
    return made


def in_the_graph(world, text: str) -> list[str]:
    """The chunks of the collection, those nearest to a text first."""
    with opened(world.place().live, world.variant) as built, INDEX.open(built.index_folder / "data") as reader:
        (vector,) = world.open_embedder().embed_queries([text])
        assert reader._collection.count() == reader.size == len(built.chunks)
        return [built.chunks[number].doc_id for number in reader.search(vector, 99)[0].tolist()]


def whole(facts) -> None:
    assert facts["dense"]["recall_at_10"] == facts["dense"]["recall_at_100"] == 1.0
    assert facts["dense"]["embedded"] == 0, "vectors are kept"


@pytest.mark.parametrize("name", TEXTS)
def test_a_deleted_document_is_not_in_the_graph_any_more(world, name: str) -> None:
    before = in_the_graph(world, TEXTS[name])
    assert before[0] == name
    world.delete(name)
    whole(world.update().written.facts)
    after = in_the_graph(world, TEXTS[name])
    assert after == [one for one in before if one != name]
    assert verify(world.place()).findings == ()


@pytest.mark.parametrize("name", TEXTS)
def test_a_modified_document_is_found_as_it_is_now(world, name: str) -> None:
    world.write(name, f"完全不同 altogether other {name} newuid")
    written = world.update().written
    assert written.facts["dense"]["embedded"] == 1 and written.facts["dense"]["recall_at_10"] == 1.0
    assert in_the_graph(world, f"完全不同 altogether other {name} newuid")[0] == name


@pytest.mark.parametrize("name", TEXTS)
def test_a_pruned_document_is_not_in_the_graph_any_more(world, name: str) -> None:
    world.write(name, TEXTS[name] + " 旧 old", day="2020-01-01")
    world.update()
    assert in_the_graph(world, TEXTS[name])[0] == name
    done = prune(world.place(), 180, datetime.date(2020, 12, 31), apply=True)
    assert [one.doc_id for one in done.aged] == [name]
    whole(done.written.facts)
    assert name not in in_the_graph(world, TEXTS[name])
    assert verify(world.place()).findings == ()


def test_an_open_reader_is_not_disturbed_by_an_update(world) -> None:
    place = world.place()
    (vector,) = world.open_embedder().embed_queries([TEXTS["zh.md"]])
    with opened(place.live, world.variant) as built, INDEX.open(built.index_folder / "data") as reader:
        before = reader.search(vector, 9)[0].tolist()
        world.delete("zh.md")
        update(world.folder, place, Wish(apply=True))
        assert reader.search(vector, 9)[0].tolist() == before
    assert "zh.md" not in in_the_graph(world, TEXTS["zh.md"])
