"""Word files as Markdown-like text."""

from __future__ import annotations

from typing import Any

from ragbench.corpus.docx_numbering import Numbering
from ragbench.corpus.docx_package import Package, open_package
from ragbench.corpus.docx_xml import (
    PAGE_BREAK,
    RENDERED_BREAK,
    ParagraphKind,
    W,
    breaks_after,
    breaks_before,
    cell_paragraphs,
    not_read,
    paragraph_kind,
    paragraph_text,
    style_kinds,
    table_cells,
    text_boxes,
)
from ragbench.corpus.markdown_text import MarkdownText
from ragbench.corpus.parsed import Parsed

_WRAPPERS = frozenset((f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins", f"{W}moveTo"))
_CLOSED = "、，。：；）】》"


def load_docx(data: bytes) -> Parsed:
    """Headings (by style or outline level), lists, tables and text boxes in their places.

    Numbers that Word generates stand in front of headings, clauses (第一条, Article 1: as paragraphs) and items of
    several levels (`- 2.1. …`); the items of a list numbered 1, 2, 3 are `- …` like others. Where the file has page
    breaks, or Word noted where it turned the page, a block belongs to the page it begins on. Page headers and footers,
    comments, footnotes and deleted text are not part of the text; whole files put into it (altChunk) are not read, with
    a warning. The title is the first paragraph of style Title, else the first heading of level 1, else the file's
    property.

    Raises:
        DataError: not a readable Word file.
    """
    package = open_package(data)
    reader = _Reader(package)
    reader.blocks(package.body)
    metadata = {"variant": "strict"} if package.strict else {}
    return Parsed(
        reader.parts(),
        "docx",
        title=reader.title or package.title,
        metadata=metadata,
        structured=True,
        joint="\n\n",
        warnings=tuple(not_read(package.body)),
    )


class _Reader:
    """Walks the body and writes blocks, page by page."""

    def __init__(self, package: Package) -> None:
        self.title = ""
        self._titled = False
        self._styles: dict[str, ParagraphKind] = style_kinds(package.styles) if package.styles is not None else {}
        self._numbering = Numbering(package.numbering)
        self._list = 0
        self._in_list = False
        self._page = 1
        self._turned = True
        self._pages: list[tuple[int, MarkdownText]] = [(1, MarkdownText())]

    def parts(self) -> tuple[tuple[str, int | None], ...]:
        """The text of each page; one part without a number where the file says nothing of pages."""
        paged = self._page > 1
        return tuple((out.render(), page if paged else None) for page, out in self._pages)

    def blocks(self, container: Any) -> None:
        """Write what a body, a cell or a text box holds."""
        for child in container:
            if child.tag == f"{W}p":
                self._paragraph(child)
            elif child.tag == f"{W}tbl":
                self._table(child)
            elif child.tag in _WRAPPERS:
                self.blocks(child)

    def _out(self) -> MarkdownText:
        if self._pages[-1][0] != self._page:
            self._pages.append((self._page, MarkdownText()))
        self._turned = False
        return self._pages[-1][1]

    def _turn(self, *, by_hand: bool) -> None:
        """Begin a page; where Word noted a turn that was also made by hand, it counts once."""
        if by_hand or not self._turned:
            self._page += 1
        self._turned = True

    def _paragraph(self, element: Any) -> None:
        if breaks_before(element):
            self._turn(by_hand=not self._turned)
        kind, number = self._kind(element)
        raw = paragraph_text(element)
        first, *others = raw.split(PAGE_BREAK)
        if RENDERED_BREAK in first and not first.partition(RENDERED_BREAK)[0].strip():
            self._turn(by_hand=False)
            first = first.replace(RENDERED_BREAK, "", 1)
        self._write(kind, number, first)
        for piece in others:
            self._turn(by_hand=True)
            self._write(ParagraphKind(), "", piece.lstrip(RENDERED_BREAK))
        for box in text_boxes(element):
            self.blocks(box)
        if breaks_after(element):
            self._turn(by_hand=True)

    def _write(self, kind: ParagraphKind, number: str, raw: str) -> None:
        """One block; page turns within it count for the next."""
        text = raw.replace(RENDERED_BREAK, "")
        if text.strip():
            self._block(kind, number, text)
        for _ in range(raw.count(RENDERED_BREAK)):
            self._turn(by_hand=False)
            self._turned = False
        self._in_list = self._is_item(kind, number) or (self._in_list and not text.strip())

    def _block(self, kind: ParagraphKind, number: str, text: str) -> None:
        if kind.level:
            self._name(kind, " ".join(text.split()))
            self._out().heading(kind.level, _numbered(number, text))
        elif self._is_item(kind, number):
            self._list += not self._in_list
            plain = self._numbering.is_plain(kind.number, kind.depth)
            self._out().item(text if plain else _numbered(number, text), kind.depth, self._list)
        else:
            self._out().paragraph(_numbered(number, text))

    def _is_item(self, kind: ParagraphKind, number: str) -> bool:
        worded = bool(number) and self._numbering.is_worded(kind.number, kind.depth)
        return kind.depth >= 0 and not kind.level and not worded

    def _kind(self, element: Any) -> tuple[ParagraphKind, str]:
        """What a paragraph is, and the number Word gives it."""
        kind = paragraph_kind(element, self._styles)
        if not kind.number:
            return kind, ""
        linked = self._numbering.depth_of(kind.number, kind.style)
        return kind, self._numbering.next(kind.number, linked if linked else max(kind.depth, 0))

    def _name(self, kind: ParagraphKind, text: str) -> None:
        """Style Title wins over a heading of level 1; the first of a kind counts."""
        if kind.title and not self._titled:
            self.title, self._titled = text, True
        elif kind.level == 1 and not self.title:
            self.title = text

    def _table(self, element: Any) -> None:
        self._in_list = False
        rows = table_cells(element)
        cells = [cell for row in rows for cell in row if cell is not None]
        if len(cells) == 1:
            self.blocks(cells[0])
            return
        written: dict[Any, str] = {}
        shown = [[self._cell(cell, written) for cell in row] for row in rows]
        self._out().table([row[:1] if not any(row[1:]) and None in given else row for row, given in zip(shown, rows)])

    def _cell(self, cell: Any, written: dict[Any, str]) -> str:
        """The text of a cell; one that spans rows is read once, so that its numbers are counted once."""
        if cell is None:
            return ""
        if cell not in written:
            paragraphs = []
            for paragraph in cell_paragraphs(cell):
                kind, number = self._kind(paragraph)
                plain = self._numbering.is_plain(kind.number, max(kind.depth, 0))
                paragraphs.append(_numbered("" if plain else number, paragraph_text(paragraph)))
            written[cell] = " ".join(paragraphs).replace(RENDERED_BREAK, "").replace(PAGE_BREAK, " ")
        return written[cell]


def _numbered(number: str, text: str) -> str:
    if not number or not text.strip():
        return text
    return f"{number}{'' if number[-1] in _CLOSED else ' '}{text.lstrip()}"
