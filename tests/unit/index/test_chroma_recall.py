"""The shipped settings find what exact search finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from ragbench.index.chroma import ChromaIndex
from ragbench.testing.vectors import clustered, gaussian

pytest.importorskip("chromadb", reason="needs the extra chroma")
CONFIG = Path(__file__).parents[3] / "configs" / "index" / "chroma.yaml"


def shipped() -> ChromaIndex:
    fields = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    assert fields.pop("_target_") == "ragbench.index.chroma.ChromaIndex"
    return ChromaIndex(**fields)


def recalls(folder: Path, rows, queries) -> dict[str, float]:
    """Of queries that are not among the rows; and what the build says of queries close to them."""
    facts = shipped().build(folder, rows, [str(n) for n in range(len(rows))])
    order = np.argsort(-(queries @ rows.T), axis=1)
    with shipped().open(folder) as reader:
        shares = {
            depth: np.mean(
                [np.isin(reader.search(one, depth)[0], right[:depth]).mean() for one, right in zip(queries, order)]
            )
            for depth in (10, 100)
        }
    return {
        "held out at 10": shares[10],
        "held out at 100": shares[100],
        **{name: facts[name] for name in ("recall_at_10", "recall_at_100")},
    }


def test_a_sample_of_clustered_vectors(tmp_path: Path) -> None:
    found = recalls(tmp_path, *clustered(2000, 50))
    assert min(found.values()) >= 0.99, found


@pytest.mark.slow
def test_fifty_thousand_clustered_vectors(tmp_path: Path) -> None:
    found = recalls(tmp_path, *clustered(50_000, 200))
    assert min(found.values()) >= 0.99, found


@pytest.mark.parametrize("make", [clustered, gaussian])
def test_the_vectors_are_the_same_every_time(make) -> None:
    rows, queries = make(300, 20, width=32)
    again = make(300, 20, width=32)
    assert rows.shape == (300, 32) and queries.shape == (20, 32) and rows.dtype == queries.dtype == np.float32
    assert np.array_equal(rows, again[0]) and np.array_equal(queries, again[1])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_clustered_vectors_have_near_neighbours_and_gaussian_ones_none() -> None:
    nearest = []
    for make in (clustered, gaussian):
        rows, queries = make(2000, 50)
        nearest.append(np.median((queries @ rows.T).max(axis=1)))
    assert nearest[0] > 0.5 > 0.3 > nearest[1]
