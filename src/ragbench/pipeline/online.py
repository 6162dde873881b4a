"""The online half, open: what a flow works with, each stage's result cached by what reaches it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cached_property
from typing import TypeVar

from ragbench.core.codec import dumps, loads
from ragbench.core.fingerprint import fingerprint, quick_key
from ragbench.core.memo import Compute, Memo
from ragbench.core.rows import from_row, to_row
from ragbench.core.store import Store
from ragbench.core.workers import TextEmbedder, Tools
from ragbench.errors import CannotOpen, StartAgain, StoreError
from ragbench.flow.base import Times
from ragbench.generator.base import Generator, OpenGenerator
from ragbench.packer.tokens import estimate_tokens
from ragbench.pipeline.offline import Built
from ragbench.pipeline.pipeline import Pipeline
from ragbench.pipeline.routes import RouteLists, Search, StoredList, dense_search, sparse_search
from ragbench.query.base import OpenQuery, Query
from ragbench.records.question import Question
from ragbench.records.search import Ranked, Ranking, RouteList, SearchRequest
from ragbench.records.trace import Answer, PackedContext, QueryView
from ragbench.reranker.base import OpenReranker, Reranker
from ragbench.reranker.none import NoneReranker

EmbedderOpener = Callable[[], TextEmbedder]
T = TypeVar("T")


class OnlineBench:
    """The open stages of one built variant; see `ragbench.flow.base.Bench`.

    Models load when something is not cached.
    """

    def __init__(self, pipeline: Pipeline, built: Built, store: Store, embedder: EmbedderOpener) -> None:
        self.pipeline = pipeline
        self.built = built
        self.store = store
        self.documents = built.corpus.by_id()
        self.rerank_memo = Memo(store.table("rerank"))
        self.answer_memo = Memo(store.table("answers"))
        self._embedder = embedder
        self._stack = ExitStack()
        space = pipeline.embedder.fingerprint()
        self._rerank_recipe = fingerprint(pipeline.reranker.recipe(), space if pipeline.reranker.uses_embedder else "")
        self._answer_recipe = fingerprint(
            pipeline.generator.recipe(), space if pipeline.generator.uses_embedder else ""
        )

    def _opened(self, slot: str, make: Callable[[], AbstractContextManager[T]]) -> T:
        with _opening(slot):
            return self._stack.enter_context(make())

    def _open_embedder(self) -> TextEmbedder:
        with _opening("embedder"):
            return self._embedder()

    def _tools(self, stage: Query | Reranker | Generator) -> Tools:
        return Tools(self.store, self._open_embedder() if stage.uses_embedder else None)

    @cached_property
    def _query(self) -> OpenQuery:
        return self._opened("query", lambda: self.pipeline.query.open(self._tools(self.pipeline.query)))

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
        searches = {route: self._search(route) for route in keys}
        return RouteLists(self.store.table("routes"), keys, searches)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens for budgets by the estimate that needs no model; a chunk's text is counted once for all questions."""
        known = self._known_tokens
        missing = [text for text in texts if text not in known]
        counted = dict(zip(missing, estimate_tokens(missing), strict=True))
        return [known[text] if text in known else counted[text] for text in texts]

    @cached_property
    def chunk_tokens(self) -> list[int]:
        """Tokens of each chunk's text, by chunk number."""
        return estimate_tokens([chunk.text for chunk in self.built.chunks])

    @cached_property
    def _known_tokens(self) -> dict[str, int]:
        return dict(zip((chunk.text for chunk in self.built.chunks), self.chunk_tokens, strict=True))

    def _search(self, route: str) -> Search:
        opened: list[Search] = []

        def lazily(request: SearchRequest, depth: int) -> StoredList:
            if not opened:
                opened.append(self._open_route(route))
            return opened[0](request, depth)

        return lazily

    def _open_route(self, route: str) -> Search:
        if route == "sparse":
            assert self.built.sparse_folder is not None
            folder = self.built.sparse_folder / "data"
            sparse = self._opened("sparse", lambda: self.pipeline.sparse.open(folder))
            return sparse_search(sparse, self.built.chunks)
        assert self.built.index_folder is not None
        data = self.built.index_folder / "data"
        index = self._opened("index", lambda: self.pipeline.index.open(data))
        return dense_search(index, self._open_embedder(), self.built.chunks)

    def plan(self, question: Question, times: Times) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        """What to search for."""
        query = self._query  # opening it is no question's latency
        started = time.perf_counter()
        result = query.plan(question)
        times["query"] = (time.perf_counter() - started) * 1000
        return result

    def retrieve(self, requests: Sequence[SearchRequest], depth: int, times: Times) -> tuple[RouteList, ...]:
        """One list a request and route."""
        return self.lists.find(requests, depth, times)

    def fuse(self, lists: Sequence[RouteList], times: Times) -> Ranking:
        """The retriever's ranking."""
        started = time.perf_counter()
        ranking = self.pipeline.retriever.fuse(lists)
        times["fuse"] = (time.perf_counter() - started) * 1000
        return ranking

    def rerank(self, text: str, ranking: Ranking, recall_k: int, times: Times) -> Ranking:
        """The first `recall_k` reordered, the rest behind them with scores that keep the order."""
        if isinstance(self.pipeline.reranker, NoneReranker) or not ranking:
            return ranking
        head = ranking[:recall_k]
        texts = [self.built.chunks[item.chunk].index_text for item in head]
        first_stage = [item.score for item in head]
        key = quick_key("rerank", self._rerank_recipe, text, texts, first_stage)
        found = self.rerank_memo.call(
            key, lambda: self._ranking(text, head), self._correction_ms(self.pipeline.reranker)
        )
        times["rerank"] = found.ms
        order = [(item[1], item[2], item[3]) for item in loads(found.value)]
        reordered = [Ranked(head[former - 1].chunk, score, rank, former) for score, rank, former in order]
        floor = min((item.score for item in reordered), default=0.0)
        rest = [
            Ranked(item.chunk, floor - 1.0 - number, len(reordered) + 1 + number, item.rank)
            for number, item in enumerate(ranking[recall_k:])
        ]
        return (*reordered, *rest)

    def _ranking(self, text: str, head: Ranking) -> Compute:
        reranker = self._reranker
        return lambda: dumps([list(item) for item in reranker.rerank(text, head, self.built.chunks)])

    def _answering(self, question: Question, context: PackedContext) -> Compute:
        generator = self._generator
        return lambda: dumps(to_row(generator.answer(question, context)))

    def _correction_ms(self, stage: Reranker | Generator) -> Callable[[], float]:
        """Reads the correction of the embedder that the stage uses; it is open when a result is computed."""
        if not stage.uses_embedder:
            return lambda: 0.0
        return lambda: float(getattr(self._open_embedder(), "correction_ms", 0.0))

    def pack(self, ranking: Ranking, times: Times) -> PackedContext:
        """The packed context."""
        started = time.perf_counter()
        context = self.pipeline.packer.pack(ranking, self.built.chunks, self.documents, self.count_tokens)
        times["pack"] = (time.perf_counter() - started) * 1000
        return context

    def generate(self, question: Question, context: PackedContext, times: Times) -> Answer | None:
        """The answer, from the store where this question met this context before."""
        if not self.pipeline.generator.answers:
            return None
        key = quick_key("answer", self._answer_recipe, question.question, question.history, context.blocks)
        found = self.answer_memo.call(
            key, lambda: self._answering(question, context), self._correction_ms(self.pipeline.generator)
        )
        times["generate"] = found.ms
        row = loads(found.value)
        return None if row is None else from_row(Answer, row)

    def close(self) -> None:
        """Write what was computed and close the stages."""
        for memo in (self.rerank_memo, self.answer_memo):
            memo.flush()
        if "lists" in self.__dict__:
            self.lists.flush()
        self._stack.close()


_SLOT = {"dense": "index", "sparse": "sparse"}


@contextmanager
def _opening(slot: str) -> Iterator[None]:
    try:
        yield
    except (CannotOpen, StartAgain, StoreError):
        raise  # told already, and no fault of this slot
    except Exception as error:  # files, models and clients of any library are opened here
        raise CannotOpen(slot, error) from error


@contextmanager
def open_bench(pipeline: Pipeline, built: Built, store: Store, embedder: EmbedderOpener) -> Iterator[OnlineBench]:
    """The online half of a built variant, closed at the end whatever happens."""
    bench = OnlineBench(pipeline, built, store, embedder)
    try:
        yield bench
    finally:
        bench.close()
