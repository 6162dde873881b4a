"""Normalisation of document text: one pass, before any offset exists."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain

from ragbench.corpus.combining import stream_safe
from ragbench.corpus.fences import each_fence

_NEWLINE = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
# Controls other than tab and newline, and invisible format characters that only break matching. Joiners and
# variation selectors stay: emoji and Indic scripts need them.
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff\ufff9-\ufffb]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BLANK = " \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_ANY_RUN = re.compile(f"\t|[{_BLANK}]{{2}}")
_BLANK_RUN = re.compile(f"(?<=[^{_BLANK}])[{_BLANK}]{{2,}}")
# A wide gap inside a line is a column border of a table without rules.
_COLUMN_GAP = re.compile(f"(?<=[^{_BLANK}])(?:\t|[{_BLANK}]{{3}})")
_UNEVEN = re.compile(f"\t|[{_BLANK}](?:[{_BLANK}\n]|\\Z)|\n{{3}}")
_UNEVEN_ASCII = ("\t", "  ", " \n", "\n\n\n")
_PIECE = 1 << 20
_INDENTED_CODE = re.compile(" {4}| {0,3}\t")


def normalise(text: str, *, collapse: bool = True) -> str:
    """The text as every offset of the project sees it.

    NFC; all line ends become `\\n`; control and zero-width characters go, lone surrogates become U+FFFD;
    blank lines at both ends go. With `collapse`, runs of blanks inside a line become one space, blanks
    at its end go, and three or more newlines become two – but not in code fences, and blanks not in
    table rows (`| … |`, or columns set apart by a tab or three blanks), indentation or indented code. Width,
    case and compatibility forms stay: `，`, `①` and `10⁶` are not rewritten. Thirty combining marks in a
    row are followed by U+034F (`combining.stream_safe`). Idempotent; empty text stays empty.
    """
    if not _is_plain(text):
        text = _INVISIBLE.sub("", _NEWLINE.sub("\n", text))
        text = unicodedata.normalize("NFC", stream_safe(_SURROGATE.sub("\ufffd", text)))
    if collapse and not _is_even(text):
        text = _collapse(text)
    return _strip_blank_lines(text)


def _is_plain(text: str) -> bool:
    """Whether there is nothing but printable ASCII, tabs and newlines, of which all stays as it is."""
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def _is_even(text: str) -> bool:
    """Whether there is nothing to collapse: no tab, no blanks in a row or at a line's end, no three newlines. Asked
    first, because line by line it is the dearest part of loading."""
    if text.isascii():
        return not (text.endswith(" ") or any(map(text.__contains__, _UNEVEN_ASCII)))
    return _UNEVEN.search(text) is None


def _collapse(text: str) -> str:
    in_fence = _in_fence(text)
    pieces: list[str] = []
    first, after_blank = 0, False
    for lines in _in_pieces(text):
        last = first + len(lines)
        fenced = in_fence[first:last] if in_fence else bytes(len(lines))
        kept = list(_kept(lines, fenced, after_blank))
        if kept:
            pieces.append("\n".join(kept))
        after_blank = not fenced[-1] and not _collapse_line(lines[-1])
        first = last
    return "\n".join(pieces)


def _in_pieces(text: str) -> Iterator[list[str]]:
    """The lines, some megabyte at a time: a large text is never held as millions of lines."""
    start = 0
    while start <= len(text):
        end = text.find("\n", start + _PIECE)
        end = len(text) if end < 0 else end
        yield text[start:end].split("\n")
        start = end + 1


def _in_fence(text: str) -> bytearray:
    """A byte a line, 1 in a code fence; empty for text without fences."""
    if "```" not in text and "~~~" not in text:
        return bytearray()
    inside = bytearray(text.count("\n") + 1)
    for opening, closing in each_fence(chain.from_iterable(_in_pieces(text))):
        inside[opening : closing + 1] = b"\x01" * (closing + 1 - opening)
    return inside


def _kept(lines: Sequence[str], in_fence: Sequence[int], previous_blank: bool = False) -> Iterator[str]:
    """The lines that stay, each collapsed; of blank lines in a row the first."""
    for fenced, line in zip(in_fence, lines):
        if fenced:
            yield line
            previous_blank = False
            continue
        line = _collapse_line(line)
        if line or not previous_blank:
            yield line
        previous_blank = not line


def _collapse_line(line: str) -> str:
    body = line.lstrip()
    if not body:
        return ""
    line = line.rstrip()
    if not _has_gap(line):
        return line
    if body[0] == "|" or _INDENTED_CODE.match(line) or _COLUMN_GAP.search(line):
        return line
    return _BLANK_RUN.sub(" ", line)


def _has_gap(line: str) -> bool:
    """Whether there is anything to collapse: a tab, or two blanks in a row."""
    if line.isascii():
        return "\t" in line or "  " in line
    return _ANY_RUN.search(line) is not None


def _strip_blank_lines(text: str) -> str:
    text = text.rstrip()
    first = len(text) - len(text.lstrip())
    return text[text.rfind("\n", 0, first) + 1 :]
