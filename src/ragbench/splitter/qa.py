"""Question–answer pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ragbench.records.document import Document, Span
from ragbench.splitter.knobs import MergingSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.packing import Limits
from ragbench.splitter.qa_marks import qa_marks
from ragbench.splitter.sections import check_longest, pack_sections, sections


@dataclass(frozen=True, kw_only=True)
class QaSplitter(MergingSplitter):
    """One question–answer pair a chunk: `Q:` `A:`, `问：` `答：`, headings, bold text or numbered lines that ask.

    `qa_marks` has the rules. A pair is whole however long; one longer than `chunk_size` is flagged `atomic`, and with
    `max_pair` (same unit, None: never) one longer than that is cut as by `recursive`. Headings directly above a
    pair belong to it. Text outside the pairs and a document without pairs are cut as by `recursive` with
    `chunk_size`, `overlap` and `min_size`, which do not touch pairs.
    """

    STRUCTURAL: ClassVar[bool] = True

    max_pair: int | None

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        check_longest("max_pair", self.max_pair)

    def spans(self, document: Document) -> list[Span]:
        """The chunks' spans in order; linear in the text's length."""
        ruler = Ruler(document.text, self.unit)
        limits = Limits(self.size, self._overlap(), self.smallest)
        parts = sections(document.text, qa_marks(document))
        return pack_sections(document.text, ruler, limits, parts, self.max_pair)
