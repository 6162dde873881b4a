"""What a flow is, and what it may do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ragbench.core.stage import Stage
from ragbench.packer.base import NOTHING_ASKED
from ragbench.records.document import Chunk
from ragbench.records.question import Question
from ragbench.records.search import Ranking, RouteList, SearchRequest
from ragbench.records.trace import Answer, Asked, PackedContext, QueryView, Trace

Times = dict[str, float]


@dataclass(frozen=True, slots=True)
class Cuts:
    """Cut-offs of a flow: `pool_depth` of each route list (the cached unit), `recall_k` reranked, `k` packed."""

    pool_depth: int
    recall_k: int
    k: int


class Bench(Protocol):
    """The open online half of a pipeline, as a flow sees it.

    Every call adds the milliseconds of its stages to `times`; a result taken from the store adds the time that was
    measured when it was computed.
    """

    @property
    def ahead(self) -> int:
        """Questions that may be planned at a time, so that the calls of models overlap; 1: one after the other."""
        ...

    @property
    def at_once(self) -> int:
        """Answers that may be waited for at a time: `generate` is then called by threads; 1: by the caller's alone."""
        ...

    @property
    def chunks(self) -> Sequence[Chunk]:
        """The chunk set; a hit's chunk number is a position in it."""
        ...

    def opened(self, stage: Any) -> Any:
        """The open worker of a stage that the flow holds itself; the same one at each call. Raises CannotOpen."""
        ...

    def plan(self, question: Question, times: Times) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        """What to search for."""
        ...

    def retrieve(self, requests: Sequence[SearchRequest], depth: int, times: Times) -> tuple[RouteList, ...]:
        """One list a request and route, `depth` long where the request names no depth of its own."""
        ...

    def fuse(self, lists: Sequence[RouteList], times: Times) -> Ranking:
        """The retriever's ranking of the union."""
        ...

    def rerank(self, text: str, ranking: Ranking, recall_k: int, times: Times) -> Ranking:
        """The first `recall_k` reordered, the rest behind them in their order."""
        ...

    def head(self, ranking: Ranking, k: int) -> Ranking:
        """The hits that are packed: the first `k`, or the best of each of the first `k` distinct parents."""
        ...

    def pack(self, ranking: Ranking, times: Times, asked: Asked = NOTHING_ASKED) -> PackedContext:
        """The context made of `ranking` for a question."""
        ...

    def generate(self, question: Question, context: PackedContext, times: Times) -> Answer | None:
        """The answer, or None where the variant generates nothing."""
        ...

    def generate_alone(self, question: Question, times: Times) -> Answer | None:
        """The answer without any context: what a generator that asks a model knows by itself, else a refusal; None
        where the variant generates nothing."""
        ...


@dataclass(frozen=True, kw_only=True)
class Flow(Stage):
    """Runs questions through a bench."""

    @property
    @abstractmethod
    def cuts(self) -> Cuts:
        """Where the flow cuts its rankings; the diagnosis says by them which layer lost a question, where its trace has
        no cut-offs of its own."""

    @property
    def largest_k(self) -> int:
        """Most chunks that are packed for any question."""
        return self.cuts.k

    @property
    def needs_answers(self) -> bool:
        """Whether a later step is made of an earlier one's answer, so that the variant must have a generator."""
        return False

    @property
    def reads_gold(self) -> bool:
        """Whether it is an oracle, which reads the gold of a row; a run with one says so."""
        return False

    @property
    def needs_classes(self) -> bool:
        """Whether it decides by the class of a question, so that the query stage must have a classifier."""
        return False

    @property
    def keeps_scores(self) -> bool:
        """Whether what is packed has the scores that the reranker gave it, for every question."""
        return False

    @property
    def llm_calls(self) -> int:
        """Most calls of models that a question takes beside those of the query stage."""
        return 0

    @property
    def answers(self) -> int:
        """Most answers that are written for a question."""
        return 1

    @abstractmethod
    def run(self, questions: Sequence[Question], bench: Bench) -> Iterator[Trace]:
        """One trace a question, in order; a question that raises gives a trace with its error.

        CannotOpen and StoreError pass through: they are no question's own failure.
        """
