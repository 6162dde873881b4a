"""Lines of columns parted by white space, from a plain or gzip file."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ragbench.errors import DataError

_GZIP, _BOM = b"\x1f\x8b", b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def lines(path: Path, what: str) -> Iterator[tuple[int, bytes]]:
    """`(number from 1, line)` of every line that is not blank, as bytes, read one after the other.

    Bytes, because the format parts columns by ASCII white space only: an id may hold a full-width blank. `what` says
    what the file should be. Raises DataError for a file that is missing, empty, UTF-16 or damaged.
    """
    empty = True
    try:
        with _opened(path, what) as handle:
            for number, line in enumerate(handle, 1):
                line = line.removeprefix(_BOM) if number == 1 else line
                if line.strip():
                    empty = False
                    yield number, line
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(str(path), expected=what, found=f"a damaged gzip file ({error})") from error
    if empty:
        raise DataError(str(path), expected=what, found="no lines")


def content(path: Path, what: str) -> bytes:
    """All of a file, unpacked, without a byte order mark; lines end with a line feed, also where the file has only
    carriage returns. Raises DataError as `lines` does."""
    try:
        with _opened(path, what) as handle:
            data = handle.read().removeprefix(_BOM)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(str(path), expected=what, found=f"a damaged gzip file ({error})") from error
    if not data or data.isspace():
        raise DataError(str(path), expected=what, found="no lines")
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def text(value: bytes, path: Path, number: int) -> str:
    """A column as text; raises DataError where it is no UTF-8."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError as error:
        hint = "Save the file as UTF-8."
        found = f"{value[:40]!r}"
        raise DataError(f"{path} line {number}", expected="ids in UTF-8", found=found, hint=hint) from error


def shown(line: bytes) -> str:
    """A line as it can stand in a message: short, blanks collapsed."""
    flat = " ".join(line.decode("utf-8", "replace").split())
    return f"“{flat if len(flat) <= 70 else flat[:67] + '…'}”"


def _opened(path: Path, what: str) -> BinaryIO:
    if path.is_dir():
        raise DataError(str(path), expected=what, found="a folder")
    try:
        handle = path.open("rb")
    except OSError as error:
        found = "no such file" if isinstance(error, FileNotFoundError) else f"{error.strerror}"
        raise DataError(str(path), expected=what, found=found) from error
    head = handle.peek(2)[:2]
    if head in _UTF16:
        handle.close()
        raise DataError(str(path), expected=f"{what} in UTF-8", found="UTF-16", hint="Save the file as UTF-8.")
    return gzip.open(handle, "rb") if head == _GZIP else handle  # type: ignore[return-value]
