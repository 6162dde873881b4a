from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.embedder.cached import CachedEmbedder
from ragbench.errors import ConfigError
from ragbench.records.document import Chunk
from ragbench.records.search import Ranked
from ragbench.reranker.mmr import MmrReranker, picked

VECTORS = {
    "年假十天": [1, 0, 0],
    "年假有十天": [1, 0, 0],
    "annual leave: ten days": [0.8, 0.6, 0],
    "病假 sick leave": [0, 1, 0],
    "食堂": [0, 0, 1],
    "对面": [-1, 0, 0],
}
CHUNKS = [Chunk(f"{n}", n, "d", 0, 1, "x", text) for n, text in enumerate(VECTORS)]


class Table:
    """Vectors by text; counts what it computes."""

    dimension, max_tokens, space = 3, 100, "table"

    def __init__(self) -> None:
        self.computed: list[str] = []

    def embed_documents(self, texts):
        self.computed += texts
        return np.array([VECTORS[text] for text in texts], np.float32)

    embed_queries = token_vectors = None


def stage(**changed) -> MmrReranker:
    return MmrReranker(**({"relevance_weight": 0.7, "fetch_k": 20, "k": None} | changed))


def ranking(*scores: float):
    return tuple(Ranked(chunk, score, chunk + 1) for chunk, score in enumerate(scores))


def rerank(given, tmp_path: Path, **changed):
    with stage(**changed).open(Tools(Store(tmp_path), Table())) as worker:
        return worker.rerank("年假 how long?", given, CHUNKS)


def test_worked(tmp_path: Path) -> None:
    """Relevance 1, .8, .6, .2, 0. First .7·1. Then .56 − .3, .42 − .24, .14 − 0, 0 − 0: chunk 1 with .26. Then chunk 2
    with .18 before chunk 3 with .14, which lies .6 from chunk 2: .14 − .18 = −.04, so that the canteen is next with 0."""
    new = rerank(ranking(0.9, 0.8, 0.7, 0.5, 0.4), tmp_path)
    assert [(hit.chunk, hit.rank, hit.former) for hit in new] == [(0, 1, 1), (1, 2, 2), (2, 3, 3), (4, 4, 5), (3, 5, 4)]
    assert [hit.score for hit in new] == pytest.approx([0.7, 0.26, 0.18, 0, -0.04])


def test_what_is_said_already_sinks(tmp_path: Path) -> None:
    new = rerank(ranking(0.9, 0.89, 0.88, 0.87, 0.5), tmp_path, relevance_weight=0.5)
    assert [hit.chunk for hit in new][:2] == [0, 3]
    assert [hit.chunk for hit in new].index(1) > [hit.chunk for hit in new].index(3)


@pytest.mark.parametrize("scores", [(0.9, 0.8, 0.7), (0.5, 0.5, 0.5)])
def test_weight_one_keeps_the_order(tmp_path: Path, scores: tuple[float, ...]) -> None:
    new = rerank(ranking(*scores), tmp_path, relevance_weight=1)
    assert [hit.chunk for hit in new] == [0, 1, 2]


def test_equal_values_keep_the_order_and_an_opposite_is_worth_more_than_a_stranger(tmp_path: Path) -> None:
    new = rerank(
        tuple(Ranked(chunk, 1.0, rank) for rank, chunk in enumerate((3, 4, 0, 5), 1)), tmp_path, relevance_weight=0
    )
    assert [hit.chunk for hit in new] == [3, 4, 0, 5]
    new = rerank(
        tuple(Ranked(chunk, 1.0, rank) for rank, chunk in enumerate((0, 4, 5), 1)), tmp_path, relevance_weight=0
    )
    assert [hit.chunk for hit in new] == [0, 5, 4]
    assert [hit.score for hit in new] == [0.0, 0.0, 0.0], "no score stands above the one before it"


def test_only_candidates_are_moved_and_the_rest_follows_in_one_falling_list(tmp_path: Path) -> None:
    new = rerank(ranking(0.9, 0.89, 0.88, 0.87, 0.1), tmp_path, relevance_weight=0.2, fetch_k=3)
    assert sorted(hit.chunk for hit in new[:3]) == [0, 1, 2]
    assert [hit.chunk for hit in new[3:]] == [3, 4]
    assert [hit.rank for hit in new] == [1, 2, 3, 4, 5]
    assert [hit.former for hit in new[3:]] == [4, 5]
    assert all(before.score >= after.score for before, after in itertools.pairwise(new))
    assert new[2].score > new[3].score > new[4].score


def test_the_edges(tmp_path: Path) -> None:
    assert rerank((), tmp_path) == ()
    (only,) = rerank(ranking(0.2), tmp_path)
    assert only == Ranked(0, 0.7, 1, 1)


def test_stored_vectors_are_not_computed_again(tmp_path: Path) -> None:
    table = Table()
    embedder = CachedEmbedder(table, Store(tmp_path))
    embedder.embed_documents([chunk.index_text for chunk in CHUNKS])
    before = len(table.computed)
    with stage().open(Tools(Store(tmp_path), embedder)) as worker:
        worker.rerank("q", ranking(0.9, 0.8, 0.7), CHUNKS)
        assert worker.counts() == {}
    assert len(table.computed) == before == len(CHUNKS)


def test_three_candidates_a_place_unless_told() -> None:
    assert stage(fetch_k=None, k=5).resolved() == stage(fetch_k=15, k=None)
    assert stage(fetch_k=None, k=5).resolved().fingerprint() == stage(fetch_k=15, k=9).resolved().fingerprint()
    assert stage(fetch_k=15, k=9).idle_fields() == {"k": "fetch_k=15"}
    assert stage(fetch_k=None, k=5).idle_fields() == {}
    assert stage(relevance_weight=0.5).fingerprint() != stage().fingerprint() != stage(fetch_k=9).fingerprint()


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("relevance_weight", {"relevance_weight": 1.1}),
        ("relevance_weight", {"relevance_weight": float("nan")}),
        ("relevance_weight", {"relevance_weight": "0.7"}),
        ("relevance_weight", {"relevance_weight": True}),
        ("fetch_k", {"fetch_k": 0}),
        ("fetch_k", {"fetch_k": 2.5}),
        ("k", {"fetch_k": None}),
        ("k", {"fetch_k": None, "k": 0}),
    ],
)
def test_settings_are_checked(name: str, changed) -> None:
    with pytest.raises(ConfigError, match=f"pipeline.reranker.{name}: expected"):
        stage(**changed)


def test_without_an_embedder_it_says_so(tmp_path: Path) -> None:
    with (
        pytest.raises(ConfigError, match="reranker mmr: expected a pipeline with an embedder"),
        stage().open(Tools(Store(tmp_path))),
    ):
        pass


def test_picks_of_version_1() -> None:
    """Fails when picks change without a new VERSION; worked out with plain loops."""
    assert MmrReranker.VERSION == 1, "VERSION changed: work the picks out anew"
    turn = np.arange(12) * 0.7
    vectors = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    order, values = picked(np.linspace(1, 0, 12), vectors, 0.6)
    assert order == GOLDEN[0]
    assert values == pytest.approx(GOLDEN[1], abs=1e-6)


GOLDEN = (
    [0, 4, 2, 1, 6, 3, 5, 7, 8, 9, 10, 11],
    [0.6, 0.6, 0.422922, 0.239518, 0.20474, 0.130427, 0.021336, -0.087755, -0.14659, -0.290853, -0.345398, -0.399943],
)
