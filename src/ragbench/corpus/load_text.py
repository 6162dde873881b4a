"""Plain text and logs."""

from __future__ import annotations

from ragbench.corpus.decode import decode
from ragbench.corpus.parsed import Parsed, whole


def load_text(data: bytes) -> Parsed:
    """The decoded text; an encoding other than UTF-8 is noted in `metadata["encoding"]`."""
    text, encoding = decode(data)
    return whole(text, "text", metadata={} if encoding == "utf-8" else {"encoding": encoding})
