"""Lists that go on beyond the pool, so that a context budget can be filled by small chunks too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any

from ragbench.core.recent import Recent
from ragbench.errors import CannotOpen, StartAgain, StoreError
from ragbench.flow.base import Bench
from ragbench.records.search import RouteList, SearchRequest
from ragbench.records.trace import Trace, TraceStep

DEEPER = 1 << 14
"""Rankings whose continuation is kept."""
_CHUNK = itemgetter(0)


@dataclass(frozen=True, slots=True)
class Deepening:
    """Continues the last ranking of a trace until it holds `budget` context tokens or the routes find no more.

    The routes are searched again at twice the depth, then four times and so on, and each time the chunks that are new
    are put behind in the order in which the retriever ranks the longer lists. What a stage read stays as it is: the
    ranking, its scores scaled over `pool_depth`, the context. The lists are cached like others; a ranking that holds
    enough, as all but small chunks do, costs one sum. `tokens` counts by chunk number. What became of a ranking is
    `kept` for the next variant that has the very same one.
    """

    bench: Bench
    tokens: Sequence[int]
    budget: int
    pool_depth: int
    kept: Recent[Any] = field(default_factory=lambda: Recent(0), compare=False)

    def of(self, trace: Trace) -> Trace:
        """The trace with `deeper` and `more` of its last step; a search that fails becomes the trace's error.

        Raises CannotOpen, StoreError and StartAgain, as flows do.
        """
        if not trace.steps or trace.error is not None:
            return trace
        try:
            last = trace.steps[-1]
            key = (id(last.fused), id(last.route_lists), id(last.requests), self.budget, self.pool_depth)
            found = self.kept.get(key)
            if found is None:
                found = (last, self._step(last))  # the step itself is kept too: it holds what the key names
                if last.fused:  # every empty ranking is one object
                    self.kept.put(key, found)
            _, made = found
            step = replace(last, deeper=made.deeper, more=made.more) if made.deeper or made.more else last
        except (CannotOpen, StartAgain, StoreError):
            raise  # not the question's failure: it would meet every other one too
        except Exception as error:  # whatever a search raises is this question's failure, and told as such
            return replace(trace, error=" ".join(f"{type(error).__name__}: {error}".split()))
        return trace if step is last else replace(trace, steps=(*trace.steps[:-1], step))

    def _step(self, step: TraceStep) -> TraceStep:
        numbers = dict.fromkeys(map(_CHUNK, step.fused))
        n_fused, held = len(numbers), sum(map(self.tokens.__getitem__, numbers))
        lists, factor = step.route_lists, 1
        while (more := self._is_cut(step.requests, lists, factor)) and held < self.budget:
            factor *= 2
            longer = [replace(one, depth=self._depth(one) * factor) for one in step.requests]
            lists = self.bench.retrieve(longer, self.pool_depth * factor, {})
            new = [hit.chunk for hit in self.bench.fuse(lists, {}) if hit.chunk not in numbers]
            numbers.update(dict.fromkeys(new))
            held += sum(self.tokens[number] for number in new)
        return replace(step, deeper=tuple(numbers)[n_fused:], more=more)

    def _is_cut(self, requests: Sequence[SearchRequest], lists: Sequence[RouteList], factor: int) -> bool:
        """Whether a route may have more than it was asked for."""
        return any(len(one.chunks) >= self._depth(requests[one.request]) * factor for one in lists)

    def _depth(self, request: SearchRequest) -> int:
        return request.depth or self.pool_depth
