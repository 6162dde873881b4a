"""BM25 on words, for Chinese and English."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ragbench.core.codec import read_json, write_json
from ragbench.core.workers import Floats
from ragbench.errors import ConfigError, DataError
from ragbench.index.base import FoundList, Ints
from ragbench.index.selection import NOTHING, best, chosen
from ragbench.sparse.analyser import ANALYSERS, VERSION, Analyser
from ragbench.sparse.base import Sparse
from ragbench.sparse.lexicon import lexicon
from ragbench.sparse.stop_words import FUNCTION_WORDS
from ragbench.sparse.weights import IDF, Postings, bm25_postings

STOP_WORDS: Mapping[str, frozenset[str]] = {"none": frozenset(), "function": FUNCTION_WORDS}
_HEAD, _LIBRARY = "index.json", "bm25s"


class Bm25Reader:
    """An open BM25 index; `library` is None for a corpus without a single term."""

    def __init__(self, library: Any, size: int, analyse: Analyser) -> None:
        self._library, self._analyse = library, analyse
        self.size = size

    def search(self, text: str, depth: int, allowed: Ints | None = None) -> FoundList:
        """See `OpenSparse.search`. A term that stands twice in the query counts twice, an unknown one not at all."""
        if self._library is None or depth <= 0:
            return NOTHING
        known = self._library.get_tokens_ids(self._analyse(text))
        if not known:
            return NOTHING
        scores = self._scores(known)
        if allowed is None:
            numbers = np.flatnonzero(scores > 0).astype(np.int32)
        else:
            within = chosen(allowed, self.size)
            numbers = within[scores[within] > 0]
        return best(scores[numbers], numbers, depth)

    def _scores(self, terms: Sequence[int]) -> Floats:
        """Sums of the weights of all texts [size], float32.

        Added up in float64, where float32 weights lose nothing, so that what scores the same is a tie whatever the
        order of the terms; the library adds in float32.
        """
        postings = self._library.scores
        first = np.asarray(terms)
        lows, highs = postings["indptr"][first].tolist(), postings["indptr"][first + 1].tolist()
        spans = [slice(low, high) for low, high in zip(lows, highs)]
        texts = np.concatenate([postings["indices"][span] for span in spans])
        weights = np.concatenate([postings["data"][span] for span in spans])
        return np.bincount(texts, weights, self.size).astype(np.float32)


@dataclass(frozen=True, kw_only=True)
class Bm25Sparse(Sparse):
    """BM25 (k1, b) over the terms of an analyser, on bm25s with numpy.

    score(q, d) = Σ_t∈q idf(t) · f·(k1+1) / (f + k1·(1 − b + b·|d|/avgdl)); f is how often t stands in d, |d| the
    number of d's terms, avgdl its mean over all texts, empty ones included. Scores are float32 and above 0.

    Args:
        analyser: `jieba` or `bigram`, see `ragbench.sparse.analyser`; the same for index and query.
        stop_words: `function` leaves out the words of `ragbench.sparse.stop_words`, `none` leaves out nothing.
        k1: how fast repetition saturates, 0 or more.
        b: how much length counts, 0 to 1.
        method: the form of idf, `lucene`, `robertson` or `atire`, see `ragbench.sparse.weights`.
    """

    VERSION: ClassVar[int] = 2
    LIBRARIES: ClassVar[tuple[str, ...]] = ("bm25s", "jieba")

    analyser: str
    stop_words: str
    k1: float
    b: float
    method: str

    def __post_init__(self) -> None:
        for name, options in (("analyser", ANALYSERS), ("stop_words", STOP_WORDS), ("method", IDF)):
            if getattr(self, name) not in options:
                raise ConfigError(
                    f"pipeline.sparse.{name}", expected=" or ".join(options), found=repr(getattr(self, name))
                )
        for name, highest in (("k1", float("inf")), ("b", 1.0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= highest:
                span = "0 or more" if name == "k1" else "0 to 1"
                raise ConfigError(f"pipeline.sparse.{name}", expected=f"a number, {span}", found=repr(value))

    def identity(self) -> dict[str, Any]:
        """The version of the analyser."""
        return {"analyser_version": VERSION}

    def analyse(self, text: str) -> list[str]:
        """Terms of a text, the same for index and query."""
        terms = ANALYSERS[self.analyser](text)
        left_out = STOP_WORDS[self.stop_words]
        return [term for term in terms if term not in left_out] if left_out else terms

    def build(self, folder: Path, texts: Sequence[str]) -> dict[str, Any]:
        """See `Sparse.build`. Equal texts give equal files."""
        return self._build(folder, texts, None)

    def build_noting(self, folder: Path, texts: Sequence[str], notes: dict[str, list[str]]) -> dict[str, Any]:
        """See `Sparse.build_noting`. Only lines that are not in `notes` are cut into words."""
        return self._build(folder, texts, notes)

    def _build(self, folder: Path, texts: Sequence[str], notes: dict[str, list[str]] | None) -> dict[str, Any]:
        terms, lengths, vocabulary = lexicon(self.analyser).encode(texts, STOP_WORDS[self.stop_words], notes)
        if vocabulary:
            postings = bm25_postings(terms, lengths, k1=self.k1, b=self.b, method=self.method)
            self._save(folder / _LIBRARY, postings, vocabulary)
        write_json(folder / _HEAD, {"size": len(lengths), "terms": len(vocabulary), "made_with": self._made_with()})
        return {
            "n_chunks": len(lengths),
            "n_terms": len(vocabulary),
            "mean_length": float(lengths.mean()) if len(lengths) else 0.0,
            "n_without_terms": int(np.count_nonzero(lengths == 0)),
            "bytes": sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
        }

    def _save(self, folder: Path, postings: Postings, vocabulary: dict[str, int]) -> None:
        library = _bm25s().BM25(k1=self.k1, b=self.b, method="atire", idf_method=self.method, backend="numpy")
        library.scores = postings
        library.vocab_dict = vocabulary
        library.nonoccurrence_array = None
        library.save(folder, show_progress=False)

    @contextmanager
    def open(self, folder: Path) -> Iterator[Bm25Reader]:
        """See `Sparse.open`. Raises DataError when the folder holds no index, or one made with another analyser."""
        try:
            head = read_json(folder / _HEAD)
            if head["made_with"] != self._made_with():
                raise ValueError(f"one made with {head['made_with']}, not {self._made_with()}")
            library = None
            if head["terms"]:
                library = _mapped(folder / _LIBRARY)
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise DataError(
                f"index {folder}", expected="a BM25 index built here", found=str(error), hint="Build it again."
            ) from error
        yield Bm25Reader(library, head["size"], self.analyse)

    def _made_with(self) -> str:
        return f"analyser {self.analyser} {VERSION}, stop words {self.stop_words}"


def _mapped(folder: Path) -> Any:
    """The library's index with its postings left on disk: opening reads the vocabulary, a search the terms it needs."""
    library = _bm25s().BM25.load(folder, mmap=True, show_progress=False)
    for name in ("data", "indices", "indptr"):
        library.scores[name] = np.asarray(library.scores[name])  # slices of a memmap object take twice as long
    return library


def _bm25s() -> Any:
    import bm25s

    return bm25s
