"""What a packer is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ragbench.core.stage import Stage
from ragbench.records.document import Chunk, Document
from ragbench.records.search import Ranking
from ragbench.records.trace import Asked, PackedContext

CountTokens = Callable[[Sequence[str]], list[int]]

NOTHING_ASKED = Asked()


@dataclass(frozen=True, kw_only=True)
class Packer(Stage):
    """Chooses and orders what the generator reads."""

    @property
    def needs_classes(self) -> bool:
        """Whether it decides by the class of a question."""
        return False

    @abstractmethod
    def pack(
        self,
        ranking: Ranking,
        chunks: Sequence[Chunk],
        documents: Mapping[str, Document],
        count: CountTokens,
        asked: Asked = NOTHING_ASKED,
    ) -> PackedContext:
        """Pack `ranking` (already cut to k) for a question, under the token budget."""
