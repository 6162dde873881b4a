"""The online half, open: what a flow works with, each stage's result cached by what reaches it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cached_property, partial
from threading import Lock
from typing import TypeVar

from ragbench.core.fingerprint import fingerprint
from ragbench.core.memo import Memo
from ragbench.core.recent import Memory
from ragbench.core.store import Store
from ragbench.core.workers import ModelCalls, TextEmbedder, Tools
from ragbench.embedder.cached import counted_as
from ragbench.flow.base import Times
from ragbench.generator.base import Generator, OpenGenerator
from ragbench.packer.base import NOTHING_ASKED
from ragbench.pipeline.answering import Answering
from ragbench.pipeline.chunk_facts import ChunkFacts, best_of_parents
from ragbench.pipeline.first_stage import FirstStage, add
from ragbench.pipeline.likeness import Likeness
from ragbench.pipeline.model_costs import charging, memo_of, recipe_of
from ragbench.pipeline.offline import Built
from ragbench.pipeline.opening import opening
from ragbench.pipeline.own_stages import OwnStages, answered_at_once, planned_ahead
from ragbench.pipeline.pipeline import Pipeline
from ragbench.pipeline.reranking import Reranking
from ragbench.pipeline.route_opening import open_route
from ragbench.pipeline.routes import RouteLists, Search, opened_at_first
from ragbench.query.base import OpenQuery, Query, WithoutGold
from ragbench.records.question import Question
from ragbench.records.search import Ranking, RouteList, SearchRequest
from ragbench.records.trace import Answer, Asked, PackedContext, QueryView
from ragbench.reranker.base import OpenReranker, Reranker
from ragbench.reranker.none import NoneReranker

EmbedderOpener = Callable[[], TextEmbedder]
T = TypeVar("T")


class OnlineBench:
    """The open stages of one built variant; see `ragbench.flow.base.Bench`.

    Models load when something is not cached.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        built: Built,
        store: Store,
        embedder: EmbedderOpener,
        memory: Memory,
        models: ModelCalls | None = None,
    ) -> None:
        self.pipeline = pipeline
        self.built = built
        self.store = store
        self.memory = memory
        self.models = models
        self.documents = built.corpus.by_id()
        self.chunks = chunks = built.chunks
        self.facts: ChunkFacts = memory.of("chunk facts", _CHUNK_SETS).call(id(chunks), lambda: ChunkFacts(chunks))
        self._embedder = embedder
        self._views: dict[type, TextEmbedder] = {}
        self._stack = ExitStack()
        self.opened = OwnStages(Tools(store, None, models), self._stack).opened
        self._query_lock = Lock()
        space = pipeline.embedder.fingerprint()
        self.alike = Likeness(store, space, self._open_embedder)
        self.reranking = Reranking(
            recipe_of(pipeline.reranker, space if pipeline.reranker.uses_embedder else "", models),
            built.chunks,
            memo_of(store, "rerank", pipeline.reranker, models),
            lambda: self._reranker,
            self._correction_ms(pipeline.reranker),
            charging(pipeline.reranker, "reranker", models),
        )
        self.answering = Answering(
            pipeline.generator,
            space if pipeline.generator.uses_embedder else "",
            Memo(store.table("answers")),
            lambda: self._generator,
            self._correction_ms(pipeline.generator),
        )

    def _opened(self, slot: str, make: Callable[[], AbstractContextManager[T]]) -> T:
        with opening(slot):
            return self._stack.enter_context(make())

    def _open_embedder(self) -> TextEmbedder:
        with opening("embedder"):
            return self._embedder()

    def _tools(self, stage: Query | Reranker | Generator) -> Tools:
        embedder = self._embedder_of(stage) if stage.uses_embedder else None
        return Tools(self.store, embedder, self.models, self._passages if isinstance(stage, Query) else None)

    def _passages(self, request: SearchRequest) -> list[str]:
        """See `ragbench.core.workers.Passages`."""
        lists = self.lists.find_within(request, self.pipeline.flow.cuts.pool_depth)
        return [self.built.chunks[hit.chunk].text for hit in self.pipeline.retriever.fuse(lists)]

    def _embedder_of(self, stage: Query | Reranker | Generator) -> TextEmbedder:
        """The embedder, with what it computes for this stage counted apart."""
        kind = next(kind for kind in _PURPOSES if isinstance(stage, kind))
        if kind not in self._views:
            self._views[kind] = counted_as(self._open_embedder(), _PURPOSES[kind])
        return self._views[kind]

    @cached_property
    def _query(self) -> OpenQuery:
        stage = self.pipeline.query
        opened = self._opened("query", lambda: stage.open(self._tools(stage)))
        return opened if stage.reads_gold else WithoutGold(opened)

    def _query_once(self) -> OpenQuery:
        with self._query_lock:  # several questions may be planned at a time
            return self._query

    @cached_property
    def _reranker(self) -> OpenReranker:
        return self._opened("reranker", lambda: self.pipeline.reranker.open(self._tools(self.pipeline.reranker)))

    @cached_property
    def _generator(self) -> OpenGenerator:
        return self._opened("generator", lambda: self.pipeline.generator.open(self._tools(self.pipeline.generator)))

    @cached_property
    def lists(self) -> RouteLists:
        """The route lists of this variant."""
        keys = {route: key for route in self.pipeline.routes if (key := getattr(self.built.keys, _SLOT[route]))}
        searches = {route: opened_at_first(partial(self._open_route, route)) for route in keys}
        together = (lambda texts: self._open_embedder().embed_queries(texts)) if self.pipeline.embedder.REMOTE else None
        return RouteLists(self.store.table("routes"), keys, searches, self.facts.visibility, together)

    @cached_property
    def first_stage(self) -> FirstStage:
        """Query stage, route lists and fusion."""
        pipeline = self.pipeline
        space = pipeline.embedder.fingerprint() if pipeline.query.uses_embedder else ""
        searched = (sorted(self.lists.keys.items()), pipeline.flow.cuts.pool_depth) if pipeline.query.searches else ()
        fusion = pipeline.retriever.fingerprint()
        recipes = fingerprint(pipeline.query.recipe(), space, *((*searched, fusion) if searched else ())), fusion
        return FirstStage(self._query_once, self.lists, pipeline.retriever, recipes, self.memory)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens for budgets by the estimate that needs no model."""
        return self.facts.count(texts)

    @property
    def chunk_tokens(self) -> list[int]:
        """Tokens of each chunk's text, by chunk number."""
        return self.facts.tokens

    def _open_route(self, route: str) -> Search:
        return open_route(route, self.pipeline, self.built, self._opened, self._open_embedder)

    @property
    def ahead(self) -> int:
        """Questions that may be planned at a time."""
        return planned_ahead(self.pipeline, self.models) if self.first_stage else 1  # which threads must not make twice

    @property
    def at_once(self) -> int:
        """Answers that may be waited for at a time."""
        return answered_at_once(self.pipeline, self.models)

    def plan(self, question: Question, times: Times) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        """What to search for. Raises DataError for a request in another name than the question's principal."""
        return self.first_stage.plan(question, times)

    def retrieve(self, requests: Sequence[SearchRequest], depth: int, times: Times) -> tuple[RouteList, ...]:
        """One list a request and route."""
        return self.first_stage.retrieve(requests, depth, times)

    def fuse(self, lists: Sequence[RouteList], times: Times) -> Ranking:
        """The retriever's ranking."""
        return self.first_stage.fuse(lists, times)

    def rerank(self, text: str, ranking: Ranking, recall_k: int, times: Times) -> Ranking:
        """The first `recall_k` reordered, the rest behind them with scores that keep the order."""
        if isinstance(self.pipeline.reranker, NoneReranker) or not ranking:
            return ranking
        return self.reranking.rerank(text, ranking, recall_k, times)

    def _correction_ms(self, stage: Reranker | Generator) -> Callable[[], float]:
        """Reads the correction of the embedder that the stage uses, or of the reranker; it is open when a result is
        computed."""
        if stage.uses_embedder:
            return lambda: float(getattr(self._embedder_of(stage), "correction_ms", 0.0))
        if isinstance(stage, Reranker):
            return lambda: float(getattr(self._reranker, "correction_ms", 0.0))
        return lambda: 0.0

    def head(self, ranking: Ranking, k: int) -> Ranking:
        """The hits that are packed: the first `k`, or the best of each of the first `k` distinct parents."""
        if not self.pipeline.splitter.has_parents:
            return ranking[:k]
        return best_of_parents(ranking, self.built.chunks, k)

    def pack(self, ranking: Ranking, times: Times, asked: Asked = NOTHING_ASKED) -> PackedContext:
        """The packed context."""
        started = time.perf_counter()
        context = self.pipeline.packer.pack(ranking, self.built.chunks, self.documents, self.count_tokens, asked)
        add(times, {"pack": (time.perf_counter() - started) * 1000})
        return context

    def generate(self, question: Question, context: PackedContext, times: Times) -> Answer | None:
        """The answer, or None where the variant generates nothing."""
        return self.answering.answer(question, context, times)

    def generate_alone(self, question: Question, times: Times) -> Answer | None:
        """The answer without any context; None where the variant generates nothing."""
        return self.answering.alone(question, times)

    def close(self) -> None:
        """Write what was computed, close the stages and let go of everything; nothing can be asked of it any more."""
        for memo in (self.reranking.memo, self.answering.memo, self.alike.memo):
            memo.flush()
        if "lists" in self.__dict__:
            self.lists.flush()
        self._stack.close()
        vars(self).clear()  # its parts refer to it, and rankings of thousands would wait for the collector of cycles


_CHUNK_SETS = 8
_PURPOSES: dict[type, str] = {Query: "retrieval", Reranker: "reranking", Generator: "answers"}
_SLOT = {"dense": "index", "sparse": "sparse"}


@contextmanager
def open_bench(
    pipeline: Pipeline,
    built: Built,
    store: Store,
    embedder: EmbedderOpener,
    memory: Memory | None = None,
    models: ModelCalls | None = None,
) -> Iterator[OnlineBench]:
    """The online half of a built variant, closed at the end whatever happens. Variants that share a `memory` take
    results over from each other; `models` stay open."""
    bench = OnlineBench(pipeline, built, store, embedder, memory or Memory(keep=False), models)
    try:
        yield bench
    finally:
        bench.close()
