"""A chat model that reads question and chunks and says what helps."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, ClassVar

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError, DataError, UserError
from ragbench.llm.base import Asker, ChatRequest, Llm, Message, Reply
from ragbench.llm.calls import ModelCalls
from ragbench.llm.refusals import ContextOverflow, Refused
from ragbench.llm.usage import COUNTS, spent
from ragbench.records.document import Chunk
from ragbench.records.search import Ranking
from ragbench.reranker import llm_prompts
from ragbench.reranker.base import Reranker
from ragbench.reranker.failing import check_on_failure, failing
from ragbench.reranker.llm_replies import read_grade, read_order, yes_probability
from ragbench.reranker.ordering import reordered

_WORD_TOKENS = 8
_TOKENS_A_NUMBER = 6
_SPARE_TOKENS = 64
_COUNTED = ("pairs", "truncated", "graded", "not_named", *COUNTS)
_CHOICES = {"method": ("pointwise", "listwise"), "scores": ("logprobs", "grades")}


@dataclass(frozen=True, kw_only=True)
class LlmReranker(Reranker):
    """Sorts by what a chat model says, ties by former rank.

    `pointwise` asks about each chunk. With `scores: logprobs` its score is the probability of yes among yes and no;
    a question for which the server gives no such probabilities is asked again for grades from 0 to 3, as with
    `scores: grades`. `listwise` asks for an order of up to `window` chunks; a longer head is read from its end in
    windows that overlap by half (Sun et al. 2023, arXiv:2304.09542). Scores lie in [0, 1]. `max_chars` cuts chunks.
    `on_failure`: `keep` leaves a question whose call or reply fails in the order it has, `raise` makes it fail.
    """

    VERSION: ClassVar[int] = 2

    chat: Llm
    method: str
    scores: str
    window: int
    max_chars: int | None
    on_failure: str
    concurrency: int = field(default=4, compare=False)

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ConfigError(
                    f"pipeline.reranker.{name}", expected=" or ".join(choices), found=repr(getattr(self, name))
                )
        for name, least in (("window", 2), ("max_chars", 1), ("concurrency", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ConfigError(f"pipeline.reranker.{name}", expected=f"{least} or more", found=str(value))
        check_on_failure(self.on_failure)

    def identity(self) -> dict[str, Any]:
        """The version of the prompts."""
        return dict(llm_prompts.IDENTITY)

    def idle_fields(self) -> dict[str, str]:
        """`scores` is of pointwise, `window` of listwise."""
        idle = "scores" if self.method == "listwise" else "window"
        return {idle: f"method={self.method}"}

    def llm_calls(self, recall_k: int) -> int:
        """One a chunk, or one a window."""
        if self.method == "pointwise":
            return recall_k
        return 1 + math.ceil(max(0, recall_k - self.window) / (self.window // 2))

    @contextmanager
    def open(self, tools: Tools) -> Iterator[LlmWorker]:
        """Open the model; nothing is asked. Raises ConfigError where the key is missing."""
        with ExitStack() as stack:
            models = tools.models or stack.enter_context(ModelCalls(tools.store))
            asker = models.asker(self.chat, "reranker")
            at_a_time = min(self.concurrency, models.concurrency)
            yield LlmWorker(self, asker, stack.enter_context(ThreadPoolExecutor(self.concurrency)), at_a_time)


class LlmWorker:
    """An open LlmReranker. `correction_ms` is how much longer replies from store and cassettes took when they were
    made, those of chunks that are asked about at a time spread evenly."""

    def __init__(self, stage: LlmReranker, chat: Asker, pool: ThreadPoolExecutor, at_a_time: int) -> None:
        self._stage, self._chat, self._pool, self._at_a_time = stage, chat, pool, at_a_time
        self._lock = Lock()
        self._counts: Counter[str] = Counter(dict.fromkeys(_COUNTED, 0))
        self.correction_ms = 0.0

    def rerank(self, question: str, ranking: Ranking, chunks: Sequence[Chunk]) -> Ranking:
        """Reorder by what the model says; raises DataError or UserError, or RerankFailed, where it says nothing."""
        if not ranking:
            return ()
        whole = [chunks[hit.chunk].index_text for hit in ranking]
        texts = [text[: self._stage.max_chars] for text in whole]
        self._count(pairs=len(texts), truncated=sum(len(a) < len(b) for a, b in zip(texts, whole)))
        with failing(self._stage.on_failure):
            if self._stage.method == "listwise":
                return reordered(ranking, self._by_order(question, texts))
            return reordered(ranking, self._by_one(question, texts))

    def counts(self) -> dict[str, int]:
        """Beside calls, tokens and `untold` (answers that told none): `graded`, chunks scored by grades, and
        `not_named`, chunks left out of an order.
        Replies from the store count with what they cost when they were made."""
        return dict(self._counts)

    def _ask(self, messages: tuple[Message, ...], max_tokens: int, at_a_time: int = 1, logprobs: bool = False) -> Reply:
        request = ChatRequest(messages=messages, max_tokens=max_tokens, logprobs=logprobs, prompt=llm_prompts.NAME)
        started = time.perf_counter()
        try:
            reply = self._chat.ask(request)
        except ConfigError as error:
            # Found out by asking, and told from then on without asking: the run goes on and counts it as failed.
            self._count(**spent(error))
            raise UserError(str(error)) from error
        except UserError as error:
            self._count(**spent(error))
            raise
        self._count(**spent(reply))
        missed = reply.ms - (time.perf_counter() - started) * 1000
        with self._lock:
            self.correction_ms += max(0.0, missed) / at_a_time
        return reply

    def _count(self, **numbers: int) -> None:
        with self._lock:
            self._counts.update(numbers)

    def _by_one(self, question: str, texts: Sequence[str]) -> list[float]:
        if self._stage.scores == "logprobs":
            # One chunk goes ahead: a server without log-probabilities costs one request a question, not all of them.
            first = self._probability(question, texts[0])
            rest = [] if first is None else self._each(self._probability, question, texts[1:])
            scores = [score for score in [first, *rest] if score is not None]
            if len(scores) == len(texts):
                return scores
        self._count(graded=len(texts))
        return self._each(self._graded, question, texts)

    def _each(self, score: Callable[[str, str, int], Any], question: str, texts: Sequence[str]) -> list[Any]:
        """In order. What the first failing chunk raises is raised when no call is under way any more."""
        at_a_time = min(self._at_a_time, len(texts))
        calls = [self._pool.submit(score, question, text, at_a_time) for text in texts]
        try:
            return [call.result() for call in calls]
        finally:
            for call in calls:
                call.cancel()
            for call in calls:
                call.cancelled() or call.exception()

    def _probability(self, question: str, text: str, at_a_time: int = 1) -> float | None:
        try:
            reply = self._ask(llm_prompts.yes_no(question, text), _WORD_TOKENS, at_a_time, logprobs=True)
        except ContextOverflow:
            raise
        except Refused:
            return None  # some servers refuse the field; what else is wrong shows again without it
        return None if reply.first is None else yes_probability(reply.first)

    def _graded(self, question: str, text: str, at_a_time: int) -> float:
        reply = self._ask(llm_prompts.grade(question, text), _WORD_TOKENS, at_a_time)
        found = read_grade(reply.text)
        if found is None:
            raise _unreadable("a grade from 0 to 3", reply)
        return found

    def _by_order(self, question: str, texts: Sequence[str]) -> list[float]:
        size, order = self._stage.window, list(range(len(texts)))
        start = max(0, len(texts) - size)
        while len(texts) > 1:
            part = order[start : start + size]
            order[start : start + size] = [part[place] for place in self._order(question, [texts[n] for n in part])]
            if start == 0:
                break
            start = max(0, start - size // 2)
        place = {number: at for at, number in enumerate(order)}
        return [1 - place[number] / len(texts) for number in range(len(texts))]

    def _order(self, question: str, texts: Sequence[str]) -> list[int]:
        room = _SPARE_TOKENS + _TOKENS_A_NUMBER * len(texts)
        reply = self._ask(llm_prompts.ordering(question, texts), room)
        found = read_order(reply.text, len(texts))
        if found is None:
            raise _unreadable(f"an order of the passages 1 to {len(texts)}", reply)
        order, n_named = found
        self._count(not_named=len(texts) - n_named)
        return order


def _unreadable(expected: str, reply: Reply) -> DataError:
    return DataError("reply of the chat model", expected=expected, found=repr(reply.text[:100]))
