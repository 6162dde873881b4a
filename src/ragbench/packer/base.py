"""What a packer is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ragbench.core.stage import Stage
from ragbench.records.document import Chunk, Document
from ragbench.records.search import Ranking
from ragbench.records.trace import PackedContext

CountTokens = Callable[[Sequence[str]], list[int]]


@dataclass(frozen=True, kw_only=True)
class Packer(Stage):
    """Chooses and orders what the generator reads."""

    @abstractmethod
    def pack(
        self, ranking: Ranking, chunks: Sequence[Chunk], documents: Mapping[str, Document], count: CountTokens
    ) -> PackedContext:
        """Pack `ranking` (already cut to k) under the token budget."""
