"""Sentences of the stages in the language of the report."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbench.evaluate import diagnose, health, losses
from ragbench.generator import messages
from ragbench.measure.answer import citation, judged
from ragbench.measure.query import complexity
from ragbench.report.html import write_report
from ragbench.report.labels import Labels
from ragbench.report.reasons import reason
from ragbench.run import misfits
from ragbench.run_dir.read import RunDir
from tests.report_fixture import TEXTS, make_run, rewrite_summary

ZH, EN = Labels("zh"), Labels("en")
SAMPLES = {"measure.name": "answer/faithfulness", "first": "question q1", "_BECAME": "lost"}


def said(node: ast.AST) -> Iterator[str]:
    """The text of a string or f-string, 3 in place of each value."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        parts = [
            part.value if isinstance(part, ast.Constant) else SAMPLES.get(ast.unparse(part)[3:-2], "3")
            for part in node.values
        ]
        yield "".join(map(str, parts))
    elif isinstance(node, ast.IfExp):
        yield from said(node.body)
        yield from said(node.orelse)


def sentences(module: object) -> set[str]:
    """What a module hands on as a reason: second value of `Loss.X, why` and the last of Finding, failed and LostGroup."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple) and len(node.elts) > 1 and "Loss." in ast.unparse(node.elts[0]):
            found |= set(said(node.elts[1]))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Finding", "failed") and node.args:
            found |= set(said(node.args[-1]))
        if isinstance(node, ast.Return) and isinstance(node.value, ast.JoinedStr | ast.IfExp):
            found |= set(said(node.value))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "problems.append":
            found |= set(said(node.args[0]))
    return {text for text in found if re.search("[a-z]{2}", text)}


@pytest.mark.parametrize("module", [losses, diagnose, citation, judged, complexity])
def test_every_reason_that_a_stage_gives_has_chinese_words(module: object) -> None:
    found = sentences(module)
    assert found
    assert [text for text in found if not re.search("[一-鿿]", reason(text, ZH))] == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("g1: final rank 12, beyond k 5", "g1：最终排名第 12，超出 k=5"),
        ("年假: in the list of dense, sparse only", "年假：只出现在向量检索、关键词检索的列表中"),
        ("g1 split over a.md#3, a.md#4; g2 unreachable", "g1 被切开，分布在 a.md#3, a.md#4；g2 不可达"),
        ("simple_lookup, gold multi_hop", "判为简单查询，标注为多跳推理"),
        ("judge: ConnectError: 127.0.0.1", "评判器：ConnectError: 127.0.0.1"),
        (
            "answer/faithfulness: 3 of 9 failed; first question zh-1: judge: no verdict",
            "answer/faithfulness：9 个中有 3 个失败；首个为问题 zh-1：评判器：没有评判结果",
        ),
        (
            "a=1 b=2 is the same variant as a=1 b=1 (b: the chosen splitter (qa) has no such knob)",
            "a=1 b=2 与 a=1 b=1 是同一方案（b：所选 splitter（qa）没有该参数）",
        ),
        ("something nobody wrote: 5 <b>", "something nobody wrote: 5 <b>"),
        ("", ""),
        ("{rank} is the same variant as {0}", "{rank} 与 {0} 是同一方案"),
    ],
)
def test_sentences_in_chinese(text: str, shown: str) -> None:
    assert reason(text, ZH) == shown
    assert reason(text, EN) == text


def test_refusals_and_health_and_folds_are_known() -> None:
    for text in {text for text, _ in messages._MESSAGES}:
        assert reason(text, ZH) != text
    assert reason("no question was evaluated", ZH) == "没有评估任何问题"
    assert health.__name__ and misfits.__name__


def counted(run: RunDir) -> RunDir:
    from collections import Counter

    from ragbench.report.lost import _again

    again = _again(run, TEXTS.get)
    found = {one.question_id: one.loss.value for one in again}
    return rewrite_summary(run, diagnosis=dict(Counter(found.values())), diagnosis_by_question=found)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_lost_question_says_why_in_both_languages_of_the_report(tmp_path: Path, lang: str) -> None:
    run = counted(make_run(tmp_path, n_filler=0))
    text = write_report(run, tmp_path / "r.html", lang, TEXTS.get).read_text(encoding="utf-8")
    assert '"why":"fact: in no list"' in text
    assert '"fact: in no list":"fact：没有出现在任何列表中"' in text
