from ragbench.core.workers import Tools
from ragbench.generator.none import NoneGenerator
from ragbench.records.question import Question
from ragbench.records.trace import PackedContext


def test_says_nothing() -> None:
    stage = NoneGenerator()
    assert not stage.uses_embedder
    with stage.open(Tools(None)) as generator:
        assert generator.answer(Question("q", "年假？"), PackedContext()) is None
