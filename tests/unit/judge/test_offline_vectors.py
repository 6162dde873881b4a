from __future__ import annotations

import pytest

from ragbench.core.workers import Tools
from ragbench.judge.offline_vectors import OfflineVectorsJudge
from ragbench.records.question import Question
from ragbench.records.score import ClaimState
from ragbench.records.trace import Answer
from tests.unit.generator.fakes import context_of

ZH = "正式员工每年享有十天带薪年假。未休完的年假不得结转到下一年度。"
EN = "The trial lasts 30 days and needs no licence. Logs are kept for 14 days."
MIXED = "HaloBus 4.2 默认保留 14 天。Quarantine 目录保留 24 小时。"


@pytest.mark.parametrize(
    ("context", "right", "wrong"),
    [
        (ZH, "正式员工每年享有10天带薪年假", "正式员工每年享有十五天带薪年假。"),
        (EN, "Logs are kept for 14 days. [1]", "Logs are kept for 14 weeks."),
        (MIXED, "HaloBus 4.2 默认保留14天", "Quarantine 目录保留 12 小时。"),
    ],
)
def test_another_value_scores_less(tools: Tools, context: str, right: str, wrong: str) -> None:
    with OfflineVectorsJudge().open(tools) as judge:
        found = [judge.judge(Question("q", "?"), context_of(context), Answer(text)) for text in (right, wrong)]
    good, bad = (one.claims[0] for one in found)
    assert good.state is ClaimState.SUPPORTED and bad.score is not None and good.score > bad.score
    assert found[0].judge == "offline-5" == OfflineVectorsJudge().title
    assert found[0].values[0].value > found[1].values[0].value
