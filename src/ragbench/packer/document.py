"""The order of the sources."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.packer.blocks import BlockPacker, Packed
from ragbench.packer.filling import Sources
from ragbench.records.search import Ranking


@dataclass(frozen=True, kw_only=True)
class DocumentPacker(BlockPacker):
    """Blocks of one document together, in the document's order; documents by their best block. The same blocks as best
    first."""

    def blocks(self, ranking: Ranking, sources: Sources, budget: int) -> Packed:
        """See `BlockPacker.blocks`."""
        filling = self.filled(ranking, sources, budget)
        place = {name: at for at, name in enumerate(dict.fromkeys(block.doc_id for block in filling.blocks))}
        ordered = sorted(filling.blocks, key=lambda block: (place[block.doc_id], block.start, block.end))
        return ordered, filling.dropped
