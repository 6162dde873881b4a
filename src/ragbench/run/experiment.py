"""Everything one run needs, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragbench.core.fingerprint import fingerprint
from ragbench.corpus.loader import CorpusLoader
from ragbench.eval_set.source import EvalSetSource
from ragbench.judge.base import Judge
from ragbench.judge.none import NoneJudge
from ragbench.pipeline.pipeline import Pipeline


@dataclass(frozen=True)
class Places:
    """Where results and artifacts are written."""

    runs: Path
    store: Path


@dataclass(frozen=True)
class Experiment:
    """A variant, the eval set it is measured on, and how it is measured.

    `variant` is how the configuration is shown, `label` its short name; `config` is its YAML. `measures` None means all
    that apply.
    `fallback` says what was replaced because its model is not installed, `unused` which knobs nobody reads.
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
    label: str = field(default="", compare=False)
    fallback: tuple[str, ...] = field(default=(), compare=False)
    unused: tuple[str, ...] = field(default=(), compare=False)

    def fingerprint(self) -> str:
        """Identifies variant and measurement; the stem of the run id."""
        measured = (self.judge.recipe(), self.measures, self.split, self.seed)
        return fingerprint("experiment", self.pipeline.recipe(), self.loader.recipe(), self.source.title(), measured)

    @property
    def judged(self) -> bool:
        """Whether answers are judged."""
        return not isinstance(self.judge, NoneJudge)

    def runtime(self) -> dict[str, Any] | None:
        """What the embedder resolves to on this machine; None where neither the variant nor the judge needs it."""
        needed = self.pipeline.needs_embedder or self.judge.uses_embedder
        return self.pipeline.embedder.identity() if needed else None
