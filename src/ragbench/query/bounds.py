"""How much of a question rules look at."""

from __future__ import annotations

LONGEST = 2000
"""Characters beyond which a text is no question that rules understand: it stays as it was typed. A log that was pasted
in is longer, no sentence is; patterns that start over at every place take milliseconds up to here."""


def is_long(text: str) -> bool:
    """Whether a text has more than LONGEST characters."""
    return len(text) > LONGEST
