"""What a judge is. Judges are evaluation, not part of the variant."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import ClassVar, Protocol

from ragbench.core.stage import Stage
from ragbench.core.workers import Tools
from ragbench.records.question import Question
from ragbench.records.score import Verdict
from ragbench.records.trace import Answer, PackedContext


class OpenJudge(Protocol):
    """An open judge."""

    def judge(self, question: Question, context: PackedContext, answer: Answer) -> Verdict:
        """Judge one answer. A judge that cannot tell says so in the verdict's states; it never invents a number."""
        ...


@dataclass(frozen=True, kw_only=True)
class Judge(Stage):
    """Says which claims of an answer its context supports."""

    NAME: ClassVar[str] = ""

    @property
    def uses_embedder(self) -> bool:
        """Whether `open` needs `tools.embedder`."""
        return False

    @abstractmethod
    def open(self, tools: Tools) -> AbstractContextManager[OpenJudge]:
        """Load what the judge needs."""
