"""Stages of somebody else's package: slow, failing on one question, failing always, not to be opened."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragbench.generator.base import Generator
from ragbench.judge.base import Judge
from ragbench.records.document import Span
from ragbench.records.trace import Answer
from ragbench.reranker.base import Reranker
from ragbench.splitter.base import Splitter


@dataclass(frozen=True, kw_only=True)
class SlowGenerator(Generator):
    """Repeats the question after `seconds`."""

    seconds: float

    @contextmanager
    def open(self, tools) -> Iterator[SlowGenerator]:
        """Is its own worker."""
        yield self

    def answer(self, question, context) -> Answer:
        """The question."""
        time.sleep(self.seconds)
        return Answer(text=question.question)


@dataclass(frozen=True, kw_only=True)
class ChokingReranker(Reranker):
    """Keeps the order; raises for questions that hold `word`."""

    word: str

    @contextmanager
    def open(self, tools) -> Iterator[ChokingReranker]:
        """Is its own worker."""
        yield self

    def rerank(self, question, ranking, chunks):
        """The ranking as given."""
        if self.word in question:
            raise ValueError(f"choked on\n{self.word}")
        return tuple(item._replace(former=item.rank) for item in ranking)


@dataclass(frozen=True, kw_only=True)
class LockedReranker(Reranker):
    """Cannot be opened; counts in the file `tries` how often that was asked for."""

    tries: str

    @contextmanager
    def open(self, tools) -> Iterator[None]:
        """Raises."""
        with Path(self.tries).open("a", encoding="utf-8") as handle:
            handle.write("x")
        raise RuntimeError("the model is not there")
        yield


@dataclass(frozen=True, kw_only=True)
class BrokenSplitter(Splitter):
    """Raises for every document."""

    def spans(self, document) -> list[Span]:
        """Raises."""
        raise ZeroDivisionError("no such luck")


@dataclass(frozen=True, kw_only=True)
class SlowSplitter(Splitter):
    """One chunk a document, after `seconds`."""

    seconds: float

    def spans(self, document) -> list[Span]:
        """The whole text."""
        time.sleep(self.seconds)
        return [Span(0, len(document.text))]


@dataclass(frozen=True, kw_only=True)
class ChokingJudge(Judge):
    """Raises for every answer."""

    NAME = "choking"

    @contextmanager
    def open(self, tools) -> Iterator[ChokingJudge]:
        """Is its own worker."""
        yield self

    def judge(self, question, context, answer):
        """Raises."""
        raise TimeoutError("the judge did not answer")
