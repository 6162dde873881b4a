"""Best first under a token budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from ragbench.errors import ConfigError
from ragbench.packer.base import CountTokens, Packer
from ragbench.records.document import Chunk, Document
from ragbench.records.search import Ranking
from ragbench.records.trace import ContextBlock, DroppedChunk, PackedContext

ShowHeadings = Literal["none", "trail", "title"]


@dataclass(frozen=True, kw_only=True)
class RelevancePacker(Packer):
    """Whole chunks in the order of the ranking; what does not fit is skipped and the next is tried.

    `budget` is in tokens and holds for the texts of the blocks together, heading lines included. `show_headings`
    puts the trail of headings, or the title of the document, in front of each block. With `merge_neighbours`, chunks
    of one document that overlap or touch (nothing but blanks between them) become one block at the better rank; its
    text is the document's over the union. A chunk that stands in the context already is dropped as `duplicate`. In
    place of a chunk that has a parent stands the parent.
    """

    VERSION: ClassVar[int] = 2

    budget: int
    show_headings: ShowHeadings
    merge_neighbours: bool

    def __post_init__(self) -> None:
        if not isinstance(self.budget, int) or isinstance(self.budget, bool) or self.budget < 1:
            raise ConfigError(
                "pipeline.packer.budget", expected="a whole number of tokens of at least 1", found=repr(self.budget)
            )
        if self.show_headings not in ("none", "trail", "title"):
            raise ConfigError(
                "pipeline.packer.show_headings", expected="none, trail or title", found=repr(self.show_headings)
            )

    def pack(
        self, ranking: Ranking, chunks: Sequence[Chunk], documents: Mapping[str, Document], count: CountTokens
    ) -> PackedContext:
        """The context of `ranking`; an empty ranking gives an empty context. `relevance` of a block is the score of
        its best chunk, on the scale of the ranking."""
        if not self.merge_neighbours:
            return self._apart(ranking, chunks, documents, count)
        blocks: list[_Draft] = []
        dropped: list[DroppedChunk] = []
        used = 0
        for item in ranking:
            chunk = chunks[item.chunk]
            own = [block for block in blocks if block.doc_id == chunk.doc_id]
            if own and any(_holds(block, chunk) for block in own):
                dropped.append(DroppedChunk(item.chunk, "duplicate"))
                continue
            parts = [block for block in own if _touches(block, chunk, documents)] if own else []
            block = self._block(parts, chunk, item.score, chunks, documents)
            tokens = count([block.text])[0]
            total = used + tokens - sum(part.tokens for part in parts) if parts else used + tokens
            if total > self.budget:
                dropped.append(DroppedChunk(item.chunk, "budget"))
                continue
            used, block = total, block._replace(tokens=tokens)
            if parts:
                place = blocks.index(parts[0])
                blocks = [*blocks[:place], block, *(rest for rest in blocks[place:] if rest not in parts)]
            else:
                blocks.append(block)
        numbered = tuple(ContextBlock(number, *block) for number, block in enumerate(blocks, 1))
        return PackedContext(numbered, used, self.budget, tuple(dropped))

    def _apart(
        self, ranking: Ranking, chunks: Sequence[Chunk], documents: Mapping[str, Document], count: CountTokens
    ) -> PackedContext:
        """Each chunk a block of its own; a passage that stands there already, under whatever number, is a duplicate."""
        blocks: list[ContextBlock] = []
        dropped: list[DroppedChunk] = []
        passages: set[tuple[str, int, int]] = set()
        used = 0
        for item in ranking:
            chunk = chunks[item.chunk]
            start, end = chunk.parent or (chunk.start, chunk.end)
            passage = chunk.doc_id, start, end
            if passage in passages:
                dropped.append(DroppedChunk(item.chunk, "duplicate"))
                continue
            document = documents.get(chunk.doc_id)
            body = chunk.text if chunk.parent is None or document is None else document.text[start:end]
            text = self._heading(chunk, document, body) + body
            tokens = count([text])[0]
            if used + tokens > self.budget:
                dropped.append(DroppedChunk(item.chunk, "budget"))
                continue
            used += tokens
            passages.add(passage)
            blocks.append(ContextBlock(len(blocks) + 1, *passage, (chunk.number,), text, tokens, item.score))
        return PackedContext(tuple(blocks), used, self.budget, tuple(dropped))

    def _block(
        self,
        parts: Sequence[_Draft],
        chunk: Chunk,
        score: float,
        chunks: Sequence[Chunk],
        documents: Mapping[str, Document],
    ) -> _Draft:
        start, end = chunk.parent or (chunk.start, chunk.end)
        if not parts and chunk.parent is None:
            text = self._heading(chunk, documents.get(chunk.doc_id), chunk.text) + chunk.text
            return _Draft(chunk.doc_id, start, end, (chunk.number,), text, 0, score)
        if parts:
            start = min(start, *(part.start for part in parts))
            end = max(end, *(part.end for part in parts))
        numbers = tuple(dict.fromkeys([*(number for part in parts for number in part.chunks), chunk.number]))
        document = documents.get(chunk.doc_id)
        body = chunk.text if document is None else document.text[start:end]
        first = chunk
        if parts:
            first = min((chunks[number] for number in numbers), key=lambda member: (member.start, member.number))
        heading = self._heading(first, document, body)
        relevance = parts[0].relevance if parts else score
        return _Draft(chunk.doc_id, start, end, numbers, heading + body, 0, relevance)

    def _heading(self, chunk: Chunk, document: Document | None, body: str) -> str:
        """The line in front of a block with its newline, or nothing; a title that the block opens with is not said
        twice."""
        if self.show_headings == "none":
            return ""
        if self.show_headings == "title":
            title = (document.title if document else "") or (chunk.headings[0] if chunk.headings else "")
            trail: tuple[str, ...] = (title,) if title else ()
        else:
            trail = chunk.headings
        opening = body.lstrip().split("\n", 1)[0].lstrip("#").strip()
        if opening in trail:
            trail = trail[: trail.index(opening)]
        return " > ".join(trail) + "\n" if trail else ""


class _Draft(NamedTuple):
    """A block before it has its citation number; fields as in `ContextBlock`."""

    doc_id: str
    start: int
    end: int
    chunks: tuple[int, ...]
    text: str
    tokens: int
    relevance: float | None


def _holds(block: _Draft, chunk: Chunk) -> bool:
    """Whether the chunk is one of the block's, or lies wholly inside it."""
    if chunk.number in block.chunks:
        return True
    start, end = chunk.parent or (chunk.start, chunk.end)
    return block.doc_id == chunk.doc_id and block.start <= start and end <= block.end


def _touches(block: _Draft, chunk: Chunk, documents: Mapping[str, Document]) -> bool:
    """Whether block and chunk overlap or only blanks lie between them."""
    if block.doc_id != chunk.doc_id or chunk.doc_id not in documents:
        return False
    start, end = chunk.parent or (chunk.start, chunk.end)
    low, high = min(block.end, end), max(block.start, start)
    return low >= high or not documents[chunk.doc_id].text[low:high].strip()
