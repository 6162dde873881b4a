"""A contextual prefix on what is embedded and searched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import ClassVar

from ragbench.core.stage import Stage
from ragbench.errors import ConfigError
from ragbench.records.document import Chunk, Document
from ragbench.splitter.trail import Trails

KINDS = ("none", "headings", "title")


@dataclass(frozen=True, kw_only=True)
class ContextPrefix(Stage):
    """Puts a line in front of `index_text`; `text`, offsets and what the generator sees stay as they are.

    `headings`: the chunk's trail of headings, `A > B > C`, without those that stand in the chunk itself.
    `title`: the document's title, or its file name where it has none. `none`: nothing.

    Raises:
        ConfigError: another kind.
    """

    VERSION: ClassVar[int] = 2

    kind: str

    def __post_init__(self) -> None:
        """Check the kind."""
        if self.kind not in KINDS:
            raise ConfigError("context", expected=f"one of {', '.join(KINDS)}", found=repr(self.kind))

    def apply(self, chunks: Iterable[Chunk], documents: Mapping[str, Document]) -> list[Chunk]:
        """The chunks in order with their prefixes; a chunk whose prefix is empty is unchanged."""
        if self.kind == "none":
            return list(chunks)
        prefixes = {doc_id: _Prefixes(self.kind, document) for doc_id, document in documents.items()}
        return [_with_prefix(chunk, prefixes[chunk.doc_id].of(chunk)) for chunk in chunks]


class _Prefixes:
    """Prefixes of the chunks of one document."""

    def __init__(self, kind: str, document: Document) -> None:
        titled = kind == "title"
        self._title = (document.title or PurePosixPath(document.doc_id).stem) if titled else None
        self._trails = None if titled else Trails(document)

    def of(self, chunk: Chunk) -> str:
        if self._trails is None:
            return self._title or ""
        trail = self._trails.trails[self._trails.index(chunk.start, chunk.end)]
        return " > ".join(heading.title for heading in trail if heading.start < chunk.start)


def _with_prefix(chunk: Chunk, prefix: str) -> Chunk:
    return replace(chunk, index_text=f"{prefix}\n{chunk.text}") if prefix else chunk
