"""What a loader hands back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragbench.records.document import Heading

_MAX_WARNINGS = 20


@dataclass(frozen=True, slots=True)
class Parsed:
    """One file's content before normalisation.

    `parts` are pieces of text with their page number (None for kinds without pages); each is normalised
    by itself and they are joined by `joint`, so that page offsets are exact. `structured` says that the text is
    Markdown-like (headings `#`, fences, tables) and has an outline; `collapse` is false where every blank counts.
    `warnings` are sentences on what was lost, doubtful or guessed; they end up in `metadata["warnings"]`.
    `outline` is for loaders that know the headings of text that is not Markdown-like: offsets in the normalised text.
    """

    parts: tuple[tuple[str, int | None], ...]
    doc_type: str
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    structured: bool = False
    collapse: bool = True
    warnings: tuple[str, ...] = ()
    joint: str = "\n"
    outline: tuple[Heading, ...] = ()


def whole(text: str, doc_type: str, **more: Any) -> Parsed:
    """A file without pages."""
    return Parsed(((text, None),), doc_type, **more)


def first_warnings(warnings: Sequence[str]) -> tuple[str, ...]:
    """The first twenty, and how many more there were: a file of a million broken lines must not fill the notes."""
    left = len(warnings) - _MAX_WARNINGS
    return (*warnings[:_MAX_WARNINGS], *([f"{left} more like these"] if left > 0 else []))
