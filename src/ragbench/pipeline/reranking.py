"""A variant's reranker behind its cache, what it cost, and the questions it failed on."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragbench.core.codec import dumps, loads
from ragbench.core.fingerprint import quick_key
from ragbench.core.memo import Compute, Memo
from ragbench.errors import CannotOpen, ConfigError
from ragbench.flow.base import Times
from ragbench.records.document import Chunk
from ragbench.records.search import Ranked, Ranking
from ragbench.reranker.base import OpenReranker, RerankFailed

_TOLD = 3
"""Reasons of failures that are told; the others are counted."""


class Reranking:
    """Reranks the head of a ranking; a head that was seen before is taken from `memo`.

    `opened` opens the reranker when something is missing, `correction_ms` reads the correction of the embedder it
    uses, `charge` hears what a head once cost that was taken from `memo`. What the reranker counts for a head is stored
    with its result, so that `facts` do not depend on what was cached. A failure is not stored, so that the next run
    asks again.
    """

    def __init__(
        self,
        recipe: str,
        chunks: Sequence[Chunk],
        memo: Memo,
        opened: Callable[[], OpenReranker],
        correction_ms: Callable[[], float],
        charge: Callable[[Mapping[str, int]], None] = lambda _: None,
    ) -> None:
        self.memo = memo
        self.n_heads = 0
        self._recipe, self._chunks, self._opened, self._correction_ms = recipe, chunks, opened, correction_ms
        self._charge = charge
        self._counts: Counter[str] = Counter()
        self._failures: list[str] = []

    @property
    def facts(self) -> dict[str, Any]:
        """What reranking cost so far, see `OpenReranker.counts`; where questions failed also how many (`failed`) and
        the first reasons (`failures`). Empty where nobody counts."""
        failed = {"failed": len(self._failures), "failures": self._failures[:_TOLD]} if self._failures else {}
        return dict(self._counts) | failed

    def rerank(self, text: str, ranking: Ranking, recall_k: int, times: Times) -> Ranking:
        """The first `recall_k` reordered, the rest behind them with scores that keep the order.

        Where the reranker drops chunks, those it did not read are dropped too. A head that cannot be reranked leaves
        the ranking as it is, `former` None. Raises CannotOpen for a fault of the configuration, which every question
        would meet.
        """
        head = ranking[:recall_k]
        texts = [self._chunks[item.chunk].index_text for item in head]
        first_stage = [item.score for item in head]
        key = quick_key("rerank", self._recipe, text, texts, first_stage)
        self.n_heads += 1
        try:
            found = self.memo.call(key, lambda: self._computing(text, head, times), self._correction_ms)
        except RerankFailed as error:
            self._failures.append(f"{text[:60]!r}: {error}")
            return ranking
        except ConfigError as error:
            raise CannotOpen("reranker", error) from error
        times["rerank"] = times.get("rerank", 0.0) + found.ms
        rows = loads(found.value)
        if rows and isinstance(rows[-1], dict):
            spent = rows.pop()
            self._counts.update(spent)
            if found.cached:
                self._charge(spent)
        reordered = [Ranked(head[former - 1].chunk, score, rank, former) for _, score, rank, former in rows]
        return (*reordered, *(_behind(reordered, ranking[recall_k:]) if len(reordered) == len(head) else ()))

    def _computing(self, text: str, head: Ranking, times: Times) -> Compute:
        reranker = self._opened()

        def compute() -> bytes:
            before, started = _counts(reranker), time.perf_counter()
            try:
                rows: list[Any] = [list(item) for item in reranker.rerank(text, head, self._chunks)]
            except RerankFailed:
                times["rerank"] = times.get("rerank", 0.0) + (time.perf_counter() - started) * 1000
                self._counts.update(_difference(_counts(reranker), before))
                raise
            spent = _difference(_counts(reranker), before)
            return dumps([*rows, spent] if spent else rows)

        return compute


def _behind(reordered: Sequence[Ranked], rest: Ranking) -> list[Ranked]:
    floor = min((item.score for item in reordered), default=0.0)
    return [
        Ranked(item.chunk, floor - 1.0 - number, len(reordered) + 1 + number, item.rank)
        for number, item in enumerate(rest)
    ]


def _counts(reranker: OpenReranker) -> dict[str, int]:
    """What a reranker counts; one of another package may count nothing."""
    counts = getattr(reranker, "counts", None)
    return dict(counts()) if counts is not None else {}


def _difference(after: dict[str, int], before: dict[str, int]) -> dict[str, int]:
    return {name: after[name] - before.get(name, 0) for name in after}
