"""Headings and uncuttable blocks of Markdown-like text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from ragbench.records.document import Heading

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_PIECE = 1 << 17
# Where a line begins that ends whatever came before it, fences and HTML apart: one without indentation after a blank
# line, a heading, a list item (without what could be the head of a table).
_BORDER = re.compile(r"\n(?:[ \t]*\n(?=[^\s*+\d-])|(?=#{1,6}[ \t]|(?:> ?)?[-*+] [^\s|][^|\n]*\n))")
# What a heading at the top, a fence, a table or HTML cannot do without. In front of HTML stand but blanks and the marks
# of quotations and list items.
_NEEDED = ("|", "```", "~~~")
_OPENING = re.compile(r"\n(?: {0,3}(?:#|(?:=++|-++)[ \t]*+(?:\n|\Z))|(?:[ \t>*+-]++|\d++[.)])*+<)")
_WANTED = frozenset(("heading_open", "fence", "table_open", "html_block"))


@dataclass(frozen=True, slots=True)
class Block:
    """`[start, end)` of whole lines; `kind` is `heading`, `fence` or `table`."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Structure:
    """The outline, and the blocks in order of start (a block inside another is left out)."""

    outline: tuple[Heading, ...]
    blocks: tuple[Block, ...]


def structure(text: str) -> Structure:
    """Headings, code fences and tables of normalised Markdown-like text, read by markdown-it (CommonMark and tables).

    A heading inside a fence, a list or a quotation is none. An unclosed fence is no block: it would
    make the rest of the document uncuttable. Lines `| … |` are a table even without a delimiter row,
    as tables of HTML and DOCX files are written.
    """
    outline: list[Heading] = []
    blocks: list[Block] = []
    for position, piece in _pieces(text):
        outline += (replace(heading, start=position + heading.start) for heading in piece.outline)
        blocks += (Block(block.kind, position + block.start, position + block.end) for block in piece.blocks)
    return Structure(tuple(outline), tuple(blocks))


def outline_of(text: str) -> tuple[Heading, ...]:
    """The outline alone, which takes less memory."""
    return tuple(
        replace(heading, start=position + heading.start)
        for position, piece in _pieces(text)
        for heading in piece.outline
    )


def _pieces(text: str) -> Iterator[tuple[int, Structure]]:
    """The text's structure piece by piece, each with its offset: the parser holds ten times a text or more.

    A piece ends where whatever is open ends anyway. One that ends inside a fence or in HTML is read again with as much
    text once more, so that no text is read more than a few times.
    """
    position, size = 0, _PIECE
    while position < len(text):
        border = _BORDER.search(text, position + size)
        end = border.end() if border else len(text)
        piece, is_open = _read(text[position:end])
        if is_open and end < len(text):
            size = 2 * (end - position)
            continue
        yield position, piece
        position, size = end, _PIECE


def _read(text: str) -> tuple[Structure, bool]:
    """The structure of a piece, and whether a fence or HTML is open at its end."""
    if _is_plain(text):
        return Structure((), ()), False
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    starts[-1] = len(text)
    outline: list[Heading] = []
    blocks: list[Block] = []
    covered = bytearray(len(lines))
    is_open = False
    tokens = _tokens(text)
    for position, token in enumerate(tokens):
        if token.map is None or token.type == "inline":
            continue
        first, last = token.map[0], min(token.map[1], len(lines))
        closed = token.type != "html_block" and (token.type != "fence" or _is_closed(lines[first:last], token))
        is_open |= not closed and not any(lines[last:])
        if token.type == "html_block" or not closed or (token.type == "heading_open" and token.level):
            continue
        if token.type == "heading_open":
            title = _plain(tokens[position + 1].content)
            outline.append(Heading(starts[first], int(token.tag[1]), title))
        covered[first:last] = b"\x01" * (last - first)
        blocks.append(Block(token.type.removesuffix("_open"), starts[first], starts[last]))
    blocks += _bare_tables(lines, covered, starts)
    return Structure(tuple(outline), tuple(sorted(blocks, key=lambda block: block.start))), is_open


def _is_plain(text: str) -> bool:
    """Whether a piece can hold nothing that is wanted; looking for signs takes a fraction of parsing."""
    return not (any(sign in text for sign in _NEEDED) or _OPENING.search("\n" + text))


class _Kept(list["Token"]):
    """Takes the parser's tokens and keeps those of headings, fences, tables and HTML: the others are most of them."""

    def append(self, token: Token) -> None:
        if token.type in _WANTED or (token.type == "inline" and self and self[-1].type == "heading_open"):
            super().append(token)


def _tokens(text: str) -> list[Token]:
    parser, kept = _parser(), _Kept()
    parser.block.parse(text, parser, {}, kept)
    return kept


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Inline mark-up is only read for headings; link definitions are text to us and slow to parse.
    return MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _plain(content: str) -> str:
    """A heading's text without inline mark-up."""
    if not any(sign in content for sign in "*_`[\\<&!"):
        return " ".join(content.split())
    children = [child for token in _inline_parser().parseInline(content) for child in token.children or ()]
    words = (" " if child.type in ("softbreak", "hardbreak") else child.content for child in children)
    kept = "".join(word for word, child in zip(words, children) if child.type != "html_inline")
    return " ".join(kept.split())


def _is_closed(lines: list[str], fence: Token) -> bool:
    last = lines[-1].lstrip(" \t>" if fence.level else " \t").rstrip()
    return len(lines) > 1 and len(last) >= len(fence.markup) and set(last) == {fence.markup[0]}


def _bare_tables(lines: list[str], covered: bytearray, starts: list[int]) -> list[Block]:
    blocks: list[Block] = []
    first = None
    for number in range(len(lines) + 1):
        row = number < len(lines) and not covered[number] and _is_row(lines[number])
        if row and first is None:
            first = number
        elif not row and first is not None:
            blocks.append(Block("table", starts[first], starts[number]))
            first = None
    return blocks


def _is_row(line: str) -> bool:
    line = line.strip()
    return len(line) > 2 and line[0] == "|" and line[-1] == "|"
