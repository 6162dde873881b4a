"""What costs nothing and a judge has to beat."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.text.terms import content_terms


def overlap(answer: str, passages: Sequence[str]) -> float:
    """Share of an answer's different content words (Chinese: character pairs) that stand in the passages, in [0, 1];
    0 for an answer without words."""
    words = set(content_terms(answer))
    there = {term for text in passages for term in content_terms(text)}
    return len(words & there) / len(words) if words else 0.0
