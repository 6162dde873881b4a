import pytest

from ragbench.judge.mentions import has_rival, mentions


@pytest.mark.parametrize(
    ("claim", "context", "rival"),
    [
        ("红灯 40 分钟未灭", "红灯 20 分钟未灭：科长；黄灯 40 分钟未灭：班长", True),
        ("红灯 20 分钟未灭", "红灯 20 分钟未灭：科长；黄灯 40 分钟未灭：班长", False),
        ("the trial lasts 14 days", "the trial lasts 30 days, the grace period 14 days", True),
        ("the trial lasts thirty days", "the trial lasts 30 days, the grace period 14 days", False),
        ("填写 LC-HR-F016 申请", "填写 LC-HR-F012 申请，另附 LC-HR-F016", True),
        ("保留 14 天", "每年 10 天", False),
        ("14", "15", False),
        ("HaloBus 默认端口 7400", "", False),
        ("", "红灯 20 分钟", False),
    ],
)
def test_another_value_in_the_same_place(claim: str, context: str, rival: bool) -> None:
    assert has_rival(mentions(claim), mentions(context)) is rival
