"""Structure first, separators for what is long, neighbours for what is short."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Self

from ragbench.records.document import Document, Heading
from ragbench.splitter.clause_marks import clause_marks
from ragbench.splitter.headed import HeadingSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.levels import NEVER, Levels
from ragbench.splitter.qa_marks import qa_marks
from ragbench.splitter.sections import sections
from ragbench.splitter.trim import drop_blanks

_LINES_ONLY = frozenset(("code", "json", "csv", "sqlite"))


@dataclass(frozen=True, kw_only=True)
class CascadeSplitter(HeadingSplitter):
    """Sections of any document; long ones are cut as by `recursive`, short neighbours of one section are merged.

    A section is what stands under a heading of the outline: of Markdown, HTML and DOCX, the signatures of source code.
    Code fences, tables, clauses and question–answer pairs that fit `chunk_size` are not cut; longer fences and tables
    are cut between their lines (from `max_atomic` on; None: `chunk_size`), longer clauses and pairs as by `recursive`.
    A section shorter than `min_size` joins the first of its sub-sections or, up to `chunk_size`, a neighbour of the
    same level under the same heading, or the end of the section that it is the first sub-section of; the end of one
    chapter never joins the next.

    None is 800 chars, 400 tokens or 250 words for `chunk_size`, and an eighth of it for `min_size`. 800 characters are
    some 460 tokens of Chinese and 240 of English; 400 leaves room for a prefix in a window of 512.
    """

    DEFAULT_SIZES: ClassVar[Mapping[str, int]] = {"chars": 800, "tokens": 400, "words": 250}

    @property
    def size(self) -> int:
        """The resolved chunk size."""
        return self.DEFAULT_SIZES[self.unit] if self.chunk_size is None else self.chunk_size

    @property
    def smallest(self) -> int:
        """The resolved minimum."""
        return self.size // 8 if self.min_size is None else self.min_size

    def resolved(self) -> Self:
        """The same splitter with every knob a number or a name."""
        return replace(super().resolved(), max_atomic=self.longest)

    @property
    def longest(self) -> int:
        """The resolved `max_atomic`."""
        return self.size if self.max_atomic is None else self.max_atomic

    def reads(self, document: Document) -> bool:
        """Every kind."""
        return True

    def protect_more(self, levels: Levels, document: Document, ruler: Ruler) -> None:
        """Clauses and question–answer pairs that fit the size."""
        if document.doc_type in _LINES_ONLY:
            return
        for find in (clause_marks, qa_marks):
            for start, end, unit in sections(document.text, find(document)):
                if unit and ruler.length(start, drop_blanks(document.text, start, end)) <= self.size:
                    levels[start + 1 : end] = NEVER

    def borders(self, document: Document, ruler: Ruler) -> list[int]:
        """Starts of the sections that are left after merging, and the text's end."""
        parts = list(_parts(document))
        groups = _Groups(document.text, ruler, self.size, self.smallest)
        for part, following in zip(parts, [*parts[1:], None]):
            groups.add(part, following is not None and following.level > part.level)
        return [*groups.starts, len(document.text)]


@dataclass(frozen=True, slots=True)
class _Part:
    """`[start, end)`: what stands under one heading; level 0 is the text before the first."""

    start: int
    end: int
    level: int


def _parts(document: Document) -> Iterator[_Part]:
    outline: Sequence[Heading] = document.outline
    if not outline or outline[0].start > 0:
        outline = (Heading(0, 0, ""), *outline)
    for heading, after in pairwise([*outline, Heading(len(document.text), 0, "")]):
        yield _Part(heading.start, after.start, heading.level)


class _Groups:
    """Merges the parts of one document, in order."""

    def __init__(self, text: str, ruler: Ruler, size: int, smallest: int) -> None:
        self.starts: list[int] = []
        self._text, self._ruler, self._size, self._smallest = text, ruler, size, smallest
        self._top = self._last = self._until = 0

    def add(self, part: _Part, opens: bool) -> None:
        """Join a part to the last group or begin a new one; `opens`: it has sub-sections."""
        if not self.starts:
            self.starts, self._top = [part.start], part.level
        elif not self._joins(part, opens):
            self.starts.append(part.start)
            self._top = part.level
        self._last, self._until = part.level, part.end

    def _joins(self, part: _Part, opens: bool) -> bool:
        if part.level < self._last:
            return False
        group = self._length(self.starts[-1], self._until)
        if group < self._smallest and part.level > self._top:
            return True
        short = group < self._smallest or self._length(part.start, part.end) < self._smallest
        return short and not opens and self._length(self.starts[-1], part.end) <= self._size

    def _length(self, start: int, end: int) -> int:
        return self._ruler.length(start, drop_blanks(self._text, start, end))
