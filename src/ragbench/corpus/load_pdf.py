"""PDF files with a text layer."""

from __future__ import annotations

import io
import logging
import re
from typing import Any

from ragbench.corpus.parsed import Parsed
from ragbench.corpus.running_lines import without_running_lines
from ragbench.errors import DataError

_JUNK_TITLE = re.compile(
    r"untitled|\(?anonymous\)?|microsoft word.*|.*\.(?:docx?|indd|pdf|tex|dvi|ps|xlsx?)|\W*", re.IGNORECASE
)


def load_pdf(data: bytes) -> Parsed:
    """Text lines of each page as pypdf extracts them, without running headers, footers and page numbers.

    Pages without text are listed in `metadata["pages_without_text"]`.

    Raises:
        DataError: empty, broken or encrypted file, or no text on any page (a scan).
    """
    reader = _open(data)
    pages, failed = [], []
    for number in range(1, len(reader.pages) + 1):
        try:
            pages.append(reader.pages[number - 1].extract_text() or "")
        except Exception as error:  # pypdf raises many kinds for a broken page; the other pages still count
            pages.append("")
            failed.append(f"page {number}: {type(error).__name__}")
    if not any(text.strip() for text in pages):
        found = f"no text layer on {len(pages)} page{'s' * (len(pages) != 1)}"
        raise DataError(
            "PDF",
            expected="text",
            found=f"{found} ({failed[0]})" if failed else found,
            hint="A scan needs OCR first.",
        )
    metadata: dict[str, Any] = {"n_pages": len(pages)}
    without = [number for number, text in enumerate(pages, 1) if not text.strip()]
    if without:
        metadata["pages_without_text"] = without
    parts = tuple((text, number) for number, text in enumerate(without_running_lines(pages), 1))
    return Parsed(parts, "pdf", title=_title(reader), metadata=metadata)


def _open(data: bytes) -> Any:
    import pypdf

    if not data:
        raise DataError("PDF", expected="a PDF file", found="an empty file")
    # pypdf logs a line for each oddity of a file; what matters here is the text or an error.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
    except Exception as error:  # pypdf raises many kinds for a broken file
        raise DataError("PDF", expected="a PDF file", found=f"{type(error).__name__}: {str(error)[:120]}") from error
    if locked:
        raise DataError("PDF", expected="a readable file", found="it needs a password", hint="Save it without one.")
    try:
        n_pages = len(reader.pages)
    except Exception as error:  # the page tree is read here for the first time
        raise DataError("PDF", expected="pages", found=f"{type(error).__name__}: {str(error)[:120]}") from error
    if not n_pages:
        raise DataError("PDF", expected="pages", found="none")
    return reader


def _title(reader: Any) -> str:
    try:
        title = str(reader.metadata.title or "") if reader.metadata else ""
    except Exception:  # a broken information dictionary is no reason to lose the text
        return ""
    title = " ".join(title.split())
    return "" if _JUNK_TITLE.fullmatch(title) else title
