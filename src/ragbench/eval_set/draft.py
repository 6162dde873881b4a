"""What an importer hands over: the files of a corpus, and questions whose evidence is still a claim."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragbench.records.question import Turn


@dataclass(frozen=True, kw_only=True)
class ImportRequest:
    """What the user asked for.

    `sources` are the files and folders given, in order. `language` is `zh`, `en`, `mixed` or None (told by the text).
    `unit` is what becomes a document where a format knows paragraphs and articles. `columns` maps a field of ours to a
    column of theirs; `separator` stands between several quotes in one cell. `collection` keeps one part of a format
    that has several.
    """

    sources: tuple[Path, ...]
    language: str | None = None
    unit: str = "paragraph"
    columns: Mapping[str, str] = field(default_factory=dict)
    separator: str = "||"
    collection: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A piece of evidence as the source states it, not located yet.

    `docs` are the documents it may lie in, none meaning any of the corpus. `start` indexes the document's text as the
    source has it (before normalisation). `whole` claims need no quote. `repair` says what had to be put right to read
    the claim at all; it is counted once the claim is placed.
    """

    group: str
    docs: tuple[str, ...] = ()
    quote: str = ""
    start: int | None = None
    whole: bool = False
    repair: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftQuestion:
    """A question with its claims; claims of one group are alternatives, and all groups are needed.

    The claims of an unanswerable question are not looked at. `category`, `difficulty`, `split` and `language` are final
    where given; an absent split is drawn from the id, an absent language told by the question. `history` are the turns
    before it, `standalone` is the question in words that need none of them.
    """

    id: str
    question: str
    claims: tuple[Claim, ...] = ()
    answerable: bool = True
    category: str = "lookup"
    reference: str = ""
    language: str | None = None
    difficulty: str | None = None
    split: str | None = None
    standalone: str | None = None
    history: tuple[Turn, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of the corpus to be: its path below `corpus/`, its bytes, and the text that the source's offsets index
    (None where the source has no offsets)."""

    name: str
    data: bytes
    raw: str | None = None

    @classmethod
    def text(cls, name: str, text: str) -> CorpusFile:
        """A text of the source as a file of its own; NUL, which no text file may hold, is left out."""
        return cls(name, text.replace("\x00", "").encode("utf-8", "replace"), raw=text)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """An eval set before its evidence is placed.

    `every_place`: a quote without an offset that stands at several places is accepted at each of them, up to this
    many, as alternatives (1: such a quote is no evidence). `files` may be read anew at each iteration. `title`,
    `licence`, `method` and `limits` go to the datasheet. `needs_questions` marks a corpus that comes without any: the
    set is then not frozen. `original_ids` maps documents to their ids in the source, for files that others score.
    """

    title: str
    licence: str
    method: str
    limits: tuple[str, ...]
    files: Collection[CorpusFile]
    questions: tuple[DraftQuestion, ...]
    every_place: int = 1
    needs_questions: bool = False
    original_ids: Mapping[str, str] = field(default_factory=dict)
