"""How much the pages of a PDF unpack to: a stream of a kilobyte can hold a gigabyte of drawing."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from typing import Any

# What is drawn takes fifty times its size in pdfium. A page of text has some ten or hundred kilobytes.
MAX_CONTENT = 8_000_000
# Characters of all pages: one page's content may be that of a thousand others too.
MAX_TEXT = 50_000_000
_DRAWN = re.compile(rb"/([^\s/\[\]()<>{}%]+)\s+Do\b")
_STREAM = re.compile(rb"stream\r?\n")
_MAX_FORMS = 20


def content_size(page: Any) -> int:
    """Bytes that a pypdf page draws, each form it draws counted as often as it is drawn; more than `MAX_CONTENT` stands
    for any larger number."""
    contents = page.get("/Contents")
    contents = contents.get_object() if contents is not None else None
    parts = contents if isinstance(contents, list) else [contents]
    sizes: dict[int, int] = {}
    total = 0
    for part in parts:
        total += _drawn(part, page.get("/Resources"), sizes, 0)
        if total > MAX_CONTENT:
            break
    return total


def _drawn(stream: Any, resources: Any, sizes: dict[int, int], depth: int) -> int:
    stream = stream.get_object() if stream is not None else None
    if stream is None or not hasattr(stream, "get_data"):
        return 0
    if id(stream) in sizes:
        return sizes[id(stream)]
    # A form that draws itself is stopped by the libraries.
    sizes[id(stream)] = 0
    data = _unpacked(stream)
    total = len(data)
    resources = stream.get("/Resources", resources)
    forms = resources.get_object().get("/XObject") if resources is not None else None
    if forms is not None and depth < _MAX_FORMS:
        for name, times in Counter(_DRAWN.findall(data)).items():
            form = forms.get_object().get("/" + name.decode("latin-1"))
            form = form.get_object() if form is not None else None
            if form is not None and form.get("/Subtype") == "/Form" and total <= MAX_CONTENT:
                total += times * _drawn(form, resources, sizes, depth + 1)
    sizes[id(stream)] = min(total, MAX_CONTENT + 1)
    return sizes[id(stream)]


def _unpacked(stream: Any) -> bytes:
    """The stream's bytes; longer than may be where the library itself gives up."""
    from pypdf.errors import LimitReachedError

    try:
        return bytes(stream.get_data())
    except LimitReachedError:
        return bytes(MAX_CONTENT + 1)
    except Exception:  # a broken stream draws nothing, and the reader says so
        return b""


def largest_stream(data: bytes) -> int:
    """Bytes of the largest deflated stream in a file whose pages cannot be found, up to just over `MAX_CONTENT`."""
    largest = 0
    for found in _STREAM.finditer(data):
        try:
            unpacked = zlib.decompressobj().decompress(data[found.end() : found.end() + MAX_CONTENT], MAX_CONTENT + 1)
        except zlib.error:
            continue
        largest = max(largest, len(unpacked))
    return largest
