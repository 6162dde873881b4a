"""Text of a SQLite database that other programs have written in another encoding than UTF-8."""

from __future__ import annotations

from ragbench.corpus.decode import recognised
from ragbench.errors import DataError

_SAMPLE = 16_384


class StoredText:
    """Decodes text values; takes a sample of those that are no UTF-8, by which their encoding is told.

    No more than `most` characters of a value, and one more that tells that there are more, are decoded.
    """

    def __init__(self, most: int) -> None:
        self._most_bytes = 4 * (most + 1)  # no character takes more
        self._encoding = ""
        self._sample: dict[bytes, None] = {}
        self._taken = 0

    def __call__(self, raw: bytes) -> str:
        """A value as text; what its encoding does not hold is U+FFFD."""
        raw = raw[: self._most_bytes]
        text = raw.decode("utf-8", "replace")
        if "\ufffd" not in text or not _is_foreign(text):
            return text
        if self._encoding:
            return raw.decode(self._encoding, "replace")
        if self._taken < _SAMPLE and raw not in self._sample:
            self._sample[raw[:_SAMPLE]] = None
            self._taken += len(raw)
        return text

    def recognise(self) -> tuple[str, ...]:
        """What is to be said once an encoding was found for the values seen so far; then they are to be read again."""
        if self._encoding or not self._sample:
            return ()
        try:
            _, encoding, doubts = recognised(b"\n".join(self._sample))
        except DataError:
            encoding = ""
        self._sample, self._taken = {}, 0
        if not encoding or encoding.startswith("utf"):
            return ()
        self._encoding = encoding
        return (f"text that is not UTF-8 was read as {encoding}", *doubts)


def _is_foreign(text: str) -> bool:
    """Whether hardly anything beyond ASCII is UTF-8; else the value is UTF-8 with a broken character."""
    lost = text.count("\ufffd")
    return sum(char > "\x7f" for char in text) < 2 * lost
