from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from ragbench.core.store import Store
from ragbench.core.workers import Floats
from ragbench.embedder.cached import CachedEmbedder, pack_tokens, unpack_tokens
from ragbench.embedder.e5_small import E5Worker
from ragbench.embedder.openai import OpenAIEmbedder
from ragbench.errors import ConfigError, DataError


class CountingEmbedder:
    """Vectors made from the text's hash; remembers what it was asked."""

    dimension = 8
    max_tokens = 10

    def __init__(self, space: str = "a") -> None:
        self.space = space
        self.batches: list[list[str]] = []

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        return self._rows(texts, "passage")

    def embed_queries(self, texts: Sequence[str]) -> Floats:
        return self._rows(texts, "query")

    def token_vectors(self, texts: Sequence[str], role: str) -> list[Floats]:
        self.batches.append(list(texts))
        return [self._unit(np.stack([self._seed(c, role) for c in text])) if text else self._none() for text in texts]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]

    def _rows(self, texts: Sequence[str], role: str) -> Floats:
        self.batches.append(list(texts))
        return self._unit(np.stack([self._seed(text, role) for text in texts]))

    def _seed(self, text: str, role: str) -> Floats:
        numbers = list(f"{role}{text}{self.space}".encode("utf-8", "surrogatepass"))
        return np.random.default_rng(numbers).normal(size=self.dimension).astype(np.float32)

    def _unit(self, rows: Floats) -> Floats:
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def _none(self) -> Floats:
        return np.zeros((0, self.dimension), np.float32)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path)
    yield store
    store.close()


def test_each_text_is_computed_once(store: Store) -> None:
    worker = CountingEmbedder()
    cached = CachedEmbedder(worker, store)
    rows = cached.embed_documents(["报销", "leave", "报销", "\ud800", ""])
    assert worker.batches == [["报销", "leave", "\ud800", ""]]
    np.testing.assert_array_equal(rows, CountingEmbedder().embed_documents(["报销", "leave", "报销", "\ud800", ""]))
    assert (cached.n_embedded, cached.n_cached) == (4, 0)
    again = CachedEmbedder(worker, store)
    np.testing.assert_array_equal(again.embed_documents(["leave", "报销", "new"]), rows_of(["leave", "报销", "new"]))
    assert worker.batches[1:] == [["new"]]
    assert (again.n_embedded, again.n_cached) == (1, 2)
    assert cached.embed_documents([]).shape == (0, 8)


def rows_of(texts: list[str]) -> Floats:
    return CountingEmbedder().embed_documents(texts)


def test_roles_and_spaces_are_kept_apart(store: Store) -> None:
    one, other = CachedEmbedder(CountingEmbedder("a"), store), CachedEmbedder(CountingEmbedder("b"), store)
    rows = [one.embed_documents(["x"]), one.embed_queries(["x"]), other.embed_documents(["x"])]
    assert one.n_embedded == 2
    assert other.n_embedded == 1
    assert len({row.tobytes() for row in rows}) == 3


def test_cold_and_warm_token_vectors_are_the_same_bits(store: Store) -> None:
    worker = CountingEmbedder()
    cached = CachedEmbedder(worker, store)
    cold = cached.token_vectors(["年假制度", "", "年假制度"], "passage")
    warm = cached.token_vectors(["", "年假制度"], "passage")
    assert [rows.shape for rows in cold] == [(4, 8), (0, 8), (4, 8)]
    np.testing.assert_array_equal(cold[0], warm[1])
    np.testing.assert_array_equal(cold[0], cold[2])
    assert worker.batches == [["年假制度", ""]]
    exact = worker.token_vectors(["年假制度"], "passage")[0]
    np.testing.assert_array_equal(cold[0], unpack_tokens(pack_tokens(exact), 8))
    assert not np.array_equal(cold[0], exact)
    assert (cold[0] * exact).sum(axis=1).min() > 0.9999
    np.testing.assert_allclose(np.linalg.norm(cold[0], axis=1), 1, atol=1e-6)
    assert (cached.n_embedded, cached.n_cached) == (2, 2)


def test_packing_is_a_quarter_of_the_size_and_keeps_zero_rows() -> None:
    rows = np.eye(3, 384, dtype=np.float32)
    rows[1] = 0
    blob = pack_tokens(rows)
    assert len(blob) == 3 * (384 + 4)
    np.testing.assert_array_equal(unpack_tokens(blob, 384), rows)
    assert unpack_tokens(pack_tokens(rows[:0]), 384).shape == (0, 384)


def test_a_killed_run_loses_one_batch(store: Store) -> None:
    class Dying(CountingEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Floats:
            if len(self.batches) == 2:
                raise KeyboardInterrupt
            return super().embed_documents(texts)

    texts = [f"t{number}" for number in range(10)]
    with pytest.raises(KeyboardInterrupt):
        CachedEmbedder(Dying(), store, batch_size=3).embed_documents(texts)
    resumed = CachedEmbedder(CountingEmbedder(), store, batch_size=3)
    np.testing.assert_array_equal(resumed.embed_documents(texts), rows_of(texts))
    assert (resumed.n_cached, resumed.n_embedded) == (6, 4)


def test_progress_counts_distinct_texts(store: Store) -> None:
    seen: list[tuple[int, int]] = []
    cached = CachedEmbedder(CountingEmbedder(), store, batch_size=2, progress=lambda done, of: seen.append((done, of)))
    cached.embed_documents(["a"])
    cached.embed_documents(["a", "b", "c", "d", "d"])
    assert seen == [(1, 1), (3, 4), (4, 4)]


def test_a_value_of_another_shape_is_computed_again(store: Store) -> None:
    cached = CachedEmbedder(CountingEmbedder(), store)
    for name, call in (
        ("vectors", cached.embed_documents),
        ("token_vectors", lambda t: cached.token_vectors(t, "query")),
    ):
        expected = call(["x"])
        table = store.table(name)
        key = cached._key("x", "passage" if name == "vectors" else "query")
        table.put_many({key: b"short"})
        np.testing.assert_array_equal(call(["x"])[0], expected[0])


def test_a_worker_that_returns_too_few_is_an_error(store: Store) -> None:
    class Short(CountingEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Floats:
            return super().embed_documents(texts)[:-1]

    with pytest.raises(DataError, match="expected 2 vectors, found 1"):
        CachedEmbedder(Short(), store).embed_documents(["a", "b"])
    assert len(store.table("vectors")) == 0


def test_the_cache_passes_on_that_there_are_no_token_vectors(store: Store) -> None:
    fields = {"query_prefix": "", "passage_prefix": "", "overflow": "truncate", "send_dimensions": False}
    stage = OpenAIEmbedder(
        base_url="http://localhost/v1", model="m", dimensions=3, max_tokens=10, api_key_env="", **fields
    )
    with stage.open() as worker, pytest.raises(ConfigError, match="one vector a text"):
        CachedEmbedder(worker, store).token_vectors([], "query")


def test_real_vectors_go_through_unchanged(store: Store, int8: E5Worker) -> None:
    texts = ["员工年假", "annual leave", "年假 leave"]
    cached = CachedEmbedder(int8, store, batch_size=2)
    calls: list[Callable[[Sequence[str]], Floats]] = [cached.embed_documents, cached.embed_queries]
    for ours, theirs in zip(calls, (int8.embed_documents, int8.embed_queries)):
        for _ in range(2):
            np.testing.assert_array_equal(ours(texts), theirs(texts))
    for rows, exact in zip(cached.token_vectors(texts, "passage"), int8.token_vectors(texts, "passage")):
        assert (rows * exact).sum(axis=1).min() > 0.9999
    assert (cached.space, cached.dimension, cached.max_tokens) == (int8.space, 384, 508)
    assert cached.count_tokens(texts) == int8.count_tokens(texts)
