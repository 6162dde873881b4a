"""The best at both ends of the context."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.packer.blocks import BlockPacker, Packed
from ragbench.packer.filling import Sources
from ragbench.records.search import Ranking


@dataclass(frozen=True, kw_only=True)
class EdgesPacker(BlockPacker):
    """The best block first, the second best last, the worst in the middle: 1, 3, 5, …, 6, 4, 2.

    For models that read the beginning and the end of a long context better than its middle (Liu et al. 2024, "Lost in
    the Middle"). The same blocks as best first.
    """

    def blocks(self, ranking: Ranking, sources: Sources, budget: int) -> Packed:
        """See `BlockPacker.blocks`."""
        filling = self.filled(ranking, sources, budget)
        return [*filling.blocks[0::2], *reversed(filling.blocks[1::2])], filling.dropped
