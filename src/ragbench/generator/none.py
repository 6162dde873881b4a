"""No answers: retrieval alone is measured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ragbench.core.workers import Tools
from ragbench.generator.base import Generator, OpenGenerator
from ragbench.records.question import Question
from ragbench.records.trace import Answer, PackedContext


@dataclass(frozen=True, kw_only=True)
class NoneGenerator(Generator):
    """Generates nothing; measures of answers do not apply to the variant."""

    @property
    def answers(self) -> bool:
        """It does not."""
        return False

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenGenerator]:
        """Needs nothing."""
        yield _Silent()


class _Silent:
    def answer(self, question: Question, context: PackedContext) -> Answer | None:
        return None
