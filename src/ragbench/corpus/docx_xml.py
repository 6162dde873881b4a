"""Reading the XML of Word files: text of a paragraph, styles, rows of a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ragbench.corpus.markdown_text import raised

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_VAL = f"{W}val"
_HEADING_NAME = re.compile(r"(?:heading|标题)\s*([1-9])", re.IGNORECASE)
# Deleted text, properties and text boxes (which are blocks of their own); the fallback repeats what the choice says.
_SKIPPED = frozenset((f"{W}del", f"{W}pPr", f"{W}rPr", f"{W}moveFrom", f"{W}txbxContent", _FALLBACK))
_SIGNS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}


@dataclass(frozen=True, slots=True)
class ParagraphKind:
    """`level` 1–6 for a heading (0 for none), `depth` 0–8 for a list item (-1 for none)."""

    level: int = 0
    depth: int = -1
    title: bool = False


def paragraph_text(element: Any) -> str:
    """Text of a paragraph with hyperlinks, content controls and insertions; deletions and text boxes are left out."""
    return "".join(_pieces(element, ""))


def _pieces(element: Any, vertical: str) -> Iterator[str]:
    for child in element:
        tag = child.tag
        if tag in (f"{W}t", _MATH_TEXT):
            text = child.text or ""
            yield raised(text, down=vertical == "subscript") if vertical in ("superscript", "subscript") else text
        elif tag in _SIGNS:
            yield _SIGNS[tag]
        elif tag == f"{W}r":
            found = child.find(f"{W}rPr/{W}vertAlign")
            yield from _pieces(child, found.get(_VAL, "") if found is not None else "")
        elif tag not in _SKIPPED:
            yield from _pieces(child, vertical)


def text_boxes(element: Any) -> Iterator[Any]:
    """The outermost text boxes of a paragraph, each once although files hold them twice."""
    for child in element:
        if child.tag == f"{W}txbxContent":
            yield child
        elif child.tag != _FALLBACK:
            yield from text_boxes(child)


def style_kinds(styles: Any) -> dict[str, ParagraphKind]:
    """What each paragraph style makes of a paragraph, by style id, inherited along `basedOn`."""
    by_id = {style.get(f"{W}styleId"): style for style in styles.iter(f"{W}style") if style.get(f"{W}styleId")}
    return {style_id: _style_kind(style_id, by_id) for style_id in by_id}


def _style_kind(style_id: str, by_id: dict[str, Any]) -> ParagraphKind:
    depth, seen, current = -1, set(), by_id.get(style_id)
    while current is not None and current not in seen:
        seen.add(current)
        name_element = current.find(f"{W}name")
        name = (name_element.get(_VAL) or "") if name_element is not None else ""
        if name.strip().lower() in ("title", "标题"):
            return ParagraphKind(level=1, title=True)
        properties = current.find(f"{W}pPr")
        level = _outline_level(properties)
        named = _HEADING_NAME.fullmatch(name.strip())
        if level or named:
            return ParagraphKind(level=min(level or int(named[1] if named else 1), 6))
        depth = max(depth, _list_depth(properties))
        parent = current.find(f"{W}basedOn")
        current = by_id.get(parent.get(_VAL)) if parent is not None else None
    return ParagraphKind(depth=depth)


def paragraph_kind(element: Any, styles: dict[str, ParagraphKind]) -> ParagraphKind:
    """Heading, list item or plain paragraph, by its own properties first and its style second."""
    properties = element.find(f"{W}pPr")
    if properties is None:
        return ParagraphKind()
    style = properties.find(f"{W}pStyle")
    kind = styles.get(style.get(_VAL, ""), ParagraphKind()) if style is not None else ParagraphKind()
    level = _outline_level(properties)
    if level or kind.level:
        return ParagraphKind(level=min(level or kind.level, 6), title=kind.title)
    number = properties.find(f"{W}numPr/{W}numId")
    if number is not None and number.get(_VAL) == "0":
        return ParagraphKind()
    return ParagraphKind(depth=max(_list_depth(properties), kind.depth))


def _outline_level(properties: Any) -> int:
    found = properties.find(f"{W}outlineLvl") if properties is not None else None
    level = _number(found)
    return level + 1 if found is not None and 0 <= level <= 8 else 0


def _list_depth(properties: Any) -> int:
    numbering = properties.find(f"{W}numPr") if properties is not None else None
    return -1 if numbering is None else min(_number(numbering.find(f"{W}ilvl")), 8)


def _number(element: Any) -> int:
    value = element.get(_VAL, "0") if element is not None else "0"
    return int(value) if value.isascii() and value.isdigit() else 0


def table_cells(table: Any) -> list[list[Any]]:
    """Cell elements by row; a cell that spans columns or rows is repeated in each place it covers."""
    rows: list[list[Any]] = []
    above: list[Any] = []
    for row in _children(table, f"{W}tr"):
        cells: list[Any] = []
        for cell in _children(row, f"{W}tc"):
            properties = cell.find(f"{W}tcPr")
            merge = properties.find(f"{W}vMerge") if properties is not None else None
            span = properties.find(f"{W}gridSpan") if properties is not None else None
            continues = merge is not None and merge.get(_VAL, "continue") == "continue"
            shown = above[len(cells)] if continues and len(cells) < len(above) else cell
            cells += [shown] * max(1, min(_number(span), 100))
        rows.append(cells)
        above = cells
    return rows


def _children(element: Any, tag: str) -> Iterator[Any]:
    """Children with the tag, also those wrapped in content controls."""
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins"):
            yield from _children(child, tag)
