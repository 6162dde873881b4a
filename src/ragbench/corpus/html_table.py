"""Tables of HTML pages: rows of data, or a layout made of cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbench.corpus.markdown_text import raised

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_INLINE = frozenset(
    [
        "-text",
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "cite",
        "code",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "mark",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
        "wbr",
    ]
)
_STRUCTURE = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "pre"))
_MAX_SPAN = 100
_LAYOUT_LENGTH = 2000


@dataclass(slots=True)
class Nesting:
    """What a table holds: text in characters, headings or code, and tables in tables (0, 1, 2 for more)."""

    length: int = 0
    structured: bool = False
    inner: int = 0


def nestings(events: Iterable[tuple[bool, LexborNode]]) -> dict[int, Nesting]:
    """The facts of every table by `mem_id`, from the enter and leave events of a page, in one pass."""
    found: dict[int, Nesting] = {}
    opened: list[Nesting] = []
    for entering, node in events:
        tag = node.tag
        if tag == "table":
            if entering:
                opened.append(found.setdefault(node.mem_id, Nesting()))
            else:
                closed = opened.pop()
                if opened:
                    _take_up(opened[-1], closed)
        elif entering and opened:
            opened[-1].structured |= tag in _STRUCTURE
            if tag in ("-text", "pre"):
                opened[-1].length += len(node.text_content or "")
    return found


def _take_up(outer: Nesting, closed: Nesting) -> None:
    outer.length += closed.length
    outer.structured |= closed.structured
    outer.inner = max(outer.inner, min(closed.inner + 1, 2))


def table_rows(table: LexborNode, nesting: Nesting) -> list[list[str]] | None:
    """The rows' cell texts, a spanning cell repeated in each place it covers; None for a table that is mere layout.

    Layout is: `role=presentation`, headings or code inside, tables within tables within it, one cell only, or a
    long text with a table inside. An inner table of a data table is flattened into its cell.
    """
    if table.attributes.get("role") in ("presentation", "none") or nesting.structured:
        return None
    if nesting.inner > 1 or (nesting.inner and nesting.length > _LAYOUT_LENGTH):
        return None
    rows = _rows(table)
    return rows if sum(map(len, rows)) > 1 else None


def caption(table: LexborNode) -> str:
    """The text of the table's own caption, or an empty string."""
    return next((_text(child) for child in _children(table) if child.tag == "caption"), "")


def _rows(table: LexborNode) -> list[list[str]]:
    rows: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}
    for row in _own(table, "tr"):
        cells: list[str] = []
        for cell in _children(row):
            if cell.tag not in ("td", "th"):
                continue
            _take_hanging(hanging, cells)
            text = _text(cell)
            below = _span(cell, "rowspan") - 1
            for _ in range(_span(cell, "colspan")):
                if below:
                    hanging[len(cells)] = (below, text)
                cells.append(text)
        _take_hanging(hanging, cells)
        rows.append(cells)
    return rows


def _take_hanging(hanging: dict[int, tuple[int, str]], cells: list[str]) -> None:
    """Put the cells that reach down from rows above into this row's next columns."""
    while len(cells) in hanging:
        left, text = hanging.pop(len(cells))
        if left > 1:
            hanging[len(cells)] = (left - 1, text)
        cells.append(text)


def _own(table: LexborNode, tag: str) -> Iterator[LexborNode]:
    for child in _children(table):
        if child.tag == tag:
            yield child
        elif child.tag in ("tbody", "thead", "tfoot"):
            yield from (node for node in _children(child) if node.tag == tag)


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def _span(cell: LexborNode, name: str) -> int:
    value = (cell.attributes.get(name) or "1").strip()
    return max(1, min(int(value), _MAX_SPAN)) if value.isascii() and value.isdigit() else 1


def _text(cell: LexborNode) -> str:
    pieces: list[str] = []
    for node in cell.traverse(include_text=True):
        if node.tag == "-text":
            parent = node.parent.tag if node.parent is not None else ""
            text = node.text_content or ""
            pieces.append(raised(text, down=parent == "sub") if parent in ("sup", "sub") else text)
        elif node.tag not in _INLINE:
            pieces.append(" ")
    return " ".join("".join(pieces).split())
