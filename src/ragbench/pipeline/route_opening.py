"""Opening the index of a route."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragbench.core.workers import TextEmbedder
from ragbench.pipeline.offline import Built
from ragbench.pipeline.pipeline import Pipeline
from ragbench.pipeline.routes import Search, dense_search, sparse_search


def open_route(
    route: str,
    pipeline: Pipeline,
    built: Built,
    opened: Callable[[str, Callable[[], Any]], Any],
    embedder: Callable[[], TextEmbedder],
) -> Search:
    """The search of a route over its built index; `opened` opens the stage of a slot, `embedder` the embedder."""
    if route == "sparse":
        assert built.sparse_folder is not None
        folder = built.sparse_folder / "data"
        return sparse_search(opened("sparse", lambda: pipeline.sparse.open(folder)))
    assert built.index_folder is not None
    data = built.index_folder / "data"
    return dense_search(opened("index", lambda: pipeline.index.open(data)), embedder())
