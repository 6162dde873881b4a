"""What all packers of blocks share: the budget, how blocks are made, and their citation numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragbench.errors import ConfigError
from ragbench.packer.base import NOTHING_ASKED, CountTokens, Packer
from ragbench.packer.filling import HEADINGS, Draft, Filling, Manner, ShowHeadings, Sources
from ragbench.packer.model_tokens import fingerprint_of, token_counter
from ragbench.records.document import Chunk, Document
from ragbench.records.search import Ranking
from ragbench.records.trace import Asked, ContextBlock, DroppedChunk, PackedContext

_MOST_TOKENS = 20
"""More tokens than any tokeniser makes of a character, and of the ends of a text: one becomes at most 18 by NFKC."""
Packed = tuple[Sequence[Draft], Sequence[DroppedChunk]]


@dataclass(frozen=True, kw_only=True)
class BlockPacker(Packer):
    """Whole chunks as blocks in some order; what does not fit is skipped and the next is tried.

    The texts of the blocks together, heading lines included, have at most `budget` tokens, and at most what the model's
    `window` leaves: window − `system` (the prompt's own text) − earlier turns − question − `answer` (what may be
    written). Tokens are those of `tokenizer` (a `tokenizer.json` of the model), else the estimate of `packer.tokens`.

    Args:
        show_headings: `trail` puts the trail of headings in front of each block, `title` the title of its document.
        merge_neighbours: chunks of one document that overlap or touch (nothing but blanks between them) become one
            block at the better rank, whose text is the document's over the union; no character stands twice.
        truncate: a chunk that does not fit, and touches none that does, is cut at the end of a sentence.

    A chunk whose text stands in the context already is dropped as `duplicate`. In place of a chunk that has a parent
    stands the parent. Raises ConfigError for lengths that are no whole numbers or leave nothing, and DataError where
    the tokenizer cannot be read.
    """

    budget: int
    window: int
    system: int
    answer: int
    show_headings: ShowHeadings
    merge_neighbours: bool
    truncate: bool
    tokenizer: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Check the knobs."""
        for name, least in (("budget", 1), ("window", 1), ("system", 0), ("answer", 0)):
            check_whole(name, getattr(self, name), least)
        if self.most < 1:
            raise ConfigError(
                "pipeline.packer.window",
                expected=f"more than system and answer together ({self.system} + {self.answer})",
                found=str(self.window),
                hint="Reserve less for the answer, or use a model with a larger window.",
            )
        if self.show_headings not in HEADINGS:
            raise ConfigError(
                "pipeline.packer.show_headings", expected="none, trail or title", found=repr(self.show_headings)
            )

    def identity(self) -> dict[str, Any]:
        """The content of the tokenizer."""
        return {"tokenizer": fingerprint_of(self.tokenizer)} if self.tokenizer else {}

    @property
    def manner(self) -> Manner:
        """How blocks are made."""
        return Manner(self.show_headings, self.merge_neighbours, self.truncate)

    @property
    def most(self) -> int:
        """Tokens that the window leaves for question, earlier turns and blocks."""
        return self.window - self.system - self.answer

    def room(self, asked: Asked, count: CountTokens) -> int:
        """Tokens left for the blocks; 0 where question and earlier turns fill the window."""
        texts = (asked.question, *asked.history)
        if self.budget + _MOST_TOKENS * (sum(map(len, texts)) + len(texts)) <= self.most:
            return self.budget  # however they are counted
        read = sum(count(texts))
        return max(0, min(self.budget, self.most - read))

    def pack(
        self,
        ranking: Ranking,
        chunks: Sequence[Chunk],
        documents: Mapping[str, Document],
        count: CountTokens,
        asked: Asked = NOTHING_ASKED,
    ) -> PackedContext:
        """The context of `ranking`; an empty ranking gives an empty context. `relevance` of a block is the score of
        its best chunk, on the scale of the ranking."""
        counted = token_counter(self.tokenizer) if self.tokenizer else count
        budget = self.room(asked, counted)
        drafts, dropped = self.blocks(ranking, Sources(chunks, documents, counted), budget)
        numbered = tuple(ContextBlock(number, *draft) for number, draft in enumerate(drafts, 1))
        return PackedContext(numbered, sum(draft.tokens for draft in drafts), budget, tuple(dropped))

    @abstractmethod
    def blocks(self, ranking: Ranking, sources: Sources, budget: int) -> Packed:
        """The blocks in reading order, and what is not among them."""

    def filled(self, ranking: Ranking, sources: Sources, budget: int) -> Filling:
        """The ranking taken in as far as it fits."""
        filling = Filling(self.manner, sources, budget)
        for item in ranking:
            filling.add(item)
        return filling


def check_whole(name: str, value: object, least: int) -> None:
    """Raises ConfigError unless a knob is a whole number of at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        expected = f"a whole number of at least {least}"
        raise ConfigError(f"pipeline.packer.{name}", expected=expected, found=repr(value))
