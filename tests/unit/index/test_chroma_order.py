"""Vectors that come topic after topic, as those of documents do: what the graph finds, and what filters give."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest

from ragbench.index.chroma import ChromaIndex
from ragbench.index.exact import ExactIndex
from ragbench.testing.index_contract import same

pytest.importorskip("chromadb", reason="needs the extra chroma")

SIZE, TOPICS, WIDTH, NOISE = 20_000, 200, 384, 0.1
INDEX = ChromaIndex(max_neighbors=32, ef_construction=200, ef_search=800)


def _units(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


class Topical:
    """Both indexes of vectors in the order of their topics, open, and what their builds told."""

    def __init__(self, folder, stack: ExitStack) -> None:
        self.rng = np.random.default_rng(7)
        self.centres = _units(self.rng.standard_normal((TOPICS, WIDTH)))
        self.topics = np.sort(self.rng.integers(0, TOPICS, SIZE))
        rows = self.around(self.topics)
        self.facts: dict[str, Any] = {}
        self.opened: dict[str, Any] = {}
        for name, index in (("chroma", INDEX), ("exact", ExactIndex())):
            (folder / name).mkdir()
            self.facts[name] = index.build(folder / name, rows, [str(n) for n in range(SIZE)])
            self.opened[name] = stack.enter_context(index.open(folder / name))

    def around(self, topics: np.ndarray) -> np.ndarray:
        return _units(self.centres[topics] + NOISE * _units(self.rng.standard_normal((len(topics), WIDTH))))


@pytest.fixture(scope="module")
def topical(tmp_path_factory) -> Iterator[Topical]:
    with ExitStack() as stack:
        yield Topical(tmp_path_factory.mktemp("topical"), stack)


def test_topics_one_after_the_other_are_found_whole(topical: Topical) -> None:
    told = topical.facts["chroma"]
    assert min(told["recall_at_10"], told["recall_at_100"]) >= 0.99
    shares = []
    for query in topical.around(topical.rng.integers(0, TOPICS, 60)):
        found, truth = (topical.opened[name].search(query, 100) for name in ("chroma", "exact"))
        shares.append(np.mean(found[1] >= truth[1][-1] - 1e-5))
    assert np.mean(shares) >= 0.99


@pytest.mark.parametrize("share", [0.9, 0.5, 0.1, 0.02])
def test_filters_at_random_give_the_exact_list(topical: Topical, share: float) -> None:
    for query in topical.around(topical.rng.integers(0, TOPICS, 25)):
        _equal(topical, query, topical.rng.random(SIZE) < share)


def test_filters_that_leave_out_what_is_near_give_the_exact_list(topical: Topical) -> None:
    department = topical.rng.integers(0, 5, TOPICS)[topical.topics]
    for topic in topical.rng.integers(0, TOPICS, 25).tolist():
        (query,) = topical.around(np.array([topic]))
        _equal(topical, query, topical.topics != topic)
        _equal(topical, query, department != department[topical.topics.searchsorted(topic)])


def _equal(topical: Topical, query, where) -> None:
    allowed = np.flatnonzero(where).astype(np.int32)
    found, truth = (topical.opened[name].search(query, 100, allowed) for name in ("chroma", "exact"))
    assert same(found, truth) and len(found[0]) == 100
