"""Cuts where neighbouring sentences are least alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ragbench.core.workers import Floats
from ragbench.errors import ConfigError
from ragbench.records.document import Document, Span
from ragbench.splitter.base import Cut, EmbedderOpener
from ragbench.splitter.knobs import MergingSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.levels import cut_levels
from ragbench.splitter.packing import Limits, pack
from ragbench.text.sentences import Sentence, sentences

Distances = NDArray[np.float64]
METHODS = ("percentile", "std", "absolute")


@dataclass(frozen=True, kw_only=True)
class SemanticSplitter(MergingSplitter):
    """Embeds each sentence once and cuts between sentences whose surroundings are least alike.

    The distance at a gap is 1 − cosine of the mean vectors of the `buffer` (1–3) sentences before and after it. A
    gap is a border where its distance is above the `value`-th percentile of the document's gaps (`percentile`), above
    mean + `value` standard deviations (`std`), or where the cosine is below `value` (`absolute`; it depends on the
    embedder: cosines of e5 rarely fall under 0.7). Rows of one table are never parted by meaning. A stretch shorter
    than `min_size` joins the next; one longer than `chunk_size` is cut as by `recursive`. Vectors come from the
    variant's embedder through its cache, so the same sentence is never embedded twice.

    Source: the percentile and deviation rules are those of G. Kamradt, "5 Levels of Text Splitting" (2023).

    Raises:
        ConfigError: unknown method, or a value or buffer out of its range.
    """

    DEFAULT_SIZE: ClassVar[int] = 800
    STRUCTURAL: ClassVar[bool] = True

    method: str
    value: float
    buffer: int

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        if self.method not in METHODS:
            raise ConfigError(
                "pipeline.splitter.method", expected=f"one of {', '.join(METHODS)}", found=repr(self.method)
            )
        least, most = {"percentile": (0, 100), "std": (0, 10), "absolute": (-1, 1)}[self.method]
        number = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        if not number or not least <= self.value <= most:
            expected = f"a number from {least} to {most} with method={self.method}"
            raise ConfigError("pipeline.splitter.value", expected=expected, found=repr(self.value))
        if self.buffer not in (1, 2, 3) or isinstance(self.buffer, bool):
            raise ConfigError("pipeline.splitter.buffer", expected="1, 2 or 3 sentences", found=repr(self.buffer))

    @property
    def uses_embedder(self) -> bool:
        """Always."""
        return True

    def open(self, embedder: EmbedderOpener | None) -> Cut:
        """The cutting function; the embedder opens at the first document with more than one sentence."""
        return lambda document: self._spans(document, embedder)

    def spans(self, document: Document) -> list[Span]:
        """Spans of a document that needs no vectors (one sentence at most); raises ConfigError for any other."""
        return self._spans(document, None)

    def _spans(self, document: Document, embedder: EmbedderOpener | None) -> list[Span]:
        text = document.text
        found = sentences(text)
        ruler = Ruler(text, self.unit)
        starts: list[int] = []
        if len(found) > 1:
            if embedder is None:
                raise ConfigError("splitter=semantic", expected="an open embedder", found="none")
            vectors = embedder().embed_documents([text[one.start : one.end] for one in found])
            starts = [found[gap + 1].start for gap in self._borders(found, gap_distances(vectors, self.buffer))]
        limits = Limits(self.size, self._overlap(), self.smallest)
        return pack(text, cut_levels(text), ruler, limits, self._long_enough(starts, ruler, len(text)))

    def _borders(self, found: list[Sentence], distances: Distances) -> list[int]:
        """Gaps that are borders; gap i lies between sentences i and i + 1."""
        if self.method == "percentile":
            limit = float(np.percentile(distances, self.value))
        elif self.method == "std":
            limit = float(distances.mean() + self.value * distances.std())
        else:
            limit = 1.0 - self.value
        return [
            gap
            for gap in np.flatnonzero(distances > limit + 1e-9).tolist()
            if not (found[gap].kind == found[gap + 1].kind == "row")
        ]

    def _long_enough(self, starts: list[int], ruler: Ruler, end: int) -> list[int]:
        """0, the borders that leave `min_size` on both sides, and the text's end."""
        kept = [0]
        for start in starts:
            if ruler.length(kept[-1], start) >= self.smallest and ruler.length(start, end) >= self.smallest:
                kept.append(start)
        return [*kept, end]


def gap_distances(vectors: Floats, buffer: int) -> Distances:
    """1 − cosine between the mean vectors of up to `buffer` rows before and after each gap.

    `vectors` is [n, d] with rows of length 1; the result is [n − 1] in [0, 2] (empty for fewer than two rows). A mean
    of length 0 is as far from everything as orthogonal vectors are.
    """
    n = len(vectors)
    if n < 2:
        return np.zeros(0)
    summed = np.vstack([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0, dtype=np.float64)])
    gaps = np.arange(1, n)
    before = summed[gaps] - summed[np.maximum(gaps - buffer, 0)]
    after = summed[np.minimum(gaps + buffer, n)] - summed[gaps]
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    cosines = (before * after).sum(axis=1) / np.where(lengths > 0, lengths, 1.0)
    distances: Distances = np.clip(1.0 - cosines, 0.0, 2.0)
    return distances
