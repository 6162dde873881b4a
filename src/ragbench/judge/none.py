"""No judge: measures that need one do not apply."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from ragbench.core.workers import Tools
from ragbench.judge.base import Judge, OpenJudge
from ragbench.records.question import Question
from ragbench.records.score import Verdict
from ragbench.records.trace import Answer, PackedContext


@dataclass(frozen=True, kw_only=True)
class NoneJudge(Judge):
    """Judges nothing; every verdict says that no judge was configured."""

    NAME: ClassVar[str] = "none"

    @property
    def measures(self) -> tuple[str, ...]:
        """None."""
        return ()

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenJudge]:
        """Needs nothing."""
        yield _Silent()


class _Silent:
    def judge(self, question: Question, context: PackedContext, answer: Answer) -> Verdict:
        return Verdict(question.id, NoneJudge.NAME, error="no judge is configured (judge=none)")
