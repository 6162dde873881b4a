"""Times of stages do not depend on what earlier variants left in the store."""

import time

import numpy as np
import pytest

from ragbench.core.store import Store
from ragbench.embedder.cached import CachedEmbedder


class Slow:
    """Takes 200 ms a text."""

    dimension, max_tokens, space = 2, 9, "slow"

    def embed_documents(self, texts):
        time.sleep(0.2 * len(texts))
        return np.ones((len(texts), 2), np.float32)

    embed_queries = embed_documents


def measured(embedder, act):
    started, correction = time.perf_counter(), embedder.correction_ms
    act()
    return (time.perf_counter() - started) * 1000 + embedder.correction_ms - correction


@pytest.mark.parametrize("text", ["年假几天？", "How many days?", "年假 carry over"])
def test_a_cached_query_costs_what_it_cost(tmp_path, text):
    with_cold = CachedEmbedder(Slow(), Store(tmp_path))
    cold = measured(with_cold, lambda: with_cold.embed_queries([text]))
    with_warm = CachedEmbedder(Slow(), Store(tmp_path))
    warm = measured(with_warm, lambda: with_warm.embed_queries([text]))
    assert with_warm.n_embedded == 0
    assert warm > 18
    assert abs(cold - warm) < 15


def test_passages_lie_beside_the_index_cold_or_warm(tmp_path):
    embedder = CachedEmbedder(Slow(), Store(tmp_path))
    texts = ["一", "two", "三 three"]
    cold = measured(embedder, lambda: embedder.embed_documents(texts))
    warm = measured(embedder, lambda: embedder.embed_documents(texts))
    assert embedder.n_embedded == 3
    assert cold < 400
    assert warm < 400
