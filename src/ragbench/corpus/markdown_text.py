"""Writes headings, paragraphs, lists, tables and code as Markdown-like text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbench.corpus.markdown_escape import escaped, escaped_heading

_UNDERLINE = re.compile(r"\n(?=[ \t]*(?:-+|=+)[ \t]*(?:\n|\Z))")
_FENCE_RUN = re.compile(r"`{3,}")
_SUPERSCRIPT = str.maketrans("0123456789+-−()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁿ")
_SUBSCRIPT = str.maketrans("0123456789+-−()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₍₎")


class MarkdownText:
    """One structure representation for HTML and DOCX: `## heading`, `- item`, `| a | b |`, fenced code.

    Blocks are parted by a blank line, the items of one list by a line break. Text that only looks like a heading, a
    fence or a table row has a backslash before it (`markdown_escape`).
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._last_list = 0

    def heading(self, level: int, text: str) -> None:
        """A heading on one line; levels beyond 6 count as 6, an empty one is left out."""
        text = " ".join(text.split())
        if text:
            self._add(f"{'#' * max(1, min(level, 6))} {escaped_heading(text)}")

    def paragraph(self, text: str) -> None:
        """A paragraph; line breaks inside it stay."""
        lines = [line.strip() for line in text.split("\n")]
        text = "\n".join(line for line in lines if line)
        # A row of dashes under a line of text would turn that line into a heading.
        self._add(_UNDERLINE.sub("\n\n", escaped(text)))

    def item(self, text: str, depth: int, list_number: int, *, continued: bool = False) -> None:
        """A list item at `depth` 0, 1, …; `continued` is a further paragraph of the item above."""
        lines = escaped("\n".join(line.strip() for line in text.split("\n") if line.strip())).split("\n")
        if not lines[0]:
            return
        indent = "  " * min(depth, 8)
        first = f"{indent}  " if continued else f"{indent}- "
        text = "\n".join([first + lines[0], *(f"{indent}  {line}" for line in lines[1:])])
        self._add(text, list_number)

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """A table, one line a row; rows without any text are left out. A cell that fills its row is written once."""
        written = []
        for row in rows:
            cells = [_cell(text) for text in row]
            if any(cells):
                once = cells[:1] if len(set(cells)) == 1 else cells
                written.append(f"| {' | '.join(once)} |")
        self._add("\n".join(written))

    def code(self, text: str, language: str = "") -> None:
        """A fenced block, fenced by more backticks than it holds."""
        text = text.strip("\n").rstrip()
        if text.strip():
            fence = "`" * max([2, *(len(run) for run in _FENCE_RUN.findall(text))]) + "`"
            self._add(f"{fence}{language}\n{text}\n{fence}")

    def render(self) -> str:
        """The whole text."""
        return "".join(self._parts)

    def _add(self, block: str, list_number: int = 0) -> None:
        if not block.strip():
            return
        if self._parts:
            self._parts.append("\n" if list_number and list_number == self._last_list else "\n\n")
        self._parts.append(block)
        self._last_list = list_number


def raised(text: str, *, down: bool = False) -> str:
    """Superscript (or subscript) figures as their Unicode characters, so that 10<sup>6</sup> does not become 106.

    Text with anything else than figures and signs is returned as it is.
    """
    table = _SUBSCRIPT if down else _SUPERSCRIPT
    return text.translate(table) if text and all(ord(char) in table for char in text) else text


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
