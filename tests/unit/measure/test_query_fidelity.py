"""What a rewritten question keeps of the one that was asked."""

from dataclasses import replace

import pytest

from ragbench.measure.query.fidelity import entities
from ragbench.measure.registry import measure
from ragbench.records.question import Turn
from ragbench.records.score import Status
from ragbench.records.trace import QueryView
from ragbench.testing.cases import corpus, group, one_case, question, trace

CHUNKED = corpus({"d": "x" * 10}, [("d", 0, 10)])


def finding(name: str, asked: str, text: str | None, **made):
    row = question(groups=[group(("d", 0, 5))], question=asked)
    return measure(f"query/{name}").find(one_case(row, CHUNKED, trace(query=QueryView(text=text), **made)))


@pytest.mark.parametrize(
    "name", ["rewrite_entities", "rewrite_numbers", "rewrite_negations", "rewrite_language", "rewrite_similarity"]
)
@pytest.mark.parametrize("text", [None, "不用 E-12 的 3 台"])
def test_nothing_rewritten_is_not_applicable(name: str, text) -> None:
    assert finding(name, "不用 E-12 的 3 台", text, likeness=0.5).status is Status.NOT_APPLICABLE
    assert finding("rewritten", "不用 E-12 的 3 台", text).value == 0.0


def test_rewritten() -> None:
    assert finding("rewritten", "那成都呢", "成都几天").value == 1.0
    row = question(groups=[group(("d", 0, 5))])
    assert measure("query/rewritten").find(one_case(row, CHUNKED, None)).status is Status.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("《差旅办法》里 R-112 是什么", ["r-112", "差旅办法"]),
        ("the limit of Denver Broncos on storage.fs?", ["storage.fs", "denver broncos"]),
        ("新人的 laptop 怎么领", ["laptop"]),
        ("How do I reset it?", []),
        ("does it run on macOS, PostgreSQL or FreeBSD with 32 GiB?", ["postgresql", "freebsd", "macos"]),
        ("Kubernetes needs which port?", ["kubernetes"]),
        ("Employees need which form?", []),
        ("王海宁在宁波能报吗", ["王海宁", "宁波"]),
        ("DeepSeek 在成都的价格", ["deepseek", "成都"]),
        ("这个城市的东西怎么报", []),
        ("怎么弄", []),
    ],
)
def test_entities(asked: str, found: list[str]) -> None:
    assert entities(asked) == found


@pytest.mark.parametrize(
    ("asked", "text", "value", "lost"),
    [
        ("R-112 和 R-126 呢", "R-112 是什么错误", 0.5, "r-126"),
        ("《差旅办法》第几条", "差旅办法第几条规定住宿", 1.0, ""),
        ("How does Python retry on E-12?", "retry of the Go client", 0.0, "e-12, python"),
        ("新人的 laptops 怎么领", "新人 laptop 领用流程", 1.0, ""),
        ("E-12 怎么办", "E-127 怎么办", 0.0, "e-12"),
        ("宁波每周能居家几天？", "深圳每周能居家几天？", 0.0, "宁波"),
        ("深圳市的标准", "深圳的标准", 1.0, ""),
        ("sign in with GitHub?", "Can I sign in with GitHub?", 1.0, ""),
        ("sign in with GitHub?", "Can I sign in with Git?", 0.0, "github"),
        ("Beijing office limit", "Shanghai office limit", 0.0, "beijing"),
    ],
)
def test_names_and_codes(asked: str, text: str, value: float, lost: str) -> None:
    found = finding("rewrite_entities", asked, text)
    assert found.value == value
    assert lost in found.evidence
    assert bool(lost) == bool(found.evidence)


@pytest.mark.parametrize(
    ("asked", "text", "value"),
    [
        ("3天和15天", "三天以内", 0.5),
        ("within 72 hours on 4.2.1", "what applies in 72 h on version 4.2.1", 1.0),
        ("2024年3月5日以后 500 元", "2024-03-05 之后的标准", 0.5),
        ("那两台呢", "2台怎么领", 1.0),
        ("5 days", "5 weeks", 0.0),
        ("3 台和 3 台", "3 台", 0.5),
        ("一个月三百五够吗", "每月 350 元够吗", 1.0),
        ("一个月三百五够吗", "每月 305 元够吗", 0.5),
        ("试用期一个月吗", "试用期两个月吗", 0.0),
        ("350 for 1 month of Pro 版?", "350 monthly for Pro 版?", 1.0),
    ],
)
def test_numbers(asked: str, text: str, value: float) -> None:
    assert finding("rewrite_numbers", asked, text).value == value


@pytest.mark.parametrize(
    ("asked", "text", "value"),
    [
        ("不用审批吗", "无需审批吗", 1.0),
        ("不用审批吗", "要审批吗", 0.0),
        ("can't I do it without a key", "restoring a stream without a key", 0.5),
        ("那不能 extend 吗", "cannot extend the account", 1.0),
        ("年假可以折现吗", "年假不可以折现吗", 0.0),
        ("Is it allowed without a key?", "Is it not allowed without a key?", 0.5),
        ("API 可以用吗", "API 不能用吗", 0.0),
        ("能不能报", "能否报销，不报呢", 0.0),
        ("除非 admin 同意", "unless the admin agrees", 1.0),
        ("ok unless it fails to start?", "ok if it starts?", 0.0),
    ],
)
def test_negations(asked: str, text: str, value: float) -> None:
    found = finding("rewrite_negations", asked, text)
    assert found.value == value
    assert bool(found.evidence) == (value < 1)


def test_what_is_not_there_cannot_be_kept() -> None:
    for name in ("rewrite_entities", "rewrite_numbers", "rewrite_negations"):
        assert finding(name, "是不是有年假", "有没有年假").status is Status.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("asked", "text", "value"),
    [
        ("那成都呢", "成都几天", 1.0),
        ("那成都呢", "How many days in Chengdu", 0.0),
        ("and Go?", "Go 客户端重试几次 how often", 1.0),
        ("and Go?", "客户端重试几次", 0.0),
    ],
)
def test_language(asked: str, text: str, value: float) -> None:
    assert finding("rewrite_language", asked, text).value == value


def test_similarity_is_what_the_run_stored() -> None:
    assert finding("rewrite_similarity", "a", "b", likeness=0.25).value == 0.25
    assert finding("rewrite_similarity", "a", "b", likeness=1.0000001).value == 1.0
    assert finding("rewrite_similarity", "a", "b").status is Status.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("earlier", "value"), [("没有发票怎么办", None), ("发票怎么办", 0.0), ("How do I claim without a receipt?", None)]
)
def test_a_negation_filled_in_from_an_earlier_turn_is_no_addition(earlier: str, value: float | None) -> None:
    row = replace(question(groups=[group(("d", 0, 5))], question="那要多久"), history=(Turn("user", earlier),))
    case = one_case(row, CHUNKED, trace(query=QueryView(text="没有发票要多久")))
    assert measure("query/rewrite_negations").find(case).value == value
