"""Query stage, route lists and fusion of a variant, taken over from an earlier one that agrees in what they depend on.

The three are pure functions of the question, the indexes, and the stages' own recipes. Between variants of one process
they are handed on as objects, not only as values: what is read off a ranking later is then found again by its identity.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.core.recent import Memory, Recent
from ragbench.errors import DataError
from ragbench.flow.base import Times
from ragbench.llm.ledger import Item, billed, charge_again
from ragbench.pipeline.routes import RouteLists
from ragbench.query.base import OpenQuery
from ragbench.records.question import Question
from ragbench.records.search import Ranking, RouteList, SearchRequest
from ragbench.records.trace import QueryView
from ragbench.retriever.base import Retriever

_PLANS = 1 << 14
_RANKS = 1 << 19
"""Ranks of lists, and of rankings, that are kept; about a hundred bytes each."""

Planned = tuple[QueryView, tuple[SearchRequest, ...]]


@dataclass(frozen=True, slots=True)
class _Found:
    """What a call gave, the milliseconds of its stages, and the arguments whose identity it is kept under."""

    given: Any
    result: Any
    times: Mapping[str, float]
    bill: tuple[Item, ...] = ()


class FirstStage:
    """The part of a bench up to the fused ranking; threads may share it.

    `query` opens the query stage at its first use; `recipes` are the fingerprints of query stage and retriever.
    """

    def __init__(
        self,
        query: Callable[[], OpenQuery],
        lists: RouteLists,
        retriever: Retriever,
        recipes: tuple[str, str],
        memory: Memory,
    ) -> None:
        self.lists = lists
        self.retriever = retriever
        self._query = query
        self._recipes = recipes
        self._searched = tuple(sorted(lists.keys.items()))
        self._plans: Recent[_Found] = memory.of("plans", _PLANS)
        self._lists: Recent[_Found] = memory.of("route lists", _RANKS)
        self._rankings: Recent[_Found] = memory.of("rankings", _RANKS)

    def plan(self, question: Question, times: Times) -> Planned:
        """What to search for.

        Raises DataError for a request in another name than the question's principal, whatever the stage meant by it.
        """
        key = (self._recipes[0], id(question))
        found = self._plans.get(key)
        if found is None:
            query = self._query()  # opening it is no question's latency
            started, searched = time.perf_counter(), self.lists.waited_ms
            with billed() as bill:
                planned = query.plan(question)
            took = (time.perf_counter() - started) * 1000 - (self.lists.waited_ms - searched)
            waited = float(planned[0].usage.get("ms", 0))  # for replies, as when they were made, stored or not
            spent = {"query": max(took, waited)}
            _check_names(question, planned[1])
            found = self._plans.put(key, _Found(question, planned, spent, tuple(bill)))
        else:
            charge_again(found.bill)
        add(times, found.times)
        result: Planned = found.result
        return result

    def retrieve(self, requests: Sequence[SearchRequest], depth: int, times: Times) -> tuple[RouteList, ...]:
        """One list a request and route."""
        key = (self._searched, id(requests), depth)
        found = self._lists.get(key)
        if found is None:
            spent: Times = {}
            lists = self.lists.find(requests, depth, spent)
            add(times, spent)
            if isinstance(requests, tuple):  # what cannot change
                stored = lists if all(one.cached for one in lists) else tuple(map(_as_stored, lists))
                weight = sum(len(one.chunks) for one in lists) + 1
                self._lists.put(key, _Found(requests, stored, spent), weight)
            return lists
        add(times, found.times)
        result: tuple[RouteList, ...] = found.result
        return result

    def fuse(self, lists: Sequence[RouteList], times: Times) -> Ranking:
        """The retriever's ranking."""
        key = (self._recipes[1], *map(id, lists))
        found = self._rankings.get(key)
        if found is None:
            started = time.perf_counter()
            ranking = self.retriever.fuse(lists)
            spent = {"fuse": (time.perf_counter() - started) * 1000}
            found = self._rankings.put(key, _Found(tuple(lists), ranking, spent), len(ranking) + 1)
        add(times, found.times)
        result: Ranking = found.result
        return result


def _as_stored(one: RouteList) -> RouteList:
    if one.cached:
        return one
    return RouteList(one.route, one.request, one.chunks, one.scores, one.weight, one.ms, True, one.join)


def add(times: Times, more: Mapping[str, float]) -> None:
    """Add milliseconds by stage: several rounds of one question add up."""
    for stage, ms in more.items():
        times[stage] = times.get(stage, 0.0) + ms


def _check_names(question: Question, requests: Sequence[SearchRequest]) -> None:
    for request in requests:
        if request.tenant != question.principal:
            asked, own = _name(request.tenant), _name(question.principal)
            raise DataError(f"search request of question {question.id}", expected=f"one {own}", found=f"one {asked}")


def _name(tenant: str | None) -> str:
    return "in no name" if tenant is None else f"in the name of {tenant}"
