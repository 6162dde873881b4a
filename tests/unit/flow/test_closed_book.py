"""No retrieval: nothing is searched or packed, and the generator is asked alone."""

import pytest

from ragbench.flow.closed_book import ClosedBookFlow
from ragbench.records.trace import Answer, PackedContext, QueryView
from tests.unit.flow.test_one_shot import TEXTS, SmallBench, asks


class AloneBench(SmallBench):
    def generate_alone(self, question, times):
        self._called("alone", question.question, times)
        return Answer(f"known of {question.question}")


@pytest.mark.parametrize("language", TEXTS)
def test_the_model_is_asked_without_a_search(language):
    bench = AloneBench()
    [trace] = ClosedBookFlow(k=3, recall_k=8, pool_depth=20).run(asks(TEXTS[language]), bench)
    assert [name for name, _ in bench.asked] == ["plan", "alone"]
    assert trace.answer == Answer(f"known of {TEXTS[language]}")
    assert (trace.steps, trace.context, trace.usage["hops"]) == ((), PackedContext(), 0)


def test_the_question_is_asked_as_it_was_understood():
    bench = AloneBench(view=QueryView(text="as a statement"))
    [trace] = ClosedBookFlow(k=3, recall_k=8, pool_depth=20).run(asks("how?"), bench)
    assert trace.answer == Answer("known of as a statement")


def test_a_question_that_raises_is_its_own_failure():
    bench = AloneBench(fails={"bad": "alone"})
    traces = list(ClosedBookFlow(k=3, recall_k=8, pool_depth=20).run(asks("one", "bad"), bench))
    assert [trace.error for trace in traces] == [None, "ValueError: first line second line"]
