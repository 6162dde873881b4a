"""The texts that a report shows: chunks and blocks of contexts, each once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragbench.records.trace import ContextBlock

TextOf = Callable[[str], str | None]


@dataclass
class ChunkTexts:
    """The chunks that some question shows, each once.

    `places` maps a chunk number to `(document, start, end, headings)`. Blocks of contexts that are no chunk are
    `blocks`, numbered behind the chunks.
    """

    places: Sequence[tuple[str, int, int, tuple[str, ...]]]
    used: dict[int, None] = field(default_factory=dict)
    blocks: dict[tuple[str, int, int, str], int] = field(default_factory=dict)

    def use(self, number: int) -> bool:
        """Note that a chunk is shown; False for a number that is no chunk."""
        if not 0 <= number < len(self.places):
            return False
        self.used.setdefault(number)
        return True

    def use_block(self, block: ContextBlock) -> int:
        """Note that a block of a context is shown; the number of its text, that of a chunk where it is just one."""
        place = (block.doc_id, block.start, block.end)
        if len(block.chunks) == 1 and len(block.text) == block.end - block.start:
            (number,) = block.chunks
            if self.use(number) and self.places[number][:3] == place:
                return number
        key = (block.doc_id, block.start, block.end, block.text)
        return self.blocks.setdefault(key, len(self.places) + len(self.blocks))

    def rows(self, text_of: TextOf, budget: int, most: int = 6000) -> list[dict[str, Any]]:
        """One row a text shown: where it lies, its headings and its text, shortened so that all texts together keep to
        the budget in bytes. A text that is not at hand is None; `x` marks a block that reads otherwise than its place.
        """
        rows: list[dict[str, Any]] = []
        for number in self.used:
            doc_id, start, end, headings = self.places[number]
            whole = text_of(doc_id)
            text = whole[start:end] if whole is not None else None
            rows.append({"n": number, "d": doc_id, "s": start, "e": end, "h": list(headings[-3:]), "t": text})
        for (doc_id, start, end, text), number in self.blocks.items():
            whole = text_of(doc_id)
            same = whole is not None and whole[start:end] == text
            block: dict[str, Any] = {"n": number, "d": doc_id, "s": start, "e": end, "h": [], "t": text}
            rows.append(block if same else block | {"x": 1})
        limit = _limit([row["t"] for row in rows if row["t"] is not None], budget, most)
        for row in rows:
            row["c"] = row["t"] is not None and len(row["t"]) > limit
            row["t"] = row["t"][:limit] if row["c"] else row["t"]
        return rows


def _limit(texts: Sequence[str], budget: int, most: int) -> int:
    """The largest number of characters of a text, up to `most`, with which all of them keep to the budget in bytes."""
    low, high = 1, most
    while low < high:
        middle = (low + high + 1) // 2
        if sum(len(text[:middle].encode("utf-8", "replace")) for text in texts) <= budget:
            low = middle
        else:
            high = middle - 1
    return low


def place(row: Any) -> tuple[str, int, int, tuple[str, ...]]:
    """Document, interval and headings of a row of chunks.jsonl.gz."""
    return str(row["doc_id"]), int(row["start"]), int(row["end"]), tuple(row.get("headings") or ())
