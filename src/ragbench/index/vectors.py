"""Checks and arithmetic that every dense index shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragbench.core.workers import Floats
from ragbench.errors import DataError

_BLOCK = 4096


def unit_rows(vectors: NDArray[Any]) -> Floats:
    """The rows of [n, dimension] at length 1, float32; a row of zeros stays zero: its cosine with anything is 0."""
    rows = np.empty(vectors.shape, dtype=np.float32)
    for at in range(0, len(vectors), _BLOCK):  # in double precision a whole matrix would take four times its memory
        exact = np.asarray(vectors[at : at + _BLOCK], dtype=np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", exact, exact))[:, None]
        rows[at : at + _BLOCK] = np.divide(exact, lengths, out=np.zeros_like(exact), where=lengths > 0)
    return rows


def cosines(rows: Floats, query: Floats) -> Floats:
    """Dot product of each row [n, dimension] with the query [dimension], float32.

    Not a matrix product: BLAS sums a row differently by its place in the block and by the number of
    threads, so equal vectors would get unequal scores and a filter would change them.
    """
    result: Floats = np.einsum("ij,j->i", rows, query)
    return result


def checked(vectors: NDArray[Any], chunk_ids: Sequence[str]) -> Floats:
    """Unit rows of the vectors to index.

    Raises DataError for anything but one finite row a chunk.
    """
    if vectors.ndim != 2:
        raise DataError("vectors", expected="a matrix [chunks, dimension]", found=f"{vectors.ndim} dimension(s)")
    if len(vectors) != len(chunk_ids):
        raise DataError("vectors", expected=f"one for each of {len(chunk_ids)} chunks", found=f"{len(vectors)}")
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise DataError(
            f"vector of chunk {chunk_ids[bad[0]]}",
            expected="finite numbers",
            found=f"NaN or infinity in {len(bad)} vector(s)",
            hint="Check the embedder; nothing was indexed.",
        )
    return unit_rows(vectors)


def checked_query(query: NDArray[Any], dimension: int) -> Floats:
    """The query vector at length 1; raises DataError when it does not fit the index or is not finite."""
    if query.shape != (dimension,):
        raise DataError(
            "query vector",
            expected=f"{dimension} numbers, as the index was built with",
            found=f"shape {list(query.shape)}",
            hint="Query and chunks must come from the same embedder.",
        )
    if not np.isfinite(query).all():
        raise DataError("query vector", expected="finite numbers", found="NaN or infinity")
    return unit_rows(query.reshape(1, -1)).reshape(-1)
