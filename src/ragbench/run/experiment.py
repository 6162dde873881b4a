"""Everything one run needs, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragbench.core.fingerprint import fingerprint
from ragbench.corpus.loader import CorpusLoader
from ragbench.eval_set.chosen import Chosen
from ragbench.eval_set.load import EvalSet
from ragbench.eval_set.source import EvalSetSource
from ragbench.judge.base import Judge
from ragbench.judge.none import NoneJudge
from ragbench.llm.settings import CallSettings
from ragbench.measure.provided import BY_SENTENCES
from ragbench.pipeline.pipeline import Pipeline
from ragbench.records.question import Question


@dataclass(frozen=True)
class Places:
    """Where results and artifacts are written."""

    runs: Path
    store: Path


@dataclass(frozen=True)
class Experiment:
    """A variant, the eval set it is measured on, and how it is measured.

    `variant` is how the configuration is shown, `label` its short name; `config` is its YAML. `measures` None means all
    that apply, `chosen` which questions of the split are asked. `reuse` lets a finished run be taken over, `calls` is
    how language models are asked. `fallback` says what was replaced because its model is not installed, `unused` which
    knobs nobody reads, `overrides` with what the configuration was composed.
    """

    pipeline: Pipeline
    source: EvalSetSource
    loader: CorpusLoader
    judge: Judge
    measures: tuple[str, ...] | None
    split: str
    seed: int
    sinks: Mapping[str, Any]
    lang: str
    places: Places
    variant: Mapping[str, Any] = field(compare=False)
    config: str = field(compare=False)
    chosen: Chosen = field(default_factory=Chosen)
    label: str = field(default="", compare=False)
    reuse: bool = field(default=False, compare=False)
    calls: CallSettings = field(default_factory=CallSettings, compare=False)
    fallback: tuple[str, ...] = field(default=(), compare=False)
    unused: tuple[str, ...] = field(default=(), compare=False)
    overrides: tuple[str, ...] = field(default=(), compare=False)

    def fingerprint(self) -> str:
        """Identifies variant and measurement; the stem of the run id. Stages that nothing reads take no part."""
        part = () if self.chosen == Chosen() else (self.chosen.n, self.chosen.ids)
        measured = (self.judge.recipe(), self.measures, self.split, self.seed, *part)
        recipe = self.pipeline.recipe()
        recipe["fields"] = {slot: one for slot, one in recipe["fields"].items() if slot not in self.unread_slots}
        return fingerprint("experiment", recipe, self.loader.recipe(), self.source.title(), measured)

    def questions_of(self, eval_set: EvalSet) -> tuple[Question, ...]:
        """The questions that are asked.

        Raises DataError where there are none, and for an id that is none of the split.
        """
        where = f"split {self.split} of {eval_set.name}/{eval_set.version}"
        return self.chosen.of(eval_set.of_split(self.split), where)

    @property
    def unread_slots(self) -> tuple[str, ...]:
        """Slots whose stage neither the variant nor its measurement reads."""
        routes = self.pipeline.routes
        read = {"index": "dense" in routes, "sparse": "sparse" in routes, "embedder": self.needs_embedder}
        return tuple(slot for slot, is_read in read.items() if not is_read)

    @property
    def needs_embedder(self) -> bool:
        """Whether the variant, the judge or a measure works on vectors."""
        return self.pipeline.needs_embedder or self.judge.uses_embedder or self.compares_sentences

    @property
    def judged(self) -> bool:
        """Whether answers are judged."""
        return not isinstance(self.judge, NoneJudge)

    @property
    def compares_sentences(self) -> bool:
        """Whether a measure was asked for that needs vectors of the documents' sentences."""
        return not BY_SENTENCES.isdisjoint(self.measures or ())

    def runtime(self) -> dict[str, Any] | None:
        """What the embedder resolves to on this machine; None where neither the variant nor its measures need it."""
        return self.pipeline.embedder.identity() if self.needs_embedder else None
