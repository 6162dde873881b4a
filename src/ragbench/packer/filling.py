"""Blocks of whole chunks under a token budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ragbench.packer.base import CountTokens
from ragbench.records.document import Chunk, DocSpan, Document
from ragbench.records.search import Ranked
from ragbench.records.trace import DroppedChunk
from ragbench.text.sentences import sentences

ShowHeadings = Literal["none", "trail", "title"]
HEADINGS = ("none", "trail", "title")


class Draft(NamedTuple):
    """A block before it has its citation number; fields as in `ContextBlock`."""

    doc_id: str
    start: int
    end: int
    chunks: tuple[int, ...]
    text: str
    tokens: int
    relevance: float | None


@dataclass(frozen=True, slots=True)
class Sources:
    """What contexts are made of, and how their tokens are counted."""

    chunks: Sequence[Chunk]
    documents: Mapping[str, Document]
    count: CountTokens

    def read(self, chunk: Chunk) -> DocSpan:
        """What stands in the context for a chunk: its parent where it has one and the document is at hand."""
        return chunk.read if chunk.doc_id in self.documents else chunk.span

    def body(self, chunk: Chunk) -> str:
        """The text of `read`."""
        document = self.documents.get(chunk.doc_id)
        if document is None or chunk.parent is None:
            return chunk.text
        return document.text[slice(*chunk.parent)]


@dataclass(frozen=True, slots=True)
class Manner:
    """How blocks are made; see `BlockPacker`."""

    show_headings: ShowHeadings
    merge_neighbours: bool
    truncate: bool


class Filling:
    """Takes chunks, best first, while they fit.

    `blocks` stand in the order of the ranking, a merged one at its better rank; `used` are their tokens together.
    `whole` is the budget that a chunk is called `too_large` against, where part of it is spoken for already.
    """

    def __init__(self, manner: Manner, sources: Sources, budget: int, whole: int | None = None) -> None:
        self.manner, self.sources, self.budget = manner, sources, budget
        self.whole = budget if whole is None else whole
        self.blocks: list[Draft] = []
        self.dropped: list[DroppedChunk] = []
        self.used = 0

    def add(self, item: Ranked) -> bool:
        """Take a chunk, whole or its beginning; False where nothing of it is added, which `dropped` says why."""
        chunk = self.sources.chunks[item.chunk]
        own = [block for block in self.blocks if block.doc_id == chunk.doc_id]
        if own and any(self._holds(block, chunk) for block in own):
            return self._drop(item, "duplicate")
        parts = [block for block in own if self._touches(block, chunk)]
        block = self._block(parts, chunk, item.score)
        tokens = self._count(block.text)
        total = self.used + tokens - sum(part.tokens for part in parts)
        if total > self.budget:
            return self._without_room(item, chunk, parts)
        self.used = total
        self._place(parts, block._replace(tokens=tokens))
        return True

    def _place(self, parts: Sequence[Draft], block: Draft) -> None:
        if not parts:
            self.blocks.append(block)
            return
        place = self.blocks.index(parts[0])
        self.blocks[place:] = [block, *(rest for rest in self.blocks[place:] if rest not in parts)]

    def _drop(self, item: Ranked, reason: str) -> bool:
        self.dropped.append(DroppedChunk(item.chunk, reason))
        return False

    def _without_room(self, item: Ranked, chunk: Chunk, parts: Sequence[Draft]) -> bool:
        if self.manner.truncate and not parts:
            cut = self._cut(chunk, item.score)
            if cut is not None:
                self.used += cut.tokens
                self.blocks.append(cut)
                self.dropped.append(DroppedChunk(item.chunk, "truncated"))
                return True
        alone = self._count(self._block((), chunk, item.score).text)
        return self._drop(item, "too_large" if alone > self.whole else "budget")

    def _cut(self, chunk: Chunk, score: float) -> Draft | None:
        """The chunk up to the last sentence end that fits; None where not even its first sentence does."""
        body, where = self.sources.body(chunk), self.sources.read(chunk)
        heading = self.heading(chunk, body)
        ends = [sentence.end for sentence in sentences(body)]
        low, high, best = 0, len(ends) - 1, None
        while low <= high:
            middle = (low + high) // 2
            text = heading + body[: ends[middle]]
            tokens = self._count(text)
            if self.used + tokens > self.budget:
                high = middle - 1
                continue
            end = where.start + ends[middle]
            best, low = Draft(chunk.doc_id, where.start, end, (chunk.number,), text, tokens, score), middle + 1
        return best

    def _count(self, text: str) -> int:
        return self.sources.count([text])[0]

    def _block(self, parts: Sequence[Draft], chunk: Chunk, score: float) -> Draft:
        where = self.sources.read(chunk)
        if not parts:
            body = self.sources.body(chunk)
            text = self.heading(chunk, body) + body
            return Draft(chunk.doc_id, where.start, where.end, (chunk.number,), text, 0, score)
        start = min(where.start, *(part.start for part in parts))
        end = max(where.end, *(part.end for part in parts))
        numbers = tuple(dict.fromkeys([*(number for part in parts for number in part.chunks), chunk.number]))
        body = self.sources.documents[chunk.doc_id].text[start:end]
        members = (self.sources.chunks[number] for number in numbers)
        first = min(members, key=lambda member: (member.start, member.number))
        return Draft(chunk.doc_id, start, end, numbers, self.heading(first, body) + body, 0, parts[0].relevance)

    def heading(self, chunk: Chunk, body: str) -> str:
        """The line in front of a block with its newline, or nothing; a title that the block opens with is not said
        twice."""
        if self.manner.show_headings == "none":
            return ""
        trail = chunk.headings
        if self.manner.show_headings == "title":
            document = self.sources.documents.get(chunk.doc_id)
            title = (document.title if document else "") or (chunk.headings[0] if chunk.headings else "")
            trail = (title,) if title else ()
        opening = body.lstrip().split("\n", 1)[0].lstrip("#").strip()
        if opening in trail:
            trail = trail[: trail.index(opening)]
        return " > ".join(trail) + "\n" if trail else ""

    def _holds(self, block: Draft, chunk: Chunk) -> bool:
        """Whether the chunk's passage stands in a block of its document already; where nothing is merged, as the whole
        of it."""
        where = self.sources.read(chunk)
        if chunk.number in block.chunks or (block.start, block.end) == (where.start, where.end):
            return True
        return self.manner.merge_neighbours and block.start <= where.start and where.end <= block.end

    def _touches(self, block: Draft, chunk: Chunk) -> bool:
        """Whether a block of its document is to become one with the chunk: they overlap, or only blanks lie between
        them."""
        if not self.manner.merge_neighbours or chunk.doc_id not in self.sources.documents:
            return False
        where = self.sources.read(chunk)
        low, high = min(block.end, where.end), max(block.start, where.start)
        return low >= high or not self.sources.documents[chunk.doc_id].text[low:high].strip()
