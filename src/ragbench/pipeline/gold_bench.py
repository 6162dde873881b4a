"""A bench that puts the gold evidence of one question in at one stage; every other stage is as configured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from ragbench.flow.base import Times
from ragbench.flow.gold import GoldChunks, ranking_of
from ragbench.packer.base import NOTHING_ASKED
from ragbench.packer.relevance import RelevancePacker
from ragbench.pipeline.online import OnlineBench
from ragbench.records.question import Question
from ragbench.records.search import Ranked, Ranking, RouteList, SearchRequest
from ragbench.records.trace import Answer, Asked, PackedContext, QueryView

_ROOM = 1_000_000_000
_WIDE = RelevancePacker(
    budget=_ROOM, window=4 * _ROOM, system=0, answer=0, show_headings="none", merge_neighbours=True, truncate=False
)


class PutIn(StrEnum):
    """Where the gold is put in.

    `query`: the question's own words are searched and read (of a follow-up its gold standalone form), and nothing is
    asked back.
    `retrieval`: the chunks that hold the evidence stand first in the ranking that goes to the reranker.
    `rerank`: of the first `recall_k`, those that hold evidence stand first after it. `packing`: the evidence stands in
    the context beside what was packed, whatever the budget. `context`: it stands there alone. `nothing`: as configured.
    """

    NOTHING = "nothing"
    QUERY = "query"
    RETRIEVAL = "retrieval"
    RERANK = "rerank"
    PACKING = "packing"
    CONTEXT = "context"


class GoldBench:
    """See `ragbench.flow.base.Bench`: the one it is given, but for `question` at `stage`.

    For one question at a time, whatever the flow: every round of it has the evidence put in. A question without
    evidence changes at `query` alone.
    """

    ahead = 1
    at_once = 1

    def __init__(self, bench: OnlineBench, question: Question, gold: GoldChunks, stage: PutIn) -> None:
        self._bench, self._question, self._gold, self.stage = bench, question, gold, stage
        self._numbers = gold.of(question)
        self.chunks = bench.chunks

    def opened(self, stage: Any) -> Any:
        """See `Bench.opened`."""
        return self._bench.opened(stage)

    def plan(self, question: Question, times: Times) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        """See `Bench.plan`."""
        view, requests = self._bench.plan(question, times)
        if self.stage is not PutIn.QUERY:
            return view, requests
        gold = self._question.standalone or None
        return replace(view, text=gold, clarify=None), (SearchRequest.of(self._question, gold),)

    def retrieve(self, requests: Sequence[SearchRequest], depth: int, times: Times) -> tuple[RouteList, ...]:
        """See `Bench.retrieve`."""
        return self._bench.retrieve(requests, depth, times)

    def fuse(self, lists: Sequence[RouteList], times: Times) -> Ranking:
        """See `Bench.fuse`."""
        ranking = self._bench.fuse(lists, times)
        put_in = self._numbers and self.stage is PutIn.RETRIEVAL
        return ranking_of(self._numbers, ranking) if put_in else ranking

    def rerank(self, text: str, ranking: Ranking, recall_k: int, times: Times) -> Ranking:
        """See `Bench.rerank`."""
        after = self._bench.rerank(text, ranking, recall_k, times)
        if self.stage is not PutIn.RERANK:
            return after
        first = self._gold.among([hit.chunk for hit in ranking[:recall_k]], self._question)
        return ranking_of(first, after) if first else after

    def head(self, ranking: Ranking, k: int) -> Ranking:
        """See `Bench.head`."""
        return self._bench.head(ranking, k)

    def pack(self, ranking: Ranking, times: Times, asked: Asked = NOTHING_ASKED) -> PackedContext:
        """See `Bench.pack`."""
        if self.stage not in (PutIn.PACKING, PutIn.CONTEXT) or not self._numbers:
            return self._bench.pack(ranking, times, asked)
        beside: Ranking = ()
        if self.stage is PutIn.PACKING:
            packed = self._bench.pack(ranking, times, asked)
            beside = tuple(Ranked(number, 0.0, 0) for block in packed.blocks for number in block.chunks)
        order = ranking_of(self._numbers, beside)
        return _WIDE.pack(order, self.chunks, self._bench.documents, self._bench.count_tokens)

    def generate(self, question: Question, context: PackedContext, times: Times) -> Answer | None:
        """See `Bench.generate`."""
        return self._bench.generate(question, context, times)

    def generate_alone(self, question: Question, times: Times) -> Answer | None:
        """See `Bench.generate_alone`."""
        return self._bench.generate_alone(question, times)
