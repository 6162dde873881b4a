"""What a dense index is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ragbench.core.stage import Stage
from ragbench.core.workers import Floats

Ints = NDArray[np.int32]
FoundList = tuple[Ints, Floats]
"""Chunk numbers and scores of one query: best first, ties by chunk number, at most `depth` long."""


class OpenIndex(Protocol):
    """A built dense index, open for reading. `size` is the number of chunks."""

    size: int

    def search(self, query: Floats, depth: int, allowed: Ints | None = None) -> FoundList:
        """The `depth` nearest chunks of one query vector [dimension] by cosine.

        `allowed` restricts the search to these chunk numbers (ascending) before the top is taken; empty gives nothing.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Index(Stage):
    """Builds a dense index in a folder and opens it."""

    @abstractmethod
    def build(self, folder: Path, vectors: Floats, chunk_ids: Sequence[str]) -> dict[str, Any]:
        """Write the index of `vectors` [n, dimension] into the empty `folder`.

        Returns facts to show (size in bytes, recall against exact search).
        """

    @abstractmethod
    def open(self, folder: Path) -> AbstractContextManager[OpenIndex]:
        """Open a folder that `build` wrote."""
