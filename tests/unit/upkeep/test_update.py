"""An update brings an index to its folder, by content, and never further."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest

from ragbench.core.codec import read_jsonl
from ragbench.errors import ConfigError, DataError
from ragbench.index.chroma import ChromaIndex
from ragbench.upkeep import plan as plan_module
from ragbench.upkeep.sides import VECTORS
from ragbench.upkeep.update import Wish, update
from tests.unit.upkeep.conftest import TEXTS
from tests.unit.upkeep.world import BagEmbedder, World


def same_as_rebuilt(world: World) -> None:
    fresh = World(
        world.root / "fresh" / str(len(list((world.root / "fresh").glob("*")))), world.overrides, world.embedder
    )
    fresh.folder = world.folder
    fresh.update()
    assert world.hashes() == fresh.hashes()
    assert world.answers() == fresh.answers()


def test_a_first_update_makes_the_index(world):
    hashes = world.hashes()
    assert list(hashes) == ["catalogue", "sparse", "dense"]
    assert len({head.chunk_set for head, _ in hashes.values()}) == 1
    assert [i.partition("#")[0] for i in world.ids()] == sorted(i.partition("#")[0] for i in world.ids())
    assert world.found("结转") == {"zh.md"}
    assert world.found("uid0003") == {"en/backup.txt"}
    assert world.found("kubernetes") == {"mixed.md"}
    same_as_rebuilt(world)


def test_nothing_new_writes_nothing(world):
    before = world.hashes()
    done = world.update()
    assert set(world.statuses().values()) == {"unchanged"}
    assert (done.written.built, done.written.added, done.written.removed) == ((), 0, 0)
    assert world.hashes() == before
    assert not (world.root / "live" / "journal.json").exists()


@pytest.mark.parametrize("name", list(TEXTS))
def test_a_modified_document_loses_all_its_old_chunks(world, name):
    n_before = len(world.worker.embedded)
    world.write(name, "Entirely new words: quokka 袋鼠。")
    assert world.statuses() == {doc_id: "modified" if doc_id == name else "unchanged" for doc_id in sorted(TEXTS)}
    world.update()
    assert world.found("quokka") == {name}
    assert [i for i in world.ids() if i.startswith(f"{name}#")] == [f"{name}#0"]
    assert name not in world.found("年假 结转 backups kubernetes")
    assert world.worker.embedded[n_before:] == ["Entirely new words: quokka 袋鼠。"]
    same_as_rebuilt(world)


@pytest.mark.parametrize(
    ("name", "query"),
    [("zh.md", "年假结转几天"), ("en/backup.txt", "backups uid0003"), ("mixed.md", "集群 new-billing")],
)
def test_no_ghost_of_a_deleted_document(world, name, query):
    assert name in world.found(query)
    world.delete(name)
    world.update()
    assert name not in world.found(query)
    *_, dense = world.answers(queries=[query])
    assert dense and all(not chunk_id.startswith(name) for chunk_id, _ in dense)
    assert not [path for path in (world.root / "live").rglob("*.jsonl") if name.encode() in path.read_bytes()]
    same_as_rebuilt(world)


def test_deletions_are_a_dry_run_unless_asked_for(world):
    before = world.hashes()
    world.delete("zh.md")
    world.write("new.txt", "something new")
    done = world.update(apply=None)
    assert done.written is None and world.hashes() == before
    assert done.plan.counts == {
        "new": 1, "modified": 0, "unchanged": 2, "deleted": 1, "stale": 0, "expired": 0, "failed": 0, "skipped": 0, "empty": 0,
    }  # fmt: skip
    world.write("zh.md", TEXTS["zh.md"])
    assert world.update(apply=None).written.added == 1
    assert world.found("something") == {"new.txt"}


def test_a_renamed_document_is_not_embedded_again(world):
    n_before = len(world.worker.embedded)
    (world.folder / "en" / "backup.txt").rename(world.folder / "renamed.txt")
    reasons = {change.doc_id: (change.status, change.reason) for change in world.update(apply=False).plan.changes}
    assert reasons["en/backup.txt"] == ("deleted", "renamed to renamed.txt")
    assert reasons["renamed.txt"] == ("new", "renamed from en/backup.txt")
    world.update()
    assert world.found("uid0003") == {"renamed.txt"}
    assert len(world.worker.embedded) == n_before
    same_as_rebuilt(world)


def test_a_pruned_cache_costs_no_embedding(world):
    """The side keeps its vectors, bit for bit."""
    n_before = len(world.worker.embedded)
    world.store.table("vectors").clear()
    world.write("new.txt", "one more 文档")
    facts = world.update().written.facts["dense"]
    assert world.worker.embedded[n_before:] == ["one more 文档"]
    assert facts["embedded"] == 1 and facts["vectors_kept"] == len(world.ids()) - 1
    same_as_rebuilt(world)


def test_only_new_lines_are_cut_into_words(world):
    world.write("new.txt", f"{TEXTS['en/backup.txt']}and one line more")
    facts = world.update().written.facts["sparse"]
    assert facts == {"lines_read": 1, "lines_known": 9}
    same_as_rebuilt(world)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_another_encoding_is_no_change(world, encoding):
    before = world.hashes()
    world.write("zh.md", TEXTS["zh.md"], encoding)
    os.utime(world.folder / "en/backup.txt")
    assert set(world.statuses().values()) == {"unchanged"}
    assert world.update().written.built == ("catalogue",)
    assert [world.hashes()[side] for side in ("sparse", "dense")] == [before[side] for side in ("sparse", "dense")]
    assert set(world.statuses().values()) == {"unchanged"}
    same_as_rebuilt(world)


def test_only_files_with_other_bytes_are_parsed(world, monkeypatch):
    read = []

    def counted(doc_id, path, load=plan_module.load_file):
        read.append(doc_id)
        return load(doc_id, path)

    monkeypatch.setattr(plan_module, "load_file", counted)
    world.write("zh.md", "新的")
    world.update()
    assert read == ["zh.md"]


def test_metadata_alone_is_a_change(world):
    world.write("zh.md", f"---\ndepartment: 人事\n---\n{TEXTS['zh.md']}")
    (change,) = [change for change in world.update(apply=None).plan.changes if change.status == "modified"]
    assert change.reason == "same text; title, headings or metadata changed"
    same_as_rebuilt(world)


def spoil(world, how):
    path = world.folder / "mixed.json"
    path.unlink()
    if how == "broken":
        path.write_text('{"集群": "Kube')
    elif how == "link":
        path.symlink_to(world.folder / "nowhere.json")
    else:
        path.symlink_to(world.root)


@pytest.mark.parametrize("how", ["broken", "link", "outside"])
def test_a_file_that_cannot_be_read_any_more_keeps_its_document(world, how):
    world.write("mixed.json", '{"集群": "openkruise uid0042"}')
    world.update()
    before = world.ids()
    spoil(world, how)
    done = world.update(apply=None)
    (stale,) = [change for change in done.plan.changes if change.status == "stale"]
    assert stale.doc_id == "mixed.json" and stale.reason
    assert done.written is not None and world.ids() == before
    assert world.found("uid0042") == {"mixed.json"}
    assert world.statuses()["mixed.json"] == "stale"
    (world.folder / "mixed.json").unlink()
    world.write("mixed.json", '{"后来": "readable again"}')
    assert world.statuses()["mixed.json"] == "modified"
    world.update()
    assert world.found("uid0042") == set()
    same_as_rebuilt(world)


def test_a_stale_document_goes_with_its_file(world):
    world.write("mixed.json", '{"集群": "openkruise uid0042"}')
    world.update()
    spoil(world, "broken")
    world.update()
    world.delete("mixed.json")
    assert world.statuses()["mixed.json"] == "deleted"
    world.update()
    same_as_rebuilt(world)


def test_a_folder_that_cannot_be_listed_deletes_nothing(world, monkeypatch):
    def refused(path, scandir=os.scandir):
        if str(path).endswith("en"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    shutil.move(world.folder / "en", world.root / "away")  # what a walk over such a folder sees
    monkeypatch.setattr(plan_module.os, "scandir", refused)
    done = world.update(apply=True)
    (stale,) = [change for change in done.plan.changes if change.status == "stale"]
    assert (stale.doc_id, stale.reason) == ("en/backup.txt", "its folder cannot be read: Permission denied")
    assert world.found("uid0003") == {"en/backup.txt"}


def test_a_file_that_never_could_be_read_is_told(world):
    world.write("bad.json", "{")
    done = world.update()
    assert [path for path, _ in done.plan.failures] == ["bad.json"]
    assert done.plan.counts["failed"] == 1


def test_an_emptied_file_counts_as_deleted(world):
    world.write("zh.md", " \n")
    assert world.statuses()["zh.md"] == "deleted"
    assert world.update(apply=None).written is None
    world.update()
    assert world.found("年假") == set()
    same_as_rebuilt(world)


def test_an_empty_folder_does_not_empty_the_index(world):
    before = world.hashes()
    for name in TEXTS:
        world.delete(name)
    with pytest.raises(DataError, match="expected at least one document with text, found 3 deleted"):
        world.update()
    with pytest.raises(DataError, match="a folder"):
        update(world.root / "nowhere", world.place(), Wish(moved=True))
    assert world.hashes() == before


def test_another_folder_is_refused(world):
    other = World(world.root / "other")
    other.write("a.txt", "other documents")
    with pytest.raises(DataError, match="the folder it was made of"):
        update(other.folder, world.place(), Wish(apply=True))
    moved = shutil.move(world.folder, world.root / "moved")
    done = update(moved, world.place(), Wish(moved=True))
    assert done.written.built == ()
    assert update(moved, world.place(), Wish()).written.built == ()


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["chunk_size=80"], "splitter.chunk_size 80, not 60"),
        (["splitter=markdown"], "splitter splitter.MarkdownSplitter, not splitter.RecursiveSplitter"),
        (["context=title"], "context.kind title, not none"),
        (["pipeline.sparse.k1=2"], "sparse.k1 2, not 1.5"),
        (["index=chroma"], "index index.ChromaIndex, not index.ExactIndex"),
        (["variant=bm25"], "embedder none, not"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_another_recipe_is_refused_by_name_and_a_rebuild_takes_it(world, overrides, said):
    from ragbench.run.build import experiment

    kept = [
        item for item in world.overrides if item.partition("=")[0] not in {one.partition("=")[0] for one in overrides}
    ]
    if "splitter=markdown" in overrides:
        kept = [item for item in kept if not item.startswith("overlap")]
    asked = experiment([*kept, *overrides]).pipeline
    place = world.place(
        **{slot: getattr(asked, slot) for slot in ("splitter", "prefix", "sparse", "index", "retriever")}
    )
    before = world.hashes()
    with pytest.raises(ConfigError, match="the variant it was made with") as refused:
        update(world.folder, place, Wish(apply=True))
    assert said in str(refused.value) and "\n" not in str(refused.value)
    assert world.hashes() == before
    n_before = len(world.worker.embedded)
    update(world.folder, place, Wish(apply=True, rebuild=True))
    assert update(world.folder, place, Wish()).written.built == ()
    again = len([text for text in world.worker.embedded[n_before:] if text in world.worker.embedded[:n_before]])
    assert again == 0


def test_a_rebuild_in_another_space_embeds_all_anew(world):
    """Vectors that lie beside the index are those of the space that it was made in."""
    other = BagEmbedder(name="other")
    apart = World(world.root / "apart", world.overrides, other)
    apart.folder = world.folder
    place = apart.place()
    place = type(place)(world.place().live, place.variant, place.embedder)
    done = update(world.folder, place, Wish(apply=True, rebuild=True))
    assert done.written.facts["dense"]["vectors_kept"] == 0
    assert sorted(apart.worker.embedded) == sorted(set(world.worker.embedded))


def test_lines_of_another_analyser_are_not_used(world):
    from dataclasses import replace

    sparse = replace(world.variant.pipeline.sparse, analyser="bigram")
    place = world.place(sparse=sparse)
    done = update(world.folder, place, Wish(apply=True, rebuild=True))
    assert done.written.facts["sparse"]["lines_known"] == 0


@pytest.mark.parametrize("overrides", [("variant=bm25",), ("variant=dense",)], ids=" ".join)
def test_one_side_alone(tmp_path, overrides):
    world = World(tmp_path, (*overrides, *World.overrides[1:]))
    for name, text in TEXTS.items():
        world.write(name, text)
    world.update()
    assert list(world.hashes()) == ["catalogue", "sparse" if "bm25" in overrides[0] else "dense"]
    world.delete("zh.md")
    world.write("new.txt", "new 新")
    world.update()
    same_as_rebuilt(world)
    assert (world.worker is None) == ("bm25" in overrides[0])


def test_chroma_finds_what_a_rebuilt_one_finds(world):
    pytest.importorskip("chromadb")
    index = ChromaIndex(max_neighbors=16, ef_construction=100, ef_search=100)
    place = world.place("chroma", index=index)
    update(world.folder, place, Wish())
    world.delete("en/backup.txt")
    world.write("zh.md", "完全改写的内容")
    update(world.folder, place, Wish(apply=True))
    update(world.folder, world.place("again", index=index), Wish())
    world.variant = place.variant
    assert world.answers("chroma") == world.answers("again")
    assert [head for head, _ in world.hashes("chroma").values()] == [head for head, _ in world.hashes("again").values()]


def test_old_artifacts_go_and_vectors_are_those_of_the_chunks(world):
    for n in range(3):
        world.write("zh.md", f"第 {n} 版 uid{n:04}")
        world.update()
    live = world.root / "live"
    for part in ("catalogue", "sparse", "dense"):
        assert len(list(live.glob(f"{part}/??/*/_meta.json"))) == 1
        assert len(list(live.glob(f"{part}/??/*.lock"))) <= 1
    (dense,) = live.glob("dense/??/*/")
    rows = list(read_jsonl(dense / "rows.jsonl"))
    texts = [chunk.index_text for chunk in world.answers(queries=())[0]]
    assert [row[0] for row in rows] == world.ids()
    assert np.array_equal(np.load(dense / VECTORS), world.open_embedder().embed_documents(texts))
