"""How a context is packed by the class of the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from ragbench.errors import ConfigError
from ragbench.packer.base import NOTHING_ASKED, CountTokens
from ragbench.packer.blocks import BlockPacker, Packed, check_whole
from ragbench.packer.edges import EdgesPacker
from ragbench.packer.filling import Sources
from ragbench.packer.relevance import RelevancePacker
from ragbench.packer.summaries import Lines, SummariesPacker
from ragbench.records.document import Chunk, Document
from ragbench.records.question import COMPLEXITIES
from ragbench.records.search import Ranking
from ragbench.records.trace import Asked, PackedContext

UNKNOWN = "unknown"
CLASSES = (*COMPLEXITIES, UNKNOWN)
"""Classes of questions, and that of a question which no tier decided."""

WAYS = ("simple", "moderate", "complex")


@dataclass(frozen=True, kw_only=True)
class AdaptivePacker(BlockPacker):
    """Packs by the class that query understanding gave the question.

    `classes` maps each of `CLASSES` to a way: `simple` is `SummariesPacker` with at most `simple_budget` tokens and
    `full` chunks in full, `moderate` is `EdgesPacker`, `complex` is `RelevancePacker`; all other knobs are shared. A
    class that it does not know is packed as `unknown`.
    """

    classes: Mapping[str, str]
    simple_budget: int
    full: int
    line_tokens: int
    lines: Lines

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        check_whole("simple_budget", self.simple_budget, 1)
        if not isinstance(self.classes, Mapping) or set(self.classes) != set(CLASSES):
            found = ", ".join(map(str, self.classes)) if isinstance(self.classes, Mapping) else repr(self.classes)
            raise ConfigError(
                "pipeline.packer.classes", expected=f"a way for each of {', '.join(CLASSES)}", found=found
            )
        for name, way in self.classes.items():
            if way not in WAYS:
                expected = "simple, moderate or complex"
                raise ConfigError(f"pipeline.packer.classes.{name}", expected=expected, found=repr(way))
        self._made("simple")  # checks the knobs that only this way has

    @property
    def needs_classes(self) -> bool:
        """It has nothing to go by without."""
        return True

    def pack(
        self,
        ranking: Ranking,
        chunks: Sequence[Chunk],
        documents: Mapping[str, Document],
        count: CountTokens,
        asked: Asked = NOTHING_ASKED,
    ) -> PackedContext:
        """The context of `ranking` as the way of the question's class packs it."""
        name = asked.complexity if asked.complexity in self.classes else UNKNOWN
        return self._made(self.classes[str(name)]).pack(ranking, chunks, documents, count, asked)

    def blocks(self, ranking: Ranking, sources: Sources, budget: int) -> Packed:
        """See `BlockPacker.blocks`; as for a question of unknown class."""
        return self._made(self.classes[UNKNOWN]).blocks(ranking, sources, budget)

    def _made(self, way: str) -> BlockPacker:
        shared: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(BlockPacker)}
        if way == "moderate":
            return EdgesPacker(**shared)
        if way == "complex":
            return RelevancePacker(**shared)
        shared["budget"] = min(self.budget, self.simple_budget)
        return SummariesPacker(**shared, full=self.full, line_tokens=self.line_tokens, lines=self.lines)
