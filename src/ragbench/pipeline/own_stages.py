"""The stages that a flow holds itself, open, and how many questions may be planned and answered at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import fields
from threading import Lock
from typing import Any

from ragbench.core.stage import Stage
from ragbench.core.workers import ModelCalls, Tools
from ragbench.llm.base import Llm
from ragbench.pipeline.opening import opening
from ragbench.pipeline.pipeline import Pipeline


class OwnStages:
    """Opens each stage at its first use, once; threads may share it. What is opened is closed by `stack`."""

    def __init__(self, tools: Tools, stack: ExitStack) -> None:
        self._tools, self._stack = tools, stack
        self._open: dict[str, Any] = {}
        self._lock = Lock()

    def opened(self, stage: Any) -> Any:
        """The worker that the stage's `open` gives. Raises CannotOpen."""
        with self._lock:
            name = stage.fingerprint()
            if name not in self._open:
                with opening("flow"):
                    self._open[name] = self._stack.enter_context(stage.open(self._tools))
            return self._open[name]


def planned_ahead(pipeline: Pipeline, models: ModelCalls | None) -> int:
    """Questions that are planned at a time: as many as there may be calls of models under way, 1 where planning asks no
    model: threads would only take turns."""
    asking = next(models_of(pipeline.query), None) or next(models_of(pipeline.flow), None)
    return max(1, models.concurrency) if models is not None and asking is not None else 1


def answered_at_once(pipeline: Pipeline, models: ModelCalls | None) -> int:
    """Answers that are waited for at a time: as many as there may be calls of the model that writes them under way."""
    return max(1, models.concurrency) if models is not None and pipeline.generator.asks else 1


def models_of(value: Any) -> Iterator[Llm]:
    """The language models that a stage, or a stage within it, asks."""
    if isinstance(value, Llm):
        yield value
    elif isinstance(value, Stage):
        for field in fields(value):
            yield from models_of(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from models_of(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from models_of(item)
