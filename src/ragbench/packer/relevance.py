"""Best first under a token budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ragbench.packer.blocks import BlockPacker, Packed
from ragbench.packer.filling import Sources
from ragbench.records.search import Ranking


@dataclass(frozen=True, kw_only=True)
class RelevancePacker(BlockPacker):
    """Blocks in the order of the ranking."""

    VERSION: ClassVar[int] = 3

    def blocks(self, ranking: Ranking, sources: Sources, budget: int) -> Packed:
        """See `BlockPacker.blocks`."""
        filling = self.filled(ranking, sources, budget)
        return filling.blocks, filling.dropped
