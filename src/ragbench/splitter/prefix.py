"""A contextual prefix on what is embedded and searched."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ragbench.core.stage import Stage
from ragbench.errors import ConfigError
from ragbench.records.document import Chunk, Document
from ragbench.splitter.chunking import heading_trails

KINDS = ("none", "headings", "title")


@dataclass(frozen=True, kw_only=True)
class ContextPrefix(Stage):
    """Puts a line in front of `index_text`; `text`, offsets and what the generator sees stay as they are.

    `headings`: the trail of headings above the chunk, `A > B > C`, without a heading that the chunk itself begins with.
    `title`: the document's title, or its file name where it has none. `none`: nothing.

    Raises:
        ConfigError: another kind.
    """

    kind: str

    def __post_init__(self) -> None:
        """Check the kind."""
        if self.kind not in KINDS:
            raise ConfigError("context", expected=f"one of {', '.join(KINDS)}", found=repr(self.kind))

    def apply(self, chunks: Iterable[Chunk], documents: Mapping[str, Document]) -> list[Chunk]:
        """The chunks in order with their prefixes; a chunk without headings above it is unchanged."""
        if self.kind == "none":
            return list(chunks)
        prefixes = {doc_id: _Prefixes(self.kind, document) for doc_id, document in documents.items()}
        return [_with_prefix(chunk, prefixes[chunk.doc_id].of(chunk.start)) for chunk in chunks]


class _Prefixes:
    """Prefixes of one document by offset."""

    def __init__(self, kind: str, document: Document) -> None:
        titled = kind == "title"
        self._title = (document.title or PurePosixPath(document.doc_id).stem) if titled else None
        self._starts = [] if titled else [heading.start for heading in document.outline]
        self._trails = [] if titled else [" > ".join(trail) for trail in heading_trails(document.outline)]

    def of(self, start: int) -> str:
        if self._title is not None:
            return self._title
        position = bisect_left(self._starts, start)
        return self._trails[position]


def _with_prefix(chunk: Chunk, prefix: str) -> Chunk:
    return replace(chunk, index_text=f"{prefix}\n{chunk.text}") if prefix else chunk
