"""Clauses of contracts, regulations and statutes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ragbench.records.document import Document, Span
from ragbench.splitter.clause_marks import clause_marks
from ragbench.splitter.knobs import MergingSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.packing import Limits
from ragbench.splitter.sections import check_longest, pack_sections, sections


@dataclass(frozen=True, kw_only=True)
class ClauseSplitter(MergingSplitter):
    """One clause a chunk: `第N条`, `Article N`, `Section N`, `§ N`, or numbered clauses `1.2.3` (see `clause_marks`).

    A clause is whole however long; one longer than `chunk_size` is flagged `atomic`, and with `max_clause` (same
    unit, None: never) one longer than that is cut as by `recursive`. Headings directly above a clause (第N章, Part I)
    belong to it. The preamble, text between chapters and a document without clauses are cut as by `recursive` with
    `chunk_size`, `overlap` and `min_size`, which do not touch clauses.
    """

    STRUCTURAL: ClassVar[bool] = True

    max_clause: int | None

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        check_longest("max_clause", self.max_clause)

    def spans(self, document: Document) -> list[Span]:
        """The chunks' spans in order; linear in the text's length."""
        ruler = Ruler(document.text, self.unit)
        limits = Limits(self.size, self._overlap(), self.smallest)
        parts = sections(document.text, clause_marks(document))
        return pack_sections(document.text, ruler, limits, parts, self.max_clause)
