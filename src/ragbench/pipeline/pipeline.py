"""A pipeline variant as a value."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from ragbench.core.stage import Stage
from ragbench.embedder.base import Embedder
from ragbench.flow.base import Flow
from ragbench.generator.base import Generator
from ragbench.index.base import Index
from ragbench.packer.base import Packer
from ragbench.query.base import Query
from ragbench.reranker.base import Reranker
from ragbench.retriever.base import Retriever
from ragbench.sparse.base import Sparse
from ragbench.splitter.base import Splitter
from ragbench.splitter.prefix import ContextPrefix


@dataclass(frozen=True, kw_only=True)
class Pipeline(Stage):
    """Named slots holding stages; equality and fingerprint are those of the stages."""

    splitter: Splitter
    prefix: ContextPrefix
    embedder: Embedder
    index: Index
    sparse: Sparse
    query: Query
    retriever: Retriever
    reranker: Reranker
    packer: Packer
    generator: Generator
    flow: Flow

    @property
    def routes(self) -> tuple[str, ...]:
        """Routes the retriever needs."""
        return self.retriever.ROUTES

    @property
    def oracles(self) -> list[str]:
        """Slots whose stage reads the gold of questions."""
        return [slot for slot, stage in (("query", self.query), ("flow", self.flow)) if stage.reads_gold]

    @property
    def needs_embedder(self) -> bool:
        """Whether any stage of this variant works on vectors."""
        stages = (self.splitter, self.query, self.reranker, self.generator)
        return "dense" in self.routes or any(stage.uses_embedder for stage in stages)

    def resolved(self) -> Pipeline:
        """The same variant with every null knob replaced by its slot's default."""
        stages = {field.name: getattr(self, field.name).resolved() for field in fields(self)}
        return replace(self, **stages)
