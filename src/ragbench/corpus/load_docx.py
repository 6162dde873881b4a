"""Word files as Markdown-like text."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from ragbench.corpus.docx_xml import (
    ParagraphKind,
    W,
    paragraph_kind,
    paragraph_text,
    style_kinds,
    table_cells,
    text_boxes,
)
from ragbench.corpus.markdown_text import MarkdownText
from ragbench.corpus.parsed import Parsed, whole
from ragbench.errors import DataError

_MAX_UNPACKED = 300_000_000


def load_docx(data: bytes) -> Parsed:
    """Headings (by style or outline level), lists, tables and text boxes in their places.

    Page headers and footers, comments, footnotes and deleted text are not part of the text; numbers that Word
    generates are not in the file. The title is the first paragraph of style Title, else the first heading of
    level 1, else the file's property.

    Raises:
        DataError: not a readable Word file.
    """
    document = _open(data)
    reader = _Reader(style_kinds(document.styles.element))
    reader.blocks(document.element.body)
    title = reader.title or (document.core_properties.title or "").strip()
    return whole(reader.out.render(), "docx", title=title, structured=True)


def _open(data: bytes) -> Any:
    import docx

    expected = "a Word file (.docx)"
    if not data:
        raise DataError("DOCX", expected=expected, found="an empty file")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(member.file_size for member in archive.infolist()) > _MAX_UNPACKED:
                raise DataError("DOCX", expected="at most 300 MB unpacked", found="more")
            if b"purl.oclc.org/ooxml" in archive.read("_rels/.rels"):
                raise DataError(
                    "DOCX",
                    expected=expected,
                    found="the Strict Open XML variant",
                    hint="Save it as an ordinary Word document.",
                )
        return docx.Document(io.BytesIO(data))
    except DataError:
        raise
    except Exception as error:  # zipfile, lxml and python-docx raise a dozen kinds for a broken file
        found = "a legacy or encrypted Office file" if data.startswith(b"\xd0\xcf\x11\xe0") else _reason(error)
        raise DataError("DOCX", expected=expected, found=found) from error


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:120]}"


class _Reader:
    """Walks the body and writes blocks."""

    def __init__(self, styles: dict[str, ParagraphKind]) -> None:
        self.out = MarkdownText()
        self.title = ""
        self._titled = False
        self._styles = styles
        self._list = 0
        self._in_list = False

    def blocks(self, container: Any) -> None:
        for child in container:
            if child.tag == f"{W}p":
                self._paragraph(child)
            elif child.tag == f"{W}tbl":
                self._table(child)
            elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins", f"{W}moveTo"):
                self.blocks(child)

    def _paragraph(self, element: Any) -> None:
        kind = paragraph_kind(element, self._styles)
        text = paragraph_text(element)
        if kind.level and text.strip():
            self._name(kind, " ".join(text.split()))
            self.out.heading(kind.level, text)
        elif kind.depth >= 0:
            self._list += not self._in_list
            self.out.item(text, kind.depth, self._list)
        else:
            self.out.paragraph(text)
        self._in_list = kind.depth >= 0 or (self._in_list and not text.strip())
        for box in text_boxes(element):
            self.blocks(box)

    def _name(self, kind: ParagraphKind, text: str) -> None:
        """Style Title wins over a heading of level 1; the first of a kind counts."""
        if kind.title and not self._titled:
            self.title, self._titled = text, True
        elif kind.level == 1 and not self.title:
            self.title = text

    def _table(self, element: Any) -> None:
        self._in_list = False
        rows = table_cells(element)
        if sum(map(len, rows)) == 1:
            self.blocks(rows[0][0] if rows[0] else rows[-1][0])
            return
        self.out.table([[_cell_text(cell) for cell in row] for row in rows])


def _cell_text(cell: Any) -> str:
    return " ".join(paragraph_text(paragraph) for paragraph in cell.iter(f"{W}p"))
