"""Small chunks to search, large ones to read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

from ragbench.errors import ConfigError
from ragbench.records.document import Document, Heading, Span
from ragbench.splitter.base import Cut, EmbedderOpener, Splitter
from ragbench.splitter.knobs import SizedSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.trim import skip_blanks

_CHILD, _CHILD_OVERLAP = 250, "20%"
_PARENT, _PARENT_OVERLAP = 1200, 200


@dataclass(frozen=True, kw_only=True)
class ParentChildSplitter(Splitter):
    """Parents by one splitter, children inside each by another; only the children are indexed.

    `chunk_size`, `chunk_unit` and `overlap` are those of the children (null: 250 with an overlap of 20 %); a parent
    whose size is null has 1200 with an overlap of 200. Where parents overlap, the children of the later one are cut
    from what is new in it, so that no child stands twice; what is packed is the whole parent. `k` counts distinct
    parents, and retrieval is measured on the children.

    Raises:
        ConfigError: the parents have parents themselves, or are not longer than the children in the same unit.
    """

    parents: Splitter
    children: Splitter

    def __post_init__(self) -> None:
        """Check that the two fit together."""
        if self.parents.has_parents or self.children.has_parents:
            expected = "parents and children by plain splitters"
            raise ConfigError("splitter=parent_child", expected=expected, found="three layers")
        large, small = self._sized()
        if not (isinstance(large, SizedSplitter) and isinstance(small, SizedSplitter)):
            return
        if large.unit == small.unit and large.size <= small.size:
            raise ConfigError(
                "splitter=parent_child",
                expected=f"parents longer than the children's {small.size} {small.unit}",
                found=f"{large.size} {large.unit}",
                hint="Set pipeline.splitter.parents.chunk_size or a smaller chunk_size.",
            )

    @property
    def chunk_size(self) -> int | None:
        """That of the children."""
        return getattr(self._sized()[1], "size", None)

    @property
    def chunk_unit(self) -> str | None:
        """That of the children."""
        return getattr(self._sized()[1], "unit", None)

    @property
    def overlap(self) -> int | str | None:
        """That of the children."""
        return getattr(self._sized()[1], "overlap", None)

    @property
    def uses_embedder(self) -> bool:
        """Whether one of the two does."""
        return self.parents.uses_embedder or self.children.uses_embedder

    @property
    def has_parents(self) -> bool:
        """Always."""
        return True

    def resolved(self) -> Self:
        """The same splitter with the knobs of both filled in."""
        parents, children = self._sized()
        return replace(self, parents=parents.resolved(), children=children.resolved())

    def recipe(self) -> dict[str, Any]:
        """That of the resolved splitter."""
        return super(ParentChildSplitter, self.resolved()).recipe()

    def open(self, embedder: EmbedderOpener | None) -> Cut:
        """The cutting function."""
        splitters = self._sized()
        cut_parents, cut_children = (splitter.open(embedder) for splitter in splitters)
        small = splitters[1]

        def cut(document: Document) -> list[Span]:
            children = list(_children(document, cut_parents(document), cut_children))
            return _flagged(document, children, small) if isinstance(small, SizedSplitter) else children

        return cut

    def spans(self, document: Document) -> list[Span]:
        """The children in order, each with its parent; linear where both splitters are."""
        return self.open(None)(document)

    def _sized(self) -> tuple[Splitter, Splitter]:
        return _with(self.parents, _PARENT, _PARENT_OVERLAP), _with(self.children, _CHILD, _CHILD_OVERLAP)


def _with(splitter: Splitter, size: int, overlap: int | str) -> Splitter:
    """The splitter with a size and, where that is null too, an overlap in place of null."""
    if not isinstance(splitter, SizedSplitter) or splitter.chunk_size is not None:
        return splitter
    return replace(splitter, chunk_size=size, overlap=overlap if splitter.overlap is None else splitter.overlap)


def _children(document: Document, parents: list[Span], cut: Cut) -> Iterator[Span]:
    covered = 0
    for parent in parents:
        first = skip_blanks(document.text, max(parent.start, covered), parent.end)
        for child in cut(_part(document, first, parent.end)):
            yield Span(first + child.start, first + child.end, child.flags, (parent.start, parent.end))
        covered = max(covered, parent.end)


def _flagged(document: Document, children: list[Span], splitter: SizedSplitter) -> list[Span]:
    """The children with `atomic` where they are longer than the size by the units of the whole document: a part that
    begins inside a word or between the tokens of one is counted otherwise by itself."""
    ruler = Ruler(document.text, splitter.unit)
    long = [ruler.length(child.start, child.end) > splitter.size for child in children]
    return [replace(child, flags=("atomic",) if is_long else ()) for child, is_long in zip(children, long)]


def _part(document: Document, start: int, end: int) -> Document:
    """`[start, end)` of a document as a document of its own, with the headings that begin in it."""
    first, last = (bisect_left(document.outline, at, key=lambda heading: heading.start) for at in (start, end))
    outline = tuple(
        Heading(heading.start - start, heading.level, heading.title) for heading in document.outline[first:last]
    )
    return replace(document, text=document.text[start:end], outline=outline, pages=())
