"""Whatever is typed, rules answer at once: every public rule of the query layer on texts made to hold them up."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from ragbench.core.workers import Tools
from ragbench.query import clarifier, follow_up, greetings, naming, replies, sides, splitting, wording
from ragbench.query.bounds import LONGEST
from ragbench.query.general import general
from ragbench.query.rule_rewriter import RuleRewriter
from ragbench.query.rules import RuleClassifier
from ragbench.records.question import Turn

SECONDS = 1.0
LENGTHS = (1000, LONGEST, 200_000)
SEEDS = (
    " ", "\n", "\t", "\u3000", "\r\n", "a", "A", "1", "-", "_", ".", ",", "，", "。", "、", "…", "?", "？", "!", "(", "（", "[", "{",
    "“", "《", "`", "```", '"', "'", "#1 ", "1.", "1.1.", "v1.2 ", "a.", "a_", "A-", "a b ", "Aa ", "的", "是", "和", "不", "那",
    "呢", "它", "谢谢", "你好，", "谁、", "多少，", "听说", "2024年", "3天", "步骤", "X的", "Aa和", "hi ", "thanks ", "please ", "and what ",
    "it ", "the a of ", "X's ", "or ", "vs ", "more ", "used to ", "between a ", "in Aa ", "answer ", "12:", "[1,", '{"a":', "\x00",
    "\ud800", "😀", "ﬀ", "Ａ", "e\u0301",
)  # fmt: skip
RULES = RuleClassifier(short=25)


def _fill(seed: str) -> Callable[[int], str]:
    return lambda length: (seed * length)[:length]


INPUTS: dict[str, Callable[[int], str]] = {repr(seed): _fill(seed) for seed in SEEDS} | {
    "a blank b": lambda length: "a" + " " * (length - 2) + "b",
    "answer blank x": lambda length: "answer" + " " * (length - 7) + "x",
    "thanks dots x": lambda length: "thanks" + "." * (length - 7) + "x",
    "comma blank then": lambda length: "x, " + " " * (length - 8) + "then ",
    "and blank x": lambda length: "and" + " " * (length - 4) + "x",
    "dashes 我": lambda length: "-" * (length - 1) + "我",
    "1.1.我": lambda length: ("1." * length)[: length - 1] + "我",
    "lines": lambda length: ("?\n" * length)[:length],
}


def _read(read: Callable[[str], object]) -> Callable[[str], object]:
    def reading(text: str) -> object:
        try:
            return read(text)
        except replies.Unusable:
            return None

    return reading


def _rewritten(text: str) -> str:
    with RuleRewriter(replies=True).open(Tools(None)) as rewriter:
        return rewriter.rewrite(text, (Turn("user", text), Turn("assistant", text))).text


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "without_greeting": greetings.without_greeting,
    "only_thanks": greetings.only_thanks,
    "rewrite": _rewritten,
    "follow_up of it": lambda text: _about(text),
    "leans": follow_up.leans,
    "ellipsis": follow_up.ellipsis,
    "without_lead": follow_up.without_lead,
    "topic": follow_up.topic,
    "says_more": lambda text: follow_up.says_more(text, text),
    "swapped": lambda text: follow_up.swapped(text, text[::-1]),
    "named": follow_up.named,
    "size": follow_up.size,
    "things": naming.things,
    "split": splitting.split,
    "chain": splitting.chain,
    "parts": splitting.parts,
    "sides": sides.sides,
    "variants": wording.variants,
    "keywords": wording.keywords,
    "plain": wording.plain,
    "heading": wording.heading,
    "statement": wording.statement,
    "general": general,
    "classify": RULES.classify,
    "template": clarifier.template,
    "read_queries": _read(lambda text: replies.read_queries(text, "q", 3)),
    "read_query": _read(lambda text: replies.read_query(text, "q")),
    "read_passage": _read(lambda text: replies.read_passage(text, "q", 400)),
    "cleaned": replies.cleaned,
    "fits": lambda text: replies.fits(text, "q"),
}


def _about(text: str) -> str:
    """A short follow-up of a hostile conversation."""
    with RuleRewriter(replies=True).open(Tools(None)) as rewriter:
        return rewriter.rewrite("它多少钱", (Turn("user", text), Turn("assistant", text))).text


@pytest.fixture(scope="module", autouse=True)
def dictionary() -> None:
    """The dictionary of words is read once a process, which takes half a second."""
    wording.variants("年假有多少天")


def _seconds(name: str, text: str) -> list[float]:
    """CPU seconds of a rule; up to three times where it is slow, since whatever else the process holds may be."""
    times: list[float] = []
    while not times or (min(times) > SECONDS and len(times) < 3):
        started = time.process_time()
        FUNCTIONS[name](text)
        times.append(time.process_time() - started)
    return times


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_text_holds_a_rule_up(name: str) -> None:
    slow = []
    for title, text in INPUTS.items():
        for length in LENGTHS:
            took = min(_seconds(name, text(length)))
            if took > SECONDS:
                slow.append(f"{title} of {length}: {took:.1f} s")
    assert not slow


@pytest.mark.parametrize(
    "text", ["年假有多少天，", "How long is the trial? ", "VPN 怎么 reset，"], ids=("zh", "en", "mixed")
)
def test_what_is_too_long_for_a_question_stays_as_typed(text: str) -> None:
    text = f"你好，{text * LONGEST}谢谢"
    assert greetings.without_greeting(text) == text == wording.plain(text) == _rewritten(text)
    assert splitting.split(text).kind == "whole"
    assert wording.variants(text) == [] and general(text) == ""
    assert RULES.classify(text).complexity is None
