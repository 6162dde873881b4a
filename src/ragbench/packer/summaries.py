"""A line on each chunk, then the best in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ragbench.errors import ConfigError
from ragbench.packer.blocks import BlockPacker, Packed, check_whole
from ragbench.packer.filling import Draft, Filling, Sources
from ragbench.records.document import Chunk
from ragbench.records.search import Ranked, Ranking
from ragbench.records.trace import DroppedChunk
from ragbench.text.central import most_central
from ragbench.text.sentences import sentences

Lines = Literal["each", "rest"]


@dataclass(frozen=True, kw_only=True)
class SummariesPacker(BlockPacker):
    """A line on each chunk in the order of the ranking, then the `full` best that fit beside the lines in full.

    The line is the chunk's most central sentence (`text.central`) of at most `line_tokens` tokens, else the most
    central one cut to that; it is a block with its own place in the document, so that it can be cited and checked like
    any other. `lines`: `each` chunk has one, so that those of the chunks in full stand twice, or only the `rest` that
    is not there in full. A chunk with a line alone is dropped as `shortened`.
    """

    full: int
    line_tokens: int
    lines: Lines

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        check_whole("full", self.full, 0)
        check_whole("line_tokens", self.line_tokens, 1)
        if self.lines not in ("each", "rest"):
            raise ConfigError("pipeline.packer.lines", expected="each or rest", found=repr(self.lines))

    def blocks(self, ranking: Ranking, sources: Sources, budget: int) -> Packed:
        """See `BlockPacker.blocks`."""
        once = _once(ranking, sources)
        lines = self._lines([ranking[at] for at in once], sources, budget)
        filling = Filling(self.manner, sources, budget - sum(line.tokens for line in lines.values()), budget)
        taken = 0
        for at in once:
            taken += taken < self.full and filling.add(ranking[at])
        why = {one.chunk: one.reason for one in filling.dropped}
        whole = {number for block in filling.blocks for number in block.chunks} - why.keys()
        stands = whole | {number for number, reason in why.items() if reason == "duplicate"}
        shown = [line for number, line in lines.items() if self.lines == "each" or number not in stands]
        for number in lines:
            if why.get(number, "budget") in ("budget", "too_large"):
                why[number] = "shortened"
        dropped = [
            DroppedChunk(item.chunk, why.get(item.chunk, "budget") if at in once else "duplicate")
            for at, item in enumerate(ranking)
            if at not in once or item.chunk not in whole
        ]
        return [*shown, *filling.blocks], dropped

    def _lines(self, once: Sequence[Ranked], sources: Sources, budget: int) -> dict[int, Draft]:
        """The lines that fit, by chunk; chunks that overlap have different ones."""
        found: dict[int, Draft] = {}
        taken: set[tuple[str, int, int]] = set()
        used = 0
        for item in once:
            line = self._line(sources.chunks[item.chunk], item.score, sources, taken)
            if line is not None and used + line.tokens <= budget:
                used += line.tokens
                taken.add((line.doc_id, line.start, line.end))
                found[item.chunk] = line
        return found

    def _line(self, chunk: Chunk, score: float, sources: Sources, taken: set[tuple[str, int, int]]) -> Draft | None:
        body, where = sources.body(chunk), sources.read(chunk)
        places = [place for place in _central(body) if (chunk.doc_id, *_at(place, where.start)) not in taken]
        if not places:
            return None
        sizes = sources.count([body[slice(*place)] for place in places])
        short = next((place for place, n in zip(places, sizes) if n <= self.line_tokens), None)
        start, end = short or _cut(body, places[0], self.line_tokens, sources)
        if start >= end:
            return None
        text = Filling(self.manner, sources, 0).heading(chunk, body[start:end]) + body[start:end]
        tokens = sources.count([text])[0]
        return Draft(chunk.doc_id, *_at((start, end), where.start), (chunk.number,), text, tokens, score)


def _once(ranking: Ranking, sources: Sources) -> list[int]:
    """The places in the ranking without those whose passage stands higher already."""
    seen: dict[tuple[str, int, int], int] = {}
    for at, item in enumerate(ranking):
        where = sources.read(sources.chunks[item.chunk])
        seen.setdefault((where.doc_id, where.start, where.end), at)
    return list(seen.values())


def _at(place: tuple[int, int], start: int) -> tuple[int, int]:
    return place[0] + start, place[1] + start


@lru_cache(maxsize=8192)
def _central(body: str) -> tuple[tuple[int, int], ...]:
    """Places of the sentences from the most central on, list markers left out; of headings where there is nothing
    else."""
    found = most_central(body) or sentences(body)
    return tuple((one.start + one.marker, one.end) for one in found if one.start + one.marker < one.end)


def _cut(body: str, place: tuple[int, int], most: int, sources: Sources) -> tuple[int, int]:
    """The longest beginning of at most `most` tokens, between words where there are any."""
    start, end = place
    low, high = start, end
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sources.count([body[start:middle]])[0] <= most else (low, middle - 1)
    blank = max(body.rfind(" ", start, low), body.rfind("\n", start, low))
    inside = low < end and body[low - 1 : low + 1].isascii() and body[low - 1 : low + 1].isalnum()
    stop = blank if inside and blank > start else low
    return start, start + len(body[start:stop].rstrip())
