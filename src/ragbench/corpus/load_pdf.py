"""PDF files with a text layer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ragbench.corpus.hyphens import join_divided
from ragbench.corpus.line_numbers import without_line_numbers
from ragbench.corpus.page_text import Reading, agreement, better, reading
from ragbench.corpus.parsed import Parsed, first_warnings
from ragbench.corpus.pdf_content import MAX_CONTENT, largest_stream
from ragbench.corpus.pdf_readers import Read, check_pdfium, page_list, read_pdfium, read_pypdf
from ragbench.corpus.running_lines import without_running_lines
from ragbench.errors import DataError

_JUNK_TITLE = re.compile(
    r"untitled|\(?anonymous\)?|microsoft word.*|.*\.(?:docx?|indd|pdf|tex|dvi|ps|xlsx?)|\W*", re.IGNORECASE
)
_MAX_WRONG = 0.05
_LITTLE = 50
_DISAGREE = 0.8
_MOST_TOLD = 20


def load_pdf(data: bytes) -> Parsed:
    """Text lines of each page, without page numbers, line numbers and all but the first of running headers and footers.

    Each page is read by pypdf and by pdfium; pypdf's text is taken, which keeps blanks and columns as typed, unless
    pdfium's is the sounder one (`page_text.better`). Words divided at a line end are put together; other line breaks
    stay, because a line of a table and of a paragraph cannot be told apart. Running lines that went are listed in
    `metadata["running_lines"]`, pages without text in `metadata["pages_without_text"]`, pages that pdfium gave in
    `metadata["pages_by_pdfium"]`. Warnings tell pages that failed, that draw more than `pdf_content.MAX_CONTENT`, that
    look wrong, or that the two libraries read differently, and files with next to no text.

    Raises:
        DataError: empty, broken or encrypted file, or no text on any page (a scan).
    """
    if not data:
        raise DataError("PDF", expected="a PDF file", found="an empty file")
    typed, drawn, warnings = _both(data)
    if not any(page.strip() for read in (typed, drawn) for page in read.pages):
        raise _no_text(typed)
    peeled = [without_running_lines(read.pages) for read in (typed, drawn)]
    pairs = [(without_line_numbers(one), without_line_numbers(other)) for one, other in zip(*(x.pages for x in peeled))]
    readings = [better(*pair) for pair in pairs]
    warnings += _warnings(readings, pairs, typed, drawn)
    told: dict[str, list[Any]] = {
        "running_lines": list((peeled[0].removed or peeled[1].removed)[:_MOST_TOLD]),
        "pages_without_text": [number for number, found in enumerate(readings, 1) if not found.squeezed],
        "pages_by_pdfium": [n for n, (found, (text, _)) in enumerate(zip(readings, pairs), 1) if found.text != text],
    }
    metadata: dict[str, Any] = {"n_pages": len(readings)} | {name: found for name, found in told.items() if found}
    parts = tuple((text, number) for number, text in enumerate(join_divided([found.text for found in readings]), 1))
    title = "" if _JUNK_TITLE.fullmatch(typed.title) else typed.title
    return Parsed(parts, "pdf", title=title, metadata=metadata, warnings=first_warnings(warnings))


def _both(data: bytes) -> tuple[Read, Read, list[str]]:
    """What each library read, as many pages of both.

    A file that pdfium cannot open is given up: pypdf takes minutes to look for objects in megabytes of rubbish. One
    that pypdf cannot open is pdfium's alone.
    """
    n_pages = check_pdfium(data)
    try:
        typed = read_pypdf(data)
    except DataError as error:
        if largest_stream(data) > MAX_CONTENT:
            found = f"a damaged file with a stream of more than {MAX_CONTENT} bytes"
            raise DataError("PDF", expected="pages of text", found=found) from error
        drawn = read_pdfium(data)
        alone = [f"damaged file, read by pdfium alone: pypdf found {error.found}"]
        return Read(("",) * len(drawn.pages)), drawn, alone
    # Which page is meant is not known where the two libraries do not count the same.
    too_large = typed.too_large if len(typed.pages) == n_pages or not typed.too_large else range(1, n_pages + 1)
    drawn = read_pdfium(data, too_large)
    n_pages = max(len(typed.pages), len(drawn.pages))
    warnings = []
    if len(typed.pages) != len(drawn.pages):
        warnings.append(f"pypdf counts {len(typed.pages)} pages, pdfium {len(drawn.pages)}")
    return _padded(typed, n_pages), _padded(drawn, n_pages), warnings


def _padded(read: Read, n_pages: int) -> Read:
    return replace(read, pages=read.pages + ("",) * (n_pages - len(read.pages)))


def _no_text(typed: Read) -> DataError:
    n_pages = len(typed.pages)
    if typed.too_large:
        expected, hint = f"pages that draw at most {MAX_CONTENT} bytes", "Print it to PDF again, or split it."
        return DataError("PDF", expected=expected, found=f"more, on {page_list(sorted(typed.too_large))}", hint=hint)
    found = f"no text layer on {n_pages} page{'s' * (n_pages != 1)}"
    if typed.failed:
        found = f"{found} ({typed.failed[0]})"
    return DataError("PDF", expected="text", found=found, hint="A scan needs OCR first.")


def _warnings(readings: Sequence[Reading], pairs: Sequence[tuple[str, str]], typed: Read, drawn: Read) -> Iterator[str]:
    letters = sum(len(found.squeezed) for found in readings)
    if letters < _LITTLE * len(readings):
        where = f"{len(readings)} page{'s' * (len(readings) > 1)}"
        yield f"little text: {letters} characters on {where}; the rest may be pictures or damage"
    without = [number for number, found in enumerate(readings, 1) if not found.squeezed]
    if without:
        yield f"no text on {page_list(without)} (empty, a picture or a scan)"
    for reason in typed.failed:
        number = int(reason.split(":")[0].removeprefix("page "))
        by = "its text is pdfium's" if readings[number - 1].squeezed else "it gave no text"
        yield f"partial: {reason} in pypdf, {by}"
    wrong = [number for number, found in enumerate(readings, 1) if found.wrong > _MAX_WRONG]
    if wrong:
        most = max(found.wrong for found in readings)
        yield f"mojibake: up to {most:.0%} of the characters look wrong on {page_list(wrong)}"
    apart = [
        number
        for number, (found, pair) in enumerate(zip(readings, pairs), 1)
        if found.wrong <= _MAX_WRONG and all(text.strip() for text in pair) and _contradict(*pair)
    ]
    if apart:
        yield f"pypdf and pdfium read different characters on {page_list(apart)}"
    if drawn.n_attached:
        yield f"{drawn.n_attached} attached file{'s' * (drawn.n_attached > 1)} not read"


def _contradict(typed: str, drawn: str) -> bool:
    """Whether the two readings differ and neither is known to be the wrong one."""
    sound = all(reading(text).wrong <= _MAX_WRONG for text in (typed, drawn))
    return agreement(typed, drawn) < _DISAGREE and sound
