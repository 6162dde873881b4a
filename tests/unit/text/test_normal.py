import pytest

from ragbench.text.normal import comparison_form, negations


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("８０ 元（含税）", "80元(含税)"),
        ("The  Broker\nstarts", "the broker starts"),
        ("输了 308分。", "输了308分."),
        ("Ｋ８ｓ 集群", "k8s集群"),
        ("“好”", '"好"'),
    ],
)
def test_same_meaning_same_form(one: str, other: str) -> None:
    assert comparison_form(one) == comparison_form(other)
    assert comparison_form(comparison_form(one)) == comparison_form(one)


def test_words_stay_apart_in_english() -> None:
    assert comparison_form("the rapist") != comparison_form("therapist")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("员工不得外发", 1),
        ("不同的部门非常多，未来还有", 0),
        ("是不是可以带走", 0),
        ("未提交的申请无效", 2),
        ("It is not supported and never was", 2),
        ("It isn't allowed", 1),
        ("Not only that, No. 5 too", 0),
        ("Runs without root", 1),
        ("服务 does not start", 1),
        ("别报，甭填，毋须审批，休想", 4),
        ("别的部门、特别费和性别、类别与假别", 0),
        ("行不行，能否报，批了没？", 0),
        ("I dont think it hardly works, it fails to start", 3),
        ("别用 root，service 能否 start", 1),
        ("", 0),
    ],
)
def test_negations(text: str, count: int) -> None:
    assert len(negations(text)) == count
