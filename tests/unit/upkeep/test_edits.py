"""Whatever was done to a folder, its updated index is the one that is made of it from scratch."""

from __future__ import annotations

from collections import Counter

import pytest

from ragbench.embedder.e5_small import E5Small
from tests.unit.upkeep.edits import Editor
from tests.unit.upkeep.world import QUERIES, SMALL, World


def run(world: World, seed: int, n_edits: int, update_every: int, compare_every: int) -> Editor:
    editor = Editor(world.folder, seed)
    for n in range(1, n_edits + 1):
        editor.edit()
        if n % update_every == 0 or n == n_edits:
            world.update()
            assert set(world.statuses().values()) == {"unchanged"}
        if n % compare_every == 0 or n == n_edits:
            compare(world, editor, f"fresh-{n}")
    return editor


def compare(world: World, editor: Editor, name: str) -> None:
    fresh = World(world.root / name, world.overrides, world.embedder)
    fresh.folder, fresh.store, fresh.worker = world.folder, world.store, world.worker
    fresh.update()
    words = sorted(editor.alive)[::7]
    queries = (*QUERIES, *words, *editor.dead[-20:])
    assert world.hashes() == fresh.hashes()
    assert world.answers(queries=queries) == fresh.answers(queries=queries)
    if "sparse" in world.hashes():
        assert [word for word in editor.dead if world.found(word)] == []
        assert [word for word in words if not world.found(word)] == []


@pytest.mark.parametrize("seed", [1, 2])
def test_200_edits_of_a_hybrid_index(tmp_path, seed):
    world = World(tmp_path)
    editor = run(world, seed, 200, update_every=7, compare_every=70)
    assert min(Counter(editor.kinds).values()) >= 5 and len(Counter(editor.kinds)) == 8
    assert max(Counter(world.worker.embedded).values()) <= 2  # a text as a passage and, of the queries, as one of those


def test_200_edits_of_a_keyword_index_under_another_splitter(tmp_path):
    overrides = ("variant=bm25", "splitter=markdown", "chunk_unit=chars", "chunk_size=80", "context=headings")
    run(World(tmp_path, overrides), 3, 200, update_every=10, compare_every=100)


def test_50_edits_under_the_offline_embedder(tmp_path):
    world = World(tmp_path, SMALL, None)
    if not isinstance(world.variant.pipeline.embedder, E5Small) or not world.variant.pipeline.embedder.installed:
        pytest.skip("the offline embedder is not installed")
    run(world, 4, 50, update_every=5, compare_every=25)
