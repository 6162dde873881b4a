"""What the parsers of source code report."""

from __future__ import annotations

from dataclasses import dataclass

_MAX_SIGNATURE = 160


@dataclass(frozen=True, slots=True)
class Found:
    """A definition by its first and last line, counted from 0; `level` counts from 1 at the top."""

    first: int
    last: int
    kind: str
    level: int
    signature: str


def one_line(signature: str) -> str:
    """A signature without line breaks and without the sign that opens the body, cut at 160 characters."""
    signature = " ".join(signature[: 4 * _MAX_SIGNATURE].split()).rstrip(" {:=")
    return signature if len(signature) <= _MAX_SIGNATURE else signature[: _MAX_SIGNATURE - 1] + "…"
