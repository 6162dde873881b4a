"""Text of PDF pages from two libraries: pypdf keeps what was typed, pdfium sees what is drawn."""

from __future__ import annotations

import io
import logging
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ragbench.corpus.pdf_content import MAX_CONTENT, MAX_TEXT, content_size
from ragbench.errors import DataError

# pdfium keeps global state and must not be entered by two threads at once.
_PDFIUM = threading.Lock()
# What pdfium writes in place of a hyphen at the end of a line, and the line break with it.
_HYPHEN_BREAKS = ("\ufffe", "\x02")
_PASSWORD = 4
_TOO_LARGE = f"content of more than {MAX_CONTENT} bytes, or too much text before it,"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Read:
    """`pages` in order, empty where one could not be read; `failed` says which and why. `title` is the file's own.

    `too_large` are the numbers of pages that draw more than `pdf_content.MAX_CONTENT`.
    """

    pages: tuple[str, ...]
    failed: tuple[str, ...] = ()
    title: str = ""
    n_attached: int = 0
    too_large: frozenset[int] = frozenset()


def read_pypdf(data: bytes) -> Read:
    """Pages as pypdf sees them.

    Raises:
        DataError: broken or encrypted file, or one without pages.
    """
    import pypdf

    # pypdf logs a line for each oddity of a file; what matters here is the text or an error.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
        n_pages = 0 if locked else len(reader.pages)
    except Exception as error:  # pypdf raises many kinds for a broken file
        raise DataError("PDF", expected="a PDF file", found=f"{type(error).__name__}: {str(error)[:120]}") from error
    if locked:
        raise needs_password()
    if not n_pages:
        raise DataError("PDF", expected="pages", found="none")
    pages: list[str] = []
    failed: list[str] = []
    too_large: list[int] = []
    left = MAX_TEXT
    for number in range(1, n_pages + 1):
        text = ""
        try:
            page = reader.pages[number - 1]
            if left < 0 or content_size(page) > MAX_CONTENT:
                too_large.append(number)
                failed.append(f"page {number}: {_TOO_LARGE}")
            else:
                text = page.extract_text() or ""
        except Exception as error:  # the other pages of a file with a broken one still count
            failed.append(f"page {number}: {type(error).__name__}")
        left -= len(text)
        pages.append(text)
    return Read(tuple(pages), tuple(failed), _title(reader), too_large=frozenset(too_large))


def check_pdfium(data: bytes) -> int:
    """The number of pages that pdfium finds, none of which is read; the same errors as `read_pdfium`."""
    return _with_pdfium(data, lambda document, _: len(document))


def read_pdfium(data: bytes, too_large: Collection[int] = ()) -> Read:
    """Pages as pdfium sees them, but for those that are `too_large`.

    Raises:
        DataError: broken or encrypted file, or one without pages.
    """
    return _with_pdfium(data, lambda document, fault: _pdfium_pages(document, fault, too_large))


def _with_pdfium(data: bytes, use: Callable[[Any, type[Exception]], _T]) -> _T:
    import pypdfium2  # type: ignore[import-untyped]

    with _PDFIUM:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            if getattr(error, "err_code", None) == _PASSWORD or "password" in str(error):
                raise needs_password() from error
            raise DataError("PDF", expected="a PDF file", found=str(error)[:120]) from error
        try:
            if not len(document):
                raise DataError("PDF", expected="pages", found="none")
            return use(document, pypdfium2.PdfiumError)
        finally:
            document.close()


def _pdfium_pages(document: Any, fault: type[Exception], too_large: Collection[int]) -> Read:
    pages, failed = [], []
    left = MAX_TEXT
    for number in range(1, len(document) + 1):
        if number in too_large or left < 0:
            pages.append("")
            failed.append(f"page {number}: {_TOO_LARGE}")
            continue
        try:
            page = document[number - 1]
            text = page.get_textpage()
            pages.append(_plain(text.get_text_range()))
            left -= len(pages[-1])
            text.close()
            page.close()
        except fault as error:
            pages.append("")
            failed.append(f"page {number}: {str(error)[:60]}")
    return Read(tuple(pages), tuple(failed), n_attached=document.count_attachments())


def _plain(text: str) -> str:
    for sign in _HYPHEN_BREAKS:
        text = text.replace(sign, "-\n")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def needs_password() -> DataError:
    """The reason of an encrypted file."""
    return DataError("PDF", expected="a readable file", found="it needs a password", hint="Save it without one.")


def _title(reader: Any) -> str:
    try:
        title = str(reader.metadata.title or "") if reader.metadata else ""
    except Exception:  # a broken information dictionary is no reason to lose the text
        return ""
    return " ".join(title.split())


def page_list(numbers: Sequence[int]) -> str:
    """`page 3`, `pages 1, 2, 5`, `pages 1, 2, 3 and 40 more`."""
    shown = ", ".join(map(str, numbers[:10]))
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return f"page{'s' * (len(numbers) > 1)} {shown}{more}"
