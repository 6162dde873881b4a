"""Quotes to an answer with citations."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.generator.support import Unit
from ragbench.records.trace import Citation, PackedContext
from ragbench.text.language import answers_in_chinese


def compose(quotes: Sequence[Unit], context: PackedContext, question: str) -> tuple[str, tuple[Citation, ...]]:
    """The answer's text and one citation a quoted piece.

    Each piece is verbatim: `text[citation.start:citation.end]` is the document's text at `[doc_start, doc_end)`. A
    piece is followed by its `[n]`; pieces are joined by nothing in Chinese and a blank in English, rows and lists by
    a line break. A table row comes with its header row, once a table.
    """
    glue = "" if answers_in_chinese(question) else " "
    text = ""
    citations: list[Citation] = []
    headers: set[tuple[int, int]] = set()
    for unit in quotes:
        block = context.blocks[unit.block]
        shift = block.start - (len(block.text) - (block.end - block.start))
        pieces = [(unit.start, max(unit.end, unit.items))]
        if unit.header is not None and (unit.block, unit.header[0]) not in headers:
            headers.add((unit.block, unit.header[0]))
            pieces.insert(0, unit.header)
        structured = unit.kind == "row" or unit.items > 0
        if text:
            text += "\n" if structured or text.endswith("\n") else glue
        for place, (start, end) in enumerate(pieces):
            at = len(text)
            text += block.text[start:end]
            citations.append(Citation(at, len(text), block.citation, block.doc_id, start + shift, end + shift))
            text += "\n" if place < len(pieces) - 1 else f"{glue}[{block.citation}]"
        if structured and unit is not quotes[-1]:
            text += "\n"
    return text, tuple(citations)
