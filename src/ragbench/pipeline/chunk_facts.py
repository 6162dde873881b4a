"""What is found out once about a chunk set, for all questions and all variants that share it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ragbench.core.recent import Recent
from ragbench.packer.tokens import estimate_tokens
from ragbench.pipeline.visibility import Visibility
from ragbench.records.document import Chunk
from ragbench.records.search import Ranked, Ranking

_KEPT = 1 << 24
"""Characters of counted texts that are kept."""


class ChunkFacts:
    """Token counts of a chunk set and what requests may see of it; threads may share it."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = chunks
        self._counted: Recent[int] = Recent(_KEPT)

    @cached_property
    def tokens(self) -> list[int]:
        """Tokens of each chunk's text, by chunk number."""
        return estimate_tokens([chunk.text for chunk in self.chunks])

    @cached_property
    def visibility(self) -> Visibility:
        """What each request may see."""
        return Visibility(self.chunks)

    @cached_property
    def _by_text(self) -> dict[str, int]:
        return dict(zip((chunk.text for chunk in self.chunks), self.tokens, strict=True))

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens for budgets by the estimate that needs no model; most texts come again and are counted once."""
        found = [self._known(text) for text in texts]
        if None not in found:
            return found  # type: ignore[return-value]  # each is known
        missing = [text for text, n in zip(texts, found, strict=True) if n is None]
        if missing:
            new = iter(estimate_tokens(missing))
            found = [next(new) if n is None else n for n in found]
            for text, n in zip(texts, found, strict=True):
                self._counted.put(text, n or 0, len(text) + 1)
        return [n or 0 for n in found]

    def _known(self, text: str) -> int | None:
        n = self._by_text.get(text)
        return self._counted.get(text) if n is None else n


def best_of_parents(ranking: Ranking, chunks: Sequence[Chunk], k: int) -> Ranking:
    """The best hit of each of the first `k` distinct parents, in order."""
    best: dict[str | None, Ranked] = {}
    for item in ranking:
        best.setdefault(chunks[item.chunk].parent_id, item)
        if len(best) == k:
            break
    return tuple(best.values())
