from ragbench.core.workers import Tools
from ragbench.judge.none import NoneJudge
from ragbench.records.question import Question
from ragbench.records.trace import Answer, PackedContext


def test_gives_no_number() -> None:
    with NoneJudge().open(Tools(None)) as judge:
        verdict = judge.judge(Question("q", "年假？"), PackedContext(), Answer("十天。"))
    assert verdict.judge == "none" and verdict.error
    assert verdict.claims == () and verdict.relevancy is None
