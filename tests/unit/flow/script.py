"""A bench that is told what each text finds and what is answered to it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.flow.base import Times
from ragbench.packer.base import NOTHING_ASKED
from ragbench.records.question import Question
from ragbench.records.search import Ranked, Ranking, RouteList, SearchRequest
from ragbench.records.trace import Answer, Asked, ContextBlock, PackedContext, QueryView


@dataclass
class ScriptedBench:
    """`finds` maps a text to the chunks found for it (others find chunks 90 to 99), `answers` to what is answered to it.

    The reranker turns the first two round. `understood` maps a question to its class; planning sleeps `plan_s`, answering
    `answer_s`.
    """

    finds: Mapping[str, Sequence[int]] = field(default_factory=dict)
    answers: Mapping[str, Answer | None] = field(default_factory=dict)
    understood: Mapping[str, QueryView] = field(default_factory=dict)
    plan_s: Mapping[str, float] = field(default_factory=dict)
    ahead: int = 1
    at_once: int = 1
    answer_s: Mapping[str, float] = field(default_factory=dict)
    models: Any = None
    store: Path | None = None
    asked: list[tuple[str, object]] = field(default_factory=list)
    _open: dict[str, Any] = field(default_factory=dict)
    _stack: ExitStack = field(default_factory=ExitStack)

    def opened(self, stage: Any) -> Any:
        name = stage.fingerprint()
        if name not in self._open:
            tools = Tools(Store(self.store) if self.store else None, None, self.models)  # type: ignore[arg-type]
            self._open[name] = self._stack.enter_context(stage.open(tools))
        return self._open[name]

    def plan(self, question: Question, times: Times) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        time.sleep(self.plan_s.get(question.question, 0.0))
        times["query"] = times.get("query", 0.0) + 1.0
        return self.understood.get(question.question, QueryView()), (SearchRequest.of(question),)

    def retrieve(self, requests: Sequence[SearchRequest], depth: int, times: Times) -> tuple[RouteList, ...]:
        self.asked.append(("retrieve", tuple(request.text for request in requests)))
        times["dense"] = times.get("dense", 0.0) + 2.0 * len(requests)
        lists = []
        for number, request in enumerate(requests):
            chunks = tuple(self.finds.get(request.text, range(90, 100)))[:depth]
            scores = tuple(1.0 - at / 100 for at in range(len(chunks)))
            lists.append(RouteList("dense", number, chunks, scores))
        return tuple(lists)

    def fuse(self, lists: Sequence[RouteList], times: Times) -> Ranking:
        times["fuse"] = times.get("fuse", 0.0) + 1.0
        return tuple(Ranked(hit.chunk, hit.score, hit.rank) for one in lists for hit in one.hits)

    def rerank(self, text: str, ranking: Ranking, recall_k: int, times: Times) -> Ranking:
        self.asked.append(("rerank", text))
        times["rerank"] = times.get("rerank", 0.0) + 3.0
        order = [*reversed(ranking[:2]), *ranking[2:]]
        return tuple(Ranked(item.chunk, -float(rank), rank, item.rank) for rank, item in enumerate(order, 1))

    def head(self, ranking: Ranking, k: int) -> Ranking:
        return ranking[:k]

    def pack(self, ranking: Ranking, times: Times, asked: Asked = NOTHING_ASKED) -> PackedContext:
        chunks = tuple(item.chunk for item in ranking)
        self.asked.append(("pack", chunks))
        times["pack"] = times.get("pack", 0.0) + 1.0
        return PackedContext((ContextBlock(1, "a.md", 0, 9, chunks, "text of the block", 3),), 3, 100)

    def generate(self, question: Question, context: PackedContext, times: Times) -> Answer | None:
        self.asked.append(("generate", question.question))
        time.sleep(self.answer_s.get(question.question, 0.0))
        times["generate"] = times.get("generate", 0.0) + 5.0
        return self.answers.get(question.question, Answer(f"to {question.question}"))
