"""What a sparse index is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ragbench.core.stage import Stage
from ragbench.index.base import FoundList, Ints


class OpenSparse(Protocol):
    """A built sparse index, open for reading. `size` is the number of chunks."""

    size: int

    def search(self, text: str, depth: int, allowed: Ints | None = None) -> FoundList:
        """The best `depth` chunks with a score above 0 for a query text; see `OpenIndex.search` for `allowed`."""
        ...


@dataclass(frozen=True, kw_only=True)
class Sparse(Stage):
    """Builds a sparse index in a folder and opens it."""

    @abstractmethod
    def build(self, folder: Path, texts: Sequence[str]) -> dict[str, Any]:
        """Write the index of the texts into the empty `folder`; returns facts to show."""

    def build_noting(self, folder: Path, texts: Sequence[str], notes: dict[str, list[str]]) -> dict[str, Any]:
        """As `build`, and the same files. `notes` holds the terms of lines that were read before by this recipe; an
        index that works line by line takes them from there and adds those that it reads now. Here: nothing is used."""
        return self.build(folder, texts)

    @abstractmethod
    def open(self, folder: Path) -> AbstractContextManager[OpenSparse]:
        """Open a folder that `build` wrote."""
