"""What a generator is."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from ragbench.core.stage import Stage
from ragbench.core.workers import Tools
from ragbench.records.question import Question
from ragbench.records.trace import Answer, PackedContext


class OpenGenerator(Protocol):
    """An open generator."""

    def answer(self, question: Question, context: PackedContext) -> Answer | None:
        """Answer from the context, or refuse; None: this variant generates nothing. Only what `OpenQuery.plan` may
        read is given. What it raises is the question's error: an answer that could not be made is no refusal.

        A generator that `asks` may be called by several threads.
        """
        ...


class OpenAlone(OpenGenerator, Protocol):
    """An open generator that `answers_alone`."""

    def alone(self, question: Question) -> Answer | None:
        """Answer without any context, from what a model knows, or refuse; the rest is as with `answer`."""
        ...


@dataclass(frozen=True, kw_only=True)
class Generator(Stage):
    """Writes an answer from a packed context."""

    @property
    def answers(self) -> bool:
        """Whether the stage generates anything at all; measures of answers do not apply to a variant without."""
        return True

    @property
    def asks(self) -> bool:
        """Whether a language model writes the answers: one call each, of which several may be under way at a time."""
        return False

    @property
    def answers_alone(self) -> bool:
        """Whether it can answer without any context."""
        return False

    @property
    def uses_embedder(self) -> bool:
        """Whether `open` needs `tools.embedder`."""
        return False

    @property
    def uses_tokens(self) -> bool:
        """Whether it asks the embedder for vectors of single tokens, which not every embedder has."""
        return False

    @property
    def may_be_heard(self) -> bool:
        """Whether what its model writes may be shown while it comes: an answer is not checked after it."""
        return False

    @property
    def threshold(self) -> float | None:
        """The confidence, in [0, 1], under which it refuses; None: it has no such threshold."""
        return None

    @property
    def least_relevance(self) -> float | None:
        """The relevance of the best block, in [0, 1], under which it refuses, 0: off; None: it never reads it."""
        return None

    @property
    def relevance_thresholds(self) -> tuple[str, ...]:
        """Fields, above 0, under which it refuses by the relevance of blocks, read as a probability."""
        return ()

    @abstractmethod
    def open(self, tools: Tools) -> AbstractContextManager[OpenGenerator]:
        """Load what the stage needs."""
