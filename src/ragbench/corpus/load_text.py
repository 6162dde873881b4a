"""Plain text and logs."""

from __future__ import annotations

from ragbench.corpus.decode import recognised
from ragbench.corpus.parsed import Parsed, whole


def load_text(data: bytes) -> Parsed:
    """The decoded text; the encoding it was read with is `metadata["encoding"]`."""
    text, encoding, warnings = recognised(data)
    return whole(text, "text", metadata={"encoding": encoding}, warnings=warnings)
