"""A contextual prefix on what is embedded and searched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import ClassVar

from ragbench.core.stage import Stage
from ragbench.embedder.token_estimate import estimated_starts
from ragbench.errors import ConfigError
from ragbench.records.document import Chunk, Document
from ragbench.splitter.trail import Trails
from ragbench.text.central import central_sentences

KINDS = ("none", "headings", "title", "summary")
_LONGEST_SUMMARY = 50


@dataclass(frozen=True, kw_only=True)
class ContextPrefix(Stage):
    """Puts a line in front of `index_text`; `text`, offsets and what the generator sees stay as they are.

    `headings`: the chunk's trail of headings, `A > B > C`, without those that stand in the chunk itself.
    `title`: the document's title, or its file name where it has none. `none`: nothing.
    `summary`: the most central sentence (see `text.central`) of the section before the chunk's own, the nearest that
    has text under its heading; of source code the signature of the definition before; in a document without headings
    of the chunk before, as far as it does not overlap. Of the sentences of at most 50 estimated tokens
    (`embedder.token_estimate`), else the most central one cut to 50. What nothing precedes has none.

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
        prefixes = {doc_id: _MAKERS[self.kind](document) for doc_id, document in documents.items()}
        return [_with_prefix(chunk, prefixes[chunk.doc_id].of(chunk)) for chunk in chunks]


class _Titles:
    """The title for every chunk of one document."""

    def __init__(self, document: Document) -> None:
        self._title = document.title or PurePosixPath(document.doc_id).stem

    def of(self, chunk: Chunk) -> str:
        return self._title


class _Headings:
    """The headings above each chunk of one document."""

    def __init__(self, document: Document) -> None:
        self._trails = Trails(document)

    def of(self, chunk: Chunk) -> str:
        trail = self._trails.trails[self._trails.index(chunk.start, chunk.end)]
        return " > ".join(heading.title for heading in trail if heading.start < chunk.start)


class _Summaries:
    """What stands before each chunk of one document, in a sentence; asked in the order of the chunks."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._trails = Trails(document) if document.outline else None
        is_code = document.doc_type == "code"
        self._signatures = ["", *(heading.title if is_code else "" for heading in document.outline)]
        self._of_section: list[str] = []
        self._before: Chunk | None = None

    def of(self, chunk: Chunk) -> str:
        if self._trails is not None:
            return self._section_before(self._trails, self._trails.index(chunk.start, chunk.end))
        before, self._before = self._before, chunk
        return _summary(self._text[before.start : min(before.end, chunk.start)]) if before else ""

    def _section_before(self, trails: Trails, number: int) -> str:
        """The summary of the nearest section before section `number` that has one; each is made once."""
        known = self._of_section
        while len(known) < number:
            start, end = trails.body(len(known))
            made = self._signatures[len(known)] or _summary(self._text[start:end])
            known.append(made or (known[-1] if known else ""))
        return known[number - 1] if number else ""


_MAKERS: Mapping[str, type[_Titles | _Headings | _Summaries]] = {
    "title": _Titles,
    "headings": _Headings,
    "summary": _Summaries,
}


def _summary(text: str) -> str:
    """The most central sentence that is short enough, or the most central one cut where a token begins."""
    found = central_sentences(text)
    for sentence in found:
        if len(estimated_starts(sentence)) <= _LONGEST_SUMMARY:
            return sentence
    return found[0][: estimated_starts(found[0])[_LONGEST_SUMMARY]].rstrip() if found else ""


def _with_prefix(chunk: Chunk, prefix: str) -> Chunk:
    return replace(chunk, index_text=f"{prefix}\n{chunk.text}") if prefix else chunk
