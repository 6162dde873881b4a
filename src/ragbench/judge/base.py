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

BY_CLAIMS = (
    "answer/faithfulness",
    "answer/relevancy",
    "answer/relevant_unfaithful",
    "answer/completeness",
    "answer/context_recall",
)
"""The measures of a judge that decides claims."""


class OpenJudge(Protocol):
    """An open judge; one that asks language models may be used by several threads."""

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

    @property
    def title(self) -> str:
        """Who judged, as results name it; scores of different titles are not compared."""
        return self.NAME

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures that read its verdicts."""
        return BY_CLAIMS

    @property
    def further_measures(self) -> tuple[str, ...]:
        """Names of measures that it gives too, in runs that ask for them."""
        return ()

    def llm_calls(self, blocks: int) -> int:
        """Most calls of language models that an answer takes whose context has up to `blocks` blocks."""
        return 0

    def of_claims(self) -> Judge:
        """The same judge with nothing but what decides claims: agreement is measured of it and kept under its
        fingerprint."""
        return self

    def check(self) -> None:
        """Raise ConfigError where the judge cannot work as it is configured."""
        return

    @abstractmethod
    def open(self, tools: Tools) -> AbstractContextManager[OpenJudge]:
        """Load what the judge needs."""
