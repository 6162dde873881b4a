import pytest

from ragbench.judge.claims import split_claims


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("年假十天。[1]病假五天。[2]", ["年假十天。", "病假五天。"]),
        ("Ten days a year. [1] Five sick days [2].", ["Ten days a year.", "Five sick days."]),
        ("先填写申请表；再交主管审批。", ["先填写申请表；", "再交主管审批。"]),
        ("总部每年年假十天，而苏州工厂每年只有五天。", ["总部每年年假十天", "苏州工厂每年只有五天。"]),
        (
            "The trial lasts thirty days, but hosted plans last fourteen days.",
            ["The trial lasts thirty days", "hosted plans last fourteen days."],
        ),
        ("苹果，而香蕉。", ["苹果，而香蕉。"]),
        ("步骤：\n1. 打开设置\n2. click Save now", ["步骤：", "打开设置", "click Save now"]),
        ("| 级别 | 房价 |\n| P7 | 800 |[1]", ["| P7 | 800 |"]),
        ("| P7 | 800 |", ["| P7 | 800 |"]),
        ("# 标题\n正文一句。", ["正文一句。"]),
        ("Yes. It is on by default.", ["It is on by default."]),
        ("是的。默认开启。", ["默认开启。"]),
        ("Do you mean 4.2?", []),
        ("**问：邮箱满了怎么办？**[2]", []),
        ("(Do you mean 4.2?)", []),
        ("No: only 4.1 is affected.", ["only 4.1 is affected."]),
        ("可以，30天内可申请一次变更。", ["30天内可申请一次变更。"]),
        ("不会。按白灯停线不追究产量。", ["按白灯停线不追究产量。"]),
        ("No node is affected.", ["No node is affected."]),
        ("不可以带走设备。", ["不可以带走设备。"]),
        ("According to the context, logs are kept 14 days.", ["logs are kept 14 days."]),
        ("The text says that logs are kept 14 days.", ["logs are kept 14 days."]),
        ("根据上述资料，年假十天。", ["年假十天。"]),
        ("根据《休假管理办法》，年假十天。", ["根据《休假管理办法》，年假十天。"]),
        ("According to the contract, logs are kept 14 days.", ["According to the contract, logs are kept 14 days."]),
        ("", []),
        ("[1]", []),
        ("   \n", []),
    ],
)
def test_claims(text: str, claims: list[str]) -> None:
    found = split_claims(text)
    assert [claim.text for claim in found] == claims
    for claim in found:
        assert text[claim.start : claim.end].replace(" ", "").startswith(claim.text.replace(" ", "")[:4])


def test_a_huge_answer_is_no_problem() -> None:
    assert len(split_claims("年假十天，而病假五天。[1]" * 5_000)) >= 5_000
