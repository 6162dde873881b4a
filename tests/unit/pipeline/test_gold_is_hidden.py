"""What of a row reaches the query stage of a whole pipeline."""

from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest

from ragbench.core.store import Store
from ragbench.query.base import Query
from ragbench.records.question import Question, Turn
from ragbench.records.search import SearchRequest
from ragbench.records.trace import QueryView

from .words import QUESTIONS, Place, corpus_of, document, pipeline_of


@dataclass(frozen=True, kw_only=True)
class Greedy(Query):
    """Searches the gold form where it is shown one."""

    oracle: bool

    @property
    def reads_gold(self) -> bool:
        """As it was made."""
        return self.oracle

    @contextmanager
    def open(self, tools):
        """Needs nothing."""
        yield self

    def plan(self, question):
        """The gold form, else the question."""
        return QueryView(), (SearchRequest.of(question, question.standalone or question.question),)


@pytest.mark.parametrize("language", QUESTIONS)
@pytest.mark.parametrize("oracle", [False, True])
def test_a_stage_sees_gold_only_if_it_says_that_it_reads_it(tmp_path, language, oracle):
    store = Store(tmp_path / "store")
    place = Place(corpus_of(tmp_path / "corpus", {"a.md": document(language, 1)}, store), store)
    pipeline = replace(pipeline_of("retriever=sparse"), query=Greedy(oracle=oracle))
    asked = Question("q", "那呢", standalone=QUESTIONS[language], history=(Turn("user", "x"),))
    with place.bench(pipeline) as bench:
        (trace,) = pipeline.flow.run([asked], bench)
    assert trace.steps[0].requests[0].text == (QUESTIONS[language] if oracle else "那呢")
