"""Packed contexts of questions as text that people can read and review: what a recording was made over.

JSON Lines, one question a line, sorted by id. With the contexts pinned, what is asked about them depends on no index,
no embedder and no machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragbench.errors import DataError
from ragbench.records.trace import ContextBlock, PackedContext

ChunkIds = Mapping[int, str]


def write_pinned(path: Path, contexts: Mapping[str, PackedContext], chunk_ids: ChunkIds) -> None:
    """Write the contexts by question id; chunks are named by their ids."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [_row(name, contexts[name], chunk_ids) for name in sorted(contexts)]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def read_pinned(path: Path) -> dict[str, PackedContext]:
    """The contexts by question id, without chunk numbers, which only an index has, and without what was dropped; empty
    for a file that is not there.

    Raises DataError naming the first line that holds none.
    """
    if not path.exists():
        return {}
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            found[str(row["question"])] = _context(row)
        except (ValueError, KeyError, TypeError) as error:
            expected = "a question with its passages"
            raise DataError(f"{path} line {number}", expected=expected, found=repr(line[:80])) from error
    return found


def _row(name: str, context: PackedContext, chunk_ids: ChunkIds) -> dict[str, Any]:
    passages = [
        {
            "citation": block.citation,
            "chunks": [chunk_ids[chunk] for chunk in block.chunks],
            "doc": block.doc_id,
            "start": block.start,
            "end": block.end,
            "tokens": block.tokens,
            "text": block.text,
        }
        for block in context.blocks
    ]
    return {"question": name, "tokens": context.tokens, "budget": context.budget, "passages": passages}


def _context(row: Mapping[str, Any]) -> PackedContext:
    blocks = tuple(
        ContextBlock(int(one["citation"]), one["doc"], one["start"], one["end"], (), one["text"], one["tokens"])
        for one in row["passages"]
    )
    return PackedContext(blocks, row["tokens"], row["budget"])
