"""Sections under headings: what `markdown`, `html` and `cascade` share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from ragbench.corpus.structure import Block, structure
from ragbench.errors import ConfigError
from ragbench.records.document import Document, Span
from ragbench.splitter.knobs import MergingSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.levels import Levels, cut_levels, protect
from ragbench.splitter.packing import Limits, pack
from ragbench.splitter.trim import drop_blanks

_MARKED_UP = frozenset(("md", "html", "docx"))


@dataclass(frozen=True, kw_only=True)
class HeadingSplitter(MergingSplitter):
    """Base of splitters whose borders are headings; a longer section is cut as by `recursive`, but no fence or table.

    `max_atomic` (in units of the size, at least 1): longer fences and tables are cut between their lines; None is the
    splitter's own default.

    Raises:
        ConfigError: a value of the wrong kind.
    """

    STRUCTURAL: ClassVar[bool] = True

    max_atomic: int | None

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        value = self.max_atomic
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise ConfigError(
                "pipeline.splitter.max_atomic", expected="a whole number of at least 1, or null", found=repr(value)
            )

    @property
    def longest(self) -> int | None:
        """The resolved `max_atomic`."""
        return self.max_atomic

    def spans(self, document: Document) -> list[Span]:
        """The chunks' spans in order; linear in the text's length."""
        text = document.text
        ruler = Ruler(text, self.unit)
        levels = cut_levels(text)
        if self.reads(document):
            if document.doc_type in _MARKED_UP:
                blocks = structure(text).blocks
                protect(levels, text, blocks, [block for block in blocks if self._is_loose(block, ruler)])
            self.protect_more(levels, document, ruler)
        limits = Limits(self.size, self._overlap(), self.smallest)
        borders = self.borders(document, ruler) if self.reads(document) else [0, len(text)]
        return pack(text, levels, ruler, limits, borders)

    @abstractmethod
    def reads(self, document: Document) -> bool:
        """Whether the headings, fences and tables of a document of this type count."""

    def protect_more(self, levels: Levels, document: Document, ruler: Ruler) -> None:
        """Forbid further cuts, in place; nothing here."""

    def borders(self, document: Document, ruler: Ruler) -> list[int]:
        """Starts of the sections and the text's end; a short section and its first sub-section are one."""
        text, borders, level = document.text, [0], 0
        for heading in document.outline:
            end = drop_blanks(text, borders[-1], heading.start)
            short = ruler.length(borders[-1], end) < self.smallest
            if heading.start == 0:
                level = heading.level
            elif not (short and heading.level > level):
                borders.append(heading.start)
                level = heading.level
        return [*borders, len(text)]

    def _is_loose(self, block: Block, ruler: Ruler) -> bool:
        return self.longest is not None and ruler.length(block.start, block.end) > self.longest
