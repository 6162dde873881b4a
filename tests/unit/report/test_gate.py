"""A gate as Markdown and JUnit, in both languages, with text in it that wants to be more than text."""

from __future__ import annotations

import re
from html import unescape
from string import Formatter
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from ragbench.gate.decide import decide
from ragbench.gate.result import GateResult
from ragbench.report.gate_junit import gate_junit
from ragbench.report.gate_markdown import gate_markdown
from ragbench.report.gate_words import gate_texts
from tests.unit.gate.sides import BAD_CARD, FAITHFUL, RECALL, ones, options, side

LANGS = ("en", "zh")
HOSTILE = "a|b `x` <script>alert(1)</script> [l](http://e.test) @octocat ]]> &amp; 中文\x00\x1b[31m\u202e\ud800\n# head\n\n![i](x)"
KINDS = ["lookup"] * 24 + [HOSTILE] * 24


def result(n_lost: int = 24, **facts) -> GateResult:
    """A regression in the hostile category, of a hostile run on a hostile set."""
    told = {"run_id": HOSTILE, "label": HOSTILE, "variant": {HOSTILE: HOSTILE}, "judge": {"title": HOSTILE, "key": "x"}}
    eval_set = {"name": HOSTILE, "version": "v1", "lock": "sha256:1", "split": "test", "questions": None}
    now = side({RECALL: ones(48, n_lost), FAITHFUL: ones(48)}, KINDS, eval_set=eval_set, **told | facts)
    before = side({RECALL: ones(48), FAITHFUL: ones(48)}, KINDS, eval_set=eval_set, runtime={HOSTILE: HOSTILE})
    return decide(now, before, options(measures=(RECALL, FAITHFUL), categories=True), 0, BAD_CARD)


NONE = decide(side({RECALL: ones(3)}), None, options(), 0)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("found", [result(), result(0), NONE], ids=["regression", "judge", "no baseline"])
def test_markdown_shows_hostile_text_as_text(found: GateResult, lang: str) -> None:
    text = gate_markdown(found, lang)
    page = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    for tag in ("<script", "<img", "<a ", "<h1"):
        assert tag not in page
    assert "\x1b" not in text and "\u202e" not in text and "\x00" not in text
    text.encode("utf-8")
    outside = re.sub(r"<code>.*?</code>", "", page, flags=re.DOTALL)
    assert "octocat" not in outside and "alert" not in outside
    for line in text.splitlines():
        if line.startswith("|"):
            assert line.count("|") == 10


@pytest.mark.parametrize("lang", LANGS)
def test_markdown_is_a_table_with_the_names_of_its_language(lang: str) -> None:
    page = MarkdownIt("gfm-like", {"linkify": False}).render(gate_markdown(result(), lang))
    assert page.count("<table>") == 2
    assert ("退步" in page) == (lang == "zh") and ("regression" in page) == (lang == "en")
    plain = gate_markdown(
        decide(side({RECALL: ones(30, 6)}), side({RECALL: ones(30)}), options(categories=True), 0), lang
    )
    assert ("标准查询" in plain) == (lang == "zh") and ("Lookup" in plain) == (lang == "en")


@pytest.mark.parametrize("lang", LANGS)
def test_markdown_names_the_judge_below_its_floor_in_its_language(lang: str) -> None:
    text = gate_markdown(result(0, judge={"title": "llm-1 m", "key": "k"}), lang)
    assert ("below its floor" in text) == (lang == "en") and "0.653" in text


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("found", [result(), result(0), NONE], ids=["regression", "judge", "no baseline"])
def test_junit_is_xml_whatever_its_texts_hold(found: GateResult, lang: str) -> None:
    root = ElementTree.fromstring(gate_junit(found, lang))
    suite = root[0]
    cases = suite.findall("testcase")
    kinds = [child.tag for case in cases for child in case if child.tag != "system-out"]
    assert int(suite.get("tests", "")) == len(cases) > 0
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.get(attribute, "")) == kinds.count(tag)
    assert ("failure" in kinds) == (found.exit_code == 1)
    assert ("error" in kinds) == (found.exit_code == 3 or found is not NONE)


def test_junit_keeps_the_text_that_xml_can_say() -> None:
    root = ElementTree.fromstring(gate_junit(result(), "en"))
    names = [case.get("name", "") for case in root.iter("testcase")]
    assert any("中文" in name and "]]>" in name and "<script>" in name for name in names)


def test_both_languages_have_the_same_sentences_with_the_same_values() -> None:
    english, chinese = (gate_texts(lang) for lang in LANGS)
    assert english.keys() == chinese.keys()
    for key in english:
        values = [{name for _, name, _, _ in Formatter().parse(one[key]) if name} for one in (english, chinese)]
        assert values[0] == values[1], key


def test_inert_text_reads_as_it_was_written() -> None:
    from ragbench.report.gate_markdown import inert

    shown = inert("q|1 *x* @me 编号")
    assert unescape(shown.removeprefix("<code>").removesuffix("</code>")) == "q|1 *x* @me 编号"
