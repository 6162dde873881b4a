"""What a loader hands back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Parsed:
    """One file's content before normalisation.

    `parts` are pieces of text with their page number (None for kinds without pages); each is normalised
    by itself and they are joined by a newline, so that page offsets are exact. `structured` says that the text is
    Markdown-like (headings `#`, fences, tables) and has an outline; `collapse` is false where every blank counts.
    """

    parts: tuple[tuple[str, int | None], ...]
    doc_type: str
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    structured: bool = False
    collapse: bool = True


def whole(text: str, doc_type: str, **more: Any) -> Parsed:
    """A file without pages."""
    return Parsed(((text, None),), doc_type, **more)
