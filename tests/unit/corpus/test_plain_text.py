"""What is taken for text without structure unread, the parser finds none in."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragbench.corpus import structure as module
from ragbench.corpus.structure import structure

_MARKS = (
    "# ",
    "#",
    "=",
    "---",
    "===",
    "<",
    "<div>",
    "<!--",
    "|",
    "| a |",
    "|-|",
    "```",
    "~~~",
    "> ",
    "- ",
    "1. ",
    "* ",
)
_OTHERS = (
    "    ",
    "\t",
    " ",
    "+ ",
    "12) ",
    "word ",
    "年假，",
    "用 API ",
    "\u3000",
    "[a]: b",
    "\\",
    "9" * 12,
    "\r",
    "\f",
)
_PIECES = st.sampled_from((*_MARKS, *_OTHERS, "\n", "\n\n"))


@given(st.lists(_PIECES, max_size=40).map("".join))
@example("1. > <div>\nx")
@example("a\n   ===  ")
@example("- a\n<!--")
def test_what_is_not_parsed_has_nothing_to_find(text: str) -> None:
    if module._is_plain(text):
        kept = module._tokens(text)
        assert [token.type for token in kept if token.type != "heading_open" or not token.level] == _inline(kept)


def _inline(kept: list[object]) -> list[str]:
    """The contents of headings inside lists and quotations, which are no headings of the document."""
    return ["inline" for token in kept if getattr(token, "type", "") == "inline"]


@pytest.mark.parametrize(
    "text", ["年假五天。\n\n- 一\n- 二", "Ask HR - or a < b.\n\n1. one", "用 API #1，see e.g. a=b\n> q"]
)
def test_prose_is_not_parsed(text: str) -> None:
    assert module._is_plain(text)
    assert structure(text) == module.Structure((), ())


@pytest.mark.parametrize("text", ["# 总则", "Guide\n---", "| a |\n", "- ```\n  x", "> <div>", "标题 mixed\n  ===\n"])
def test_what_may_be_more_is_parsed(text: str) -> None:
    assert not module._is_plain(text)
