"""Spans without blanks at their ends."""

from __future__ import annotations

from collections.abc import Iterable

from ragbench.records.document import Span


def skip_blanks(text: str, start: int, end: int) -> int:
    """The first non-blank position in `[start, end)`, or `end`."""
    while start < end and text[start].isspace():
        start += 1
    return start


def drop_blanks(text: str, start: int, end: int) -> int:
    """The end of `[start, end)` without trailing blanks, or `start`."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def trimmed(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans without blanks at their ends, without those that add nothing, starts strictly ascending.

    A span that ends no later than the one before it is left out; of two that start alike the longer stays.
    """
    kept: list[Span] = []
    for span in spans:
        end = drop_blanks(text, span.start, span.end)
        start = skip_blanks(text, span.start, end)
        if start == end or (kept and end <= kept[-1].end):
            continue
        if kept and start <= kept[-1].start:
            kept.pop()
        kept.append(Span(start, end, span.flags))
    return kept
