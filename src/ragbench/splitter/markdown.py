"""Sections of Markdown-like documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ragbench.corpus.structure import Block, structure
from ragbench.errors import ConfigError
from ragbench.records.document import Document, Span
from ragbench.splitter.knobs import MergingSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.levels import cut_levels, protect
from ragbench.splitter.packing import Limits, pack
from ragbench.splitter.trim import drop_blanks

_STRUCTURED = frozenset(("md", "html", "docx"))


@dataclass(frozen=True, kw_only=True)
class MarkdownSplitter(MergingSplitter):
    """Headings of levels 1–6 are borders; a longer section is cut as by `recursive`, but no code fence or table.

    A fence or table longer than `chunk_size` stays whole and is flagged `atomic`; with `max_atomic` (same unit, None:
    never) longer ones are cut between their lines. A heading, and a lead-in shorter than `min_size`, stay with the
    fence or table they introduce. A section shorter than `min_size`, such as a bare heading, joins the first of its
    sub-sections. Text before the first heading is kept. HTML and DOCX documents are split alike; kinds without
    headings (text, PDF, JSON) are one section.
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

    def spans(self, document: Document) -> list[Span]:
        """The chunks' spans in order; linear in the text's length."""
        text = document.text
        ruler = Ruler(text, self.unit)
        levels = cut_levels(text)
        if document.doc_type in _STRUCTURED:
            blocks = structure(text).blocks
            protect(levels, text, blocks, [block for block in blocks if self._is_loose(block, ruler)])
        limits = Limits(self.size, self._overlap(), self.smallest)
        return pack(text, levels, ruler, limits, self._borders(document, ruler))

    def _is_loose(self, block: Block, ruler: Ruler) -> bool:
        return self.max_atomic is not None and ruler.length(block.start, block.end) > self.max_atomic

    def _borders(self, document: Document, ruler: Ruler) -> list[int]:
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
