"""Made-up vectors that lie as those of texts do, for measuring approximate indexes."""

from __future__ import annotations

import numpy as np

from ragbench.core.workers import Floats

_AREAS, _TOPICS, _SEED = 50, 1000, 11


def clustered(n: int, n_queries: int, width: int = 384) -> tuple[Floats, Floats]:
    """`n` unit vectors [n, width] and queries [n_queries, width] of the same kind, float32; the same for the same
    arguments.

    A thousand topics lie around fifty areas (noise of length 0.8 on a unit vector), chunks around topics (0.7). The
    size of a topic falls as 1/rank: the first holds 13 % of the chunks, so its 100 nearest are hard to tell apart,
    the last ones a handful.
    """
    rng = np.random.default_rng(_SEED)
    areas = _units(rng, _AREAS, width)
    topics = _moved(areas[rng.integers(0, _AREAS, _TOPICS)], 0.8, rng)
    share = 1 / np.arange(1, _TOPICS + 1)
    rows = _moved(topics[rng.choice(_TOPICS, n + n_queries, p=share / share.sum())], 0.7, rng)
    return rows[:n].astype(np.float32), rows[n:].astype(np.float32)


def gaussian(n: int, n_queries: int, width: int = 384) -> tuple[Floats, Floats]:
    """The same shapes without any structure: all vectors are about equally far apart, which no text's are."""
    rows = _units(np.random.default_rng(_SEED), n + n_queries, width).astype(np.float32)
    return rows[:n], rows[n:]


def _units(rng: np.random.Generator, n: int, width: int) -> np.ndarray:
    return _scaled(rng.standard_normal((n, width)))


def _moved(rows: np.ndarray, noise: float, rng: np.random.Generator) -> np.ndarray:
    return _scaled(rows + noise * _units(rng, *rows.shape))


def _scaled(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))
