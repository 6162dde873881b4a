"""Reading the XML of Word files: text of a paragraph, styles, rows of a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ragbench.corpus.markdown_text import raised
from ragbench.corpus.xml_entities import is_entity, unexpanded

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
VAL = f"{W}val"
_HEADING_NAME = re.compile(r"(?:heading|标题)\s*([1-9])", re.IGNORECASE)
# Deleted text, properties, ruby above a word, and text boxes (which are blocks of their own); the fallback repeats what
# the choice says.
_SKIPPED = frozenset((f"{W}del", f"{W}pPr", f"{W}rPr", f"{W}moveFrom", f"{W}rt", f"{W}txbxContent", _FALLBACK))
_SIGNS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_MAX_SPAN = 100
# Where a page ends: by the author's hand, and where Word last set one. Neither sign can stand in XML text.
PAGE_BREAK, RENDERED_BREAK = "\f", "\v"


@dataclass(frozen=True, slots=True)
class ParagraphKind:
    """`level` 1–6 for a heading (0 for none), `depth` 0–8 in the list with the id `number` (-1 for none)."""

    level: int = 0
    depth: int = -1
    title: bool = False
    number: str = ""
    style: str = ""


def paragraph_text(element: Any) -> str:
    """Text of a paragraph with hyperlinks, content controls and insertions; deletions and text boxes are left out.

    A page break is `PAGE_BREAK`, a place where Word last turned the page `RENDERED_BREAK`.
    """
    return "".join(_pieces(element, ""))


def _pieces(element: Any, vertical: str) -> Iterator[str]:
    for child in element:
        tag = child.tag
        if tag in (f"{W}t", _MATH_TEXT):
            text = _words(child)
            yield raised(text, down=vertical == "subscript") if vertical in ("superscript", "subscript") else text
        elif tag in _SIGNS:
            yield PAGE_BREAK if child.get(f"{W}type") == "page" else _SIGNS[tag]
        elif tag == f"{W}lastRenderedPageBreak":
            yield RENDERED_BREAK
        elif tag == f"{W}r":
            found = child.find(f"{W}rPr/{W}vertAlign")
            yield from _pieces(child, found.get(VAL, "") if found is not None else "")
        elif tag not in _SKIPPED:
            yield from _pieces(child, vertical)


def _words(element: Any) -> str:
    """The text with entities that the file defines as they are written, and what stands behind them."""
    behind = (f"{child.text if is_entity(child) else ''}{child.tail or ''}" for child in element)
    return "".join([element.text or "", *behind])


def not_read(body: Any) -> Iterator[str]:
    """What else there is in the body: whole files put into it, and entities, which are not expanded."""
    chunks = sum(1 for _ in body.iter(f"{W}altChunk"))
    if chunks:
        yield f"{chunks} embedded file{'s' * (chunks > 1)} (altChunk) not read: open it in Word and save it"
    entities = unexpanded(body)
    if entities:
        yield entities


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
    kind, seen, current = ParagraphKind(style=style_id), set(), by_id.get(style_id)
    while current is not None and current not in seen:
        seen.add(current)
        name_element = current.find(f"{W}name")
        name = ((name_element.get(VAL) or "") if name_element is not None else "").strip()
        properties = current.find(f"{W}pPr")
        if not kind.level:
            level, named = _outline_level(properties), _HEADING_NAME.fullmatch(name)
            if name.lower() in ("title", "标题"):
                kind = replace(kind, level=1, title=True)
            elif level or named:
                kind = replace(kind, level=min(level or int(named[1] if named else 1), 6))
        if kind.depth < 0:
            kind = replace(kind, depth=_list_depth(properties))
        kind = replace(kind, number=kind.number or _number_id(properties))
        parent = current.find(f"{W}basedOn")
        current = by_id.get(parent.get(VAL)) if parent is not None else None
    return kind


def paragraph_kind(element: Any, styles: dict[str, ParagraphKind]) -> ParagraphKind:
    """Heading, list item or plain paragraph, by its own properties first and its style second."""
    properties = element.find(f"{W}pPr")
    if properties is None:
        return ParagraphKind()
    style = properties.find(f"{W}pStyle")
    kind = styles.get(style.get(VAL, ""), ParagraphKind()) if style is not None else ParagraphKind()
    level = min(_outline_level(properties) or kind.level, 6)
    number = _number_id(properties) or kind.number
    if number == "0":  # a paragraph that is taken out of its style's list
        return ParagraphKind(level=level, title=kind.title)
    return replace(kind, level=level, depth=max(_list_depth(properties), kind.depth), number=number)


def breaks_before(element: Any) -> bool:
    """Whether a paragraph asks for a new page by its own properties."""
    asked = element.find(f"{W}pPr/{W}pageBreakBefore")
    return asked is not None and asked.get(VAL, "true") not in ("0", "false", "off")


def breaks_after(element: Any) -> bool:
    """Whether a section that begins on a new page follows the paragraph."""
    section = element.find(f"{W}pPr/{W}sectPr")
    kind = section.find(f"{W}type") if section is not None else None
    return section is not None and (kind is None or kind.get(VAL) != "continuous")


def _outline_level(properties: Any) -> int:
    found = properties.find(f"{W}outlineLvl") if properties is not None else None
    level = _number(found)
    return level + 1 if found is not None and 0 <= level <= 8 else 0


def _list_depth(properties: Any) -> int:
    numbering = properties.find(f"{W}numPr") if properties is not None else None
    return -1 if numbering is None else min(_number(numbering.find(f"{W}ilvl")), 8)


def _number_id(properties: Any) -> str:
    found = properties.find(f"{W}numPr/{W}numId") if properties is not None else None
    return str(found.get(VAL, "")) if found is not None else ""


def _number(element: Any) -> int:
    value = element.get(VAL, "0") if element is not None else "0"
    return int(value) if value.isascii() and value.isdigit() else 0


def table_cells(table: Any) -> list[list[Any]]:
    """Cell elements by row.

    A cell that spans rows is repeated in each, because a row is read alone; one that spans columns stands in its first
    and leaves None in the others.
    """
    rows: list[list[Any]] = []
    above: list[Any] = []
    for row in _children(table, f"{W}tr"):
        cells: list[Any] = [None] * min(_number(row.find(f"{W}trPr/{W}gridBefore")), _MAX_SPAN)
        for cell in _children(row, f"{W}tc"):
            properties = cell.find(f"{W}tcPr")
            merge = properties.find(f"{W}vMerge") if properties is not None else None
            span = properties.find(f"{W}gridSpan") if properties is not None else None
            continues = merge is not None and merge.get(VAL, "continue") == "continue"
            shown = above[len(cells)] if continues and len(cells) < len(above) else cell
            cells += [shown, *[None] * (max(1, min(_number(span), _MAX_SPAN)) - 1)]
        rows.append(cells)
        above = cells
    return rows


def cell_paragraphs(cell: Any) -> Iterator[Any]:
    """Every paragraph of a cell, those of inner tables and text boxes included, each once."""
    for child in cell:
        if child.tag == f"{W}p":
            yield child
            for box in text_boxes(child):
                yield from cell_paragraphs(box)
        elif child.tag != _FALLBACK:
            yield from cell_paragraphs(child)


def _children(element: Any, tag: str) -> Iterator[Any]:
    """Children with the tag, also those wrapped in content controls."""
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins"):
            yield from _children(child, tag)
