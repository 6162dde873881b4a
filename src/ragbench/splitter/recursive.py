"""Separators from coarse to fine."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.records.document import Document, Span
from ragbench.splitter.knobs import MergingSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.levels import cut_levels
from ragbench.splitter.packing import Limits, pack


@dataclass(frozen=True, kw_only=True)
class RecursiveSplitter(MergingSplitter):
    """Cuts at blank lines, what is still too long at newlines, `。！？；`, `. ! ? ;`, commas, blanks, at last anywhere.

    Neighbouring pieces are merged up to `chunk_size`, separators stay in the text, and a chunk begins with up to
    `overlap` units of the one before it, from a natural place where there is one. What is shorter than `min_size`
    joins a neighbour. No chunk is longer than `chunk_size`.
    """

    def spans(self, document: Document) -> list[Span]:
        """The chunks' spans in order; linear in the text's length."""
        text = document.text
        ruler = Ruler(text, self.unit)
        limits = Limits(self.size, self._overlap(), self.smallest)
        return pack(text, cut_levels(text), ruler, limits, (0, len(text)))
