"""Windows of equal length."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ragbench.records.document import Document, Span
from ragbench.splitter.knobs import SizedSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.trim import trimmed


@dataclass(frozen=True, kw_only=True)
class FixedSplitter(SizedSplitter):
    """Windows of `chunk_size` units, each `chunk_size - overlap` units after the one before, up to the text's end.

    Cuts fall anywhere between units; a window that cannot be parted, such as a character of many tokens, may be longer
    and is flagged `atomic`. Blanks at a window's ends are not part of the chunk.
    """

    def spans(self, document: Document) -> list[Span]:
        """The windows in order; linear in the text's length."""
        ruler = Ruler(document.text, self.unit)
        if not ruler.n_units:
            return []
        step = self.size - self._overlap()
        # A window that begins within the overlap of the last one would hold nothing new.
        n_windows = 1 + max(0, -(-(ruler.n_units - self.size) // step))
        first = np.arange(n_windows, dtype=np.int64) * step
        starts = ruler.offsets(first).tolist()
        ends = ruler.offsets(np.minimum(first + self.size, ruler.n_units)).tolist()
        spans = trimmed(document.text, map(Span, starts, ends))
        if self.unit != "tokens":
            return spans
        # Tokens of one character cannot be parted, so that a window may hold more of them than it should.
        return [
            replace(span, flags=("atomic",)) if ruler.length(span.start, span.end) > self.size else span
            for span in spans
        ]
