"""Text of others on a terminal: shown, never acted on."""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Iterable

_WIDE = frozenset("WF")


def printable(text: str) -> str:
    """The text with everything a terminal would act on written as an escape: controls, colours, reversed direction."""
    return "".join(
        char if char == " " or (char.isprintable() and unicodedata.category(char) != "Zs") else _escape(char)
        for char in text
    )


def one_line(text: str, width: int = 0) -> str:
    """The text on one line, blanks joined, inert; cut to `width` columns with an ellipsis where that is above 0."""
    flat = printable(" ".join(text.split()))
    return flat if width <= 0 or columns(flat) <= width else _cut(flat, width - 1) + "…"


def folded(text: str, width: int) -> list[str]:
    """The text, inert and with blanks joined, on lines of at most `width` columns."""
    from rich.console import Console
    from rich.text import Text

    return [line.plain.rstrip() for line in Text(one_line(text)).wrap(Console(width=width), width)]


def columns(text: str) -> int:
    """Columns a text takes on a terminal: 2 for a wide character, 0 for a combining one."""
    return sum(map(_columns_of, text))


def command(words: Iterable[str], width: int = 0) -> str:
    """A command line that bash and zsh read as these words; broken with backslashes to `width` columns (0: never), the
    later lines indented by four.

    A word with control characters is written in `$'…'`, so that showing the command does nothing.
    """
    lines, line = [], ""
    for word in map(_word, words):
        if line and width and columns(line) + columns(word) + 3 > width:
            lines.append(line + " \\")
            line = "    " + word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])


def _word(text: str) -> str:
    if printable(text) == text:
        return shlex.quote(text)
    made = "".join(char if printable(char) == char and char not in "'\\" else _code(char) for char in text)
    return f"$'{made}'"


def _code(char: str) -> str:
    point = ord(char)
    if char in "'\\":
        return "\\" + char
    return f"\\x{point:02x}" if point < 0x80 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def _columns_of(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in _WIDE else 1


def _cut(text: str, width: int) -> str:
    used = 0
    for at, char in enumerate(text):
        used += _columns_of(char)
        if used > width:
            return text[:at]
    return text


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
