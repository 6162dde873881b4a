"""Splitters that change more than the chunk list: one reads vectors, one packs something else than it searches."""

from __future__ import annotations

import pytest

from ragbench.core.codec import read_json
from ragbench.run_dir.read import RunDir
from tests.e2e.world import OFFLINE, local


def test_semantic_chunks_depend_on_the_embedder_and_embed_each_sentence_once(cli, tiny, models):
    asked = [*local(tiny), *OFFLINE, models, "variant=bm25", "splitter=semantic", "pipeline.splitter.min_size=5"]
    first = cli("run", *asked)
    assert first.manifest["stages"]["embedded"]["splitting"] > 10
    other = cli("sweep", *asked, "pipeline.splitter.value=50,80")
    points = read_json(other.sweep / "sweep.json")["points"]
    assert [point["stages"]["embedded"]["texts"] for point in points] == [0, 0]
    assert all(point["stages"]["computed"]["chunks"] == 1 for point in points)
    fingerprints = {cli("plan", *asked, *more, "--json").json[0]["stages"][1]["key"] for more in ([], ["pipeline.embedder.runtime=q4"])}  # fmt: skip
    assert len(fingerprints) == 2, "other vectors, other chunks"


@pytest.mark.parametrize("parents", [60, 200])
def test_children_are_searched_and_parents_are_read(cli, tiny, parents):
    out = cli(
        "run", *local(tiny), "variant=bm25", "sink=files", "judge=none", "generator=none", "splitter=parent_child",
        "chunk_unit=chars", "chunk_size=30", "overlap=0", f"pipeline.splitter.parents.chunk_size={parents}", "k=3",
    )  # fmt: skip
    run = RunDir(out.run)
    chunks = run.chunk_rows()
    packed = 0
    for trace in run.traces():
        hits = [chunks[item.chunk] for item in trace.steps[0].reranked]
        distinct = list(dict.fromkeys(row["parent_id"] for row in hits))[:3]
        blocks = trace.context.blocks
        read = [number for block in blocks for number in block.chunks]
        assert [chunks[number]["parent_id"] for number in sorted(read, key=[item.chunk for item in trace.steps[0].reranked].index)] == distinct  # fmt: skip
        for block in blocks:
            for number in block.chunks:
                start, end = chunks[number]["parent"]
                assert block.start <= start < end <= block.end, "the whole parent is read"
            packed += block.end - block.start > 30
    assert packed, "parents are longer than children"
