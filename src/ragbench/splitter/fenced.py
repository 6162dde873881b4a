"""The intervals of code fences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import TypeVar

from ragbench.corpus.fences import fence_pairs

Found = TypeVar("Found", int, re.Match[str])


def fenced(text: str) -> list[tuple[int, int]]:
    """The closed code fences, `[start, end)` of whole lines in order; one that is never closed is none."""
    if "```" not in text and "~~~" not in text:
        return []
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    return [(starts[opening], starts[closing + 1] - 1) for opening, closing in fence_pairs(lines)]


def outside(found: Iterable[Found], fences: Iterable[tuple[int, int]]) -> Iterator[Found]:
    """Of offsets, or of matches by where they begin, both ascending, those that stand in none of the fences."""
    fences = iter(fences)
    start, end = next(fences, (-1, -1))
    for one in found:
        offset = one if isinstance(one, int) else one.start()
        while 0 <= end <= offset:
            start, end = next(fences, (-1, -1))
        if end < 0 or offset < start:
            yield one
