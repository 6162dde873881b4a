"""Headings and uncuttable blocks of Markdown-like text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from ragbench.records.document import Heading

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


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
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    starts[-1] = len(text)
    outline: list[Heading] = []
    blocks: list[Block] = []
    covered = bytearray(len(lines))
    tokens = _parser().parse(text)
    for position, token in enumerate(tokens):
        if token.map is None or token.type not in ("heading_open", "fence", "table_open"):
            continue
        first, last = token.map[0], min(token.map[1], len(lines))
        if token.type == "heading_open":
            if token.level:
                continue
            title = _plain(tokens[position + 1].content)
            outline.append(Heading(starts[first], int(token.tag[1]), title))
        elif token.type == "fence" and not _is_closed(lines[first:last], token.markup):
            continue
        covered[first:last] = b"\x01" * (last - first)
        blocks.append(Block(token.type.removesuffix("_open"), starts[first], starts[last]))
    blocks += _bare_tables(lines, covered, starts)
    return Structure(tuple(outline), tuple(sorted(blocks, key=lambda block: block.start)))


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


def _is_closed(lines: list[str], markup: str) -> bool:
    last = lines[-1].lstrip(" \t>").rstrip()
    return len(lines) > 1 and len(last) >= len(markup) and set(last) == {markup[0]}


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
