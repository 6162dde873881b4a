"""The package ragas as it is used here: its metrics, given a model and an embedder of ours.

Nothing of it reaches out by itself: its clients, retries, caches, event loops and reports to its makers are not used.
"""

from __future__ import annotations

import os
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from ragbench.core.workers import TextEmbedder
from ragbench.errors import ConfigError, DataError, MissingExtra
from ragbench.judge.counted import CountedAsker
from ragbench.judge.ragas_prompts import VERSION, messages
from ragbench.judge.ragas_replies import read, schema_of
from ragbench.llm.base import ChatRequest

RELEASE = "0.4.3"
"""The release whose prompts and formulas these are; another one is another judge."""


def check_installed() -> None:
    """Raise MissingExtra where the package is missing, ConfigError where it is another release. Imports nothing."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("ragas")
    except PackageNotFoundError:
        raise MissingExtra("ragas", "ragas", "judge=ragas") from None
    if found != RELEASE:
        hint = f"Install it with: pip install ragas=={RELEASE}"
        raise ConfigError("judge=ragas", expected=f"ragas {RELEASE}", found=found, hint=hint)


def load() -> Any:
    """The module of the metrics, which takes our models and embedders from then on.

    Raises MissingExtra where the package is missing, ConfigError where it does not import with the packages beside it.
    """
    check_installed()
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"  # read once, at import, and only as this word
    try:
        from ragas.embeddings.base import BaseRagasEmbedding
        from ragas.llms.base import InstructorBaseRagasLLM
        from ragas.metrics import collections
    except ImportError as error:
        hint = "Install the tested set with: pip install 'ragbench[ragas]'"
        told = f"it does not import ({error})"
        raise ConfigError("judge=ragas", expected=f"ragas {RELEASE}", found=told, hint=hint) from error
    InstructorBaseRagasLLM.register(MetricLlm)
    BaseRagasEmbedding.register(MetricEmbedder)
    return collections


def finished(metric: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine returns that waits for nothing but our model and embedder, which answer at once.

    It is run without an event loop, so that it works in a notebook, whose loop runs already, and in any thread, and no
    loop is made or patched. Raises RuntimeError for one that waits for something else.
    """
    try:
        metric.send(None)
    except StopIteration as done:
        return done.value
    metric.close()
    raise RuntimeError("a metric of ragas waits for something that is not ours")


@dataclass
class MetricLlm:
    """Stands for a model of RAGAS while one metric judges one answer: each prompt goes through `asker`.

    A prompt that is asked again (`strictness`) is the next sample of the same request. `replies` are what was read. A
    reply that leaves out some of the statements it was asked about raises DataError: RAGAS would take the share of
    those that are left.
    """

    asker: CountedAsker
    name: str
    language: str
    max_tokens: int
    replies: list[Any] = field(default_factory=list)
    _asked: list[str] = field(default_factory=list)

    def generate(self, prompt: str, response_model: Any) -> Any:
        """An object of the pydantic class `response_model`. Raises UserError where the model gives none."""
        request = ChatRequest(
            messages=messages(self.language, prompt),
            max_tokens=self.max_tokens,
            schema=schema_of(response_model),
            sample=self._asked.count(prompt),
            prompt=f"{self.name}/{VERSION}",
        )
        self._asked.append(prompt)
        made = read(self.asker.ask(request), response_model)
        self._check_whole(made)
        self.replies.append(made)
        return made

    async def agenerate(self, prompt: str, response_model: Any) -> Any:
        """As `generate`."""
        return self.generate(prompt, response_model)

    def _check_whole(self, made: Any) -> None:
        asked, told = statements_of(self.replies[-1] if self.replies else None), verdicts_of(made)
        if asked and told and len(asked) != len(told):
            raise DataError(
                "reply of the judge's model",
                expected=f"verdicts on {len(asked)} statements",
                found=f"{len(told)}",
            )


def statements_of(reply: Any) -> Sequence[str]:
    """The statements that a reply took a text apart into; of any other reply none."""
    return _of_kind(reply, str)


def verdicts_of(reply: Any) -> Sequence[Any]:
    """The judged statements of a reply (`statement`, `reason` and a mark); of any other reply none."""
    return [one for one in _of_kind(reply, object) if not isinstance(one, str)]


def _of_kind(reply: Any, kind: type) -> list[Any]:
    parts = [value for _, value in reply or () if isinstance(value, list)]
    return [one for part in parts for one in part if isinstance(one, kind)]


class MetricEmbedder:
    """Stands for an embedder of RAGAS: questions, as our embedder sees questions. One thread at a time."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder, self._lock = embedder, Lock()

    def embed_texts(self, texts: Sequence[str], **_: Any) -> list[list[float]]:
        """Normalised vectors, shape [n, dimension]."""
        with self._lock:
            return [[float(x) for x in row] for row in self._embedder.embed_queries(list(texts))]

    def embed_text(self, text: str, **_: Any) -> list[float]:
        """The vector of one text."""
        return self.embed_texts([text])[0]

    async def aembed_text(self, text: str, **_: Any) -> list[float]:
        """As `embed_text`."""
        return self.embed_text(text)

    async def aembed_texts(self, texts: Sequence[str], **_: Any) -> list[list[float]]:
        """As `embed_texts`."""
        return self.embed_texts(texts)
