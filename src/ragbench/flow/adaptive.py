"""Each class of question down its own sub-pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ragbench.errors import ConfigError
from ragbench.flow.adaptive_k import CLASSES, class_of
from ragbench.flow.base import Bench, Cuts, Flow, Times
from ragbench.flow.each import each
from ragbench.flow.merging import with_cuts
from ragbench.flow.rounds import Turn, check_cuts
from ragbench.flow.ways import Ready, Way
from ragbench.records.question import Question
from ragbench.records.trace import Trace


@dataclass(frozen=True, kw_only=True)
class AdaptiveFlow(Flow):
    """Sends each question down the way of its class; `ways` has one for each of `CLASSES`, and what no tier decided
    takes that of `unknown`.

    `k` is the base that the ways' factors scale, `floor` the least that a factor leaves.
    """

    k: int
    recall_k: int
    pool_depth: int
    floor: int
    ways: Mapping[str, Way]

    def __post_init__(self) -> None:
        if not isinstance(self.ways, Mapping) or set(self.ways) != set(CLASSES):
            found = ", ".join(map(str, self.ways)) if isinstance(self.ways, Mapping) else repr(self.ways)
            raise ConfigError("pipeline.flow.ways", expected=f"a way for each of {', '.join(CLASSES)}", found=found)
        for name, way in self.ways.items():
            if not isinstance(way, Way):
                hint = "See ragbench.flow.ways for those there are."
                raise ConfigError(f"pipeline.flow.ways.{name}", expected="a way", found=repr(way), hint=hint)
        check_cuts(self.cuts)
        check_cuts(replace(self.cuts, k=self.floor))
        check_cuts(replace(self.cuts, k=self.largest_k))

    @property
    def cuts(self) -> Cuts:
        """The base cut-offs; each trace has its own."""
        return Cuts(self.pool_depth, self.recall_k, self.k)

    @property
    def largest_k(self) -> int:
        """That of the way that packs most."""
        return max(way.k_of(self.k, self.floor) for way in self.ways.values())

    @property
    def needs_classes(self) -> bool:
        """It has nothing to go by without."""
        return True

    @property
    def llm_calls(self) -> int:
        """One of the way that asks."""
        return max(way.llm_calls for way in self.ways.values())

    def run(self, questions: Sequence[Question], bench: Bench) -> Iterator[Trace]:
        """One trace a question; see `ragbench.flow.each.each`."""

        def prepare(question: Question, times: Times) -> tuple[Way, Ready]:
            planned = bench.plan(question, times)
            way = self.ways[class_of(planned[0])]
            return way, way.prepare(question, planned, bench, times)

        def stages(question: Question, prepared: tuple[Way, Ready], times: Times) -> Iterator[Trace]:
            way, ready = prepared
            turn = Turn(question, replace(self.cuts, k=way.k_of(self.k, self.floor)), bench, times)
            reached = bare = Trace(question.id, ready.planned[0], timings_ms=times, k=turn.cuts.k)
            yield bare
            for reached in way.traces(bare, ready, turn):
                yield reached
            yield from turn.conclude(with_cuts(reached, self.recall_k))

        return each(questions, (bench.ahead, bench.at_once), prepare, stages)
