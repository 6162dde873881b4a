"""The XLM-R unigram tokeniser of multilingual-e5-small, built from the weights file.

Text is normalised code point by code point (NFKC-like), runs of blanks become one, outer blanks go, every word begins
with `▁`, and the unigram model cuts each word into its most probable pieces (Kudo 2018, arXiv:1804.10959).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragbench.core.file_hash import models_dir
from ragbench.embedder import e5_file
from ragbench.embedder.e5_alignment import Alignment, Places
from ragbench.text.code_points import code_points

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BLANKS = re.compile(" {2,}")
_LONGEST_WORD = 1 << 18
_PART = 1 << 12
_CONTROL_PIECES = frozenset({"<s>", "<pad>", "</s>", "<unk>", "<mask>"})


class E5Tokenizer:
    """Texts to token ids, without special tokens. Use from several threads is safe."""

    def __init__(self, file: e5_file.E5File) -> None:
        self._map = file.normaliser()
        # What UTF-8 cannot hold or C strings end at must not reach the model; it becomes a blank as U+FFFD does.
        self._map.update(dict.fromkeys([0, *range(0xD800, 0xE000)], " "))
        pieces = file.vocabulary()
        self._tokenizer = _build(pieces, file.shape.unknown)
        self._lengths = np.array([len(piece) for piece, _ in pieces], dtype=np.int64)
        self._unknown = file.shape.unknown
        self._lengths[self._unknown] = 0
        self._in_pieces = _characters(" ", *(piece for piece, _ in pieces))
        self._alignment: Alignment | None = None

    def normalise(self, text: str) -> str:
        """The text as the model cuts it."""
        return _BLANKS.sub(" ", text.translate(self._map)).strip(" ")

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text; empty for a text without visible characters."""
        clean = [self.normalise(text) for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text."""
        return [len(ids) for ids in self.encode(texts)]

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Half-open character interval of each token in `text` as given, in order; as many as `count_tokens` says.

        A blank belongs to the token that follows it, of a run of blanks its first. The mark that opens the text where
        its first piece has no own room (Chinese) is the empty interval before the first visible character; several
        tokens from one character (`㎏` → `kg`) share its interval.
        """
        spans: list[tuple[int, int]] = []
        for starts, ends in self._intervals(text, sys.maxsize):
            spans += zip(starts.tolist(), ends.tolist())
        return spans

    def token_starts(self, text: str) -> Iterator[Places]:
        """Where each token of `token_offsets` starts, ascending, in pieces of [n] that follow each other.

        No more than a piece is held at a time. A run of more than 262 144 characters without a blank is cut there, and
        its tokens are those of the parts.
        """
        return (starts for starts, _ in self._intervals(text, _LONGEST_WORD))

    def _intervals(self, text: str, longest: int) -> Iterator[tuple[Places, Places]]:
        """Start and end of the tokens, piece by piece; a word is cut from the others, as the model itself does."""
        if self._alignment is None:
            self._alignment = Alignment(self._map)
        for piece, places in self._alignment.pieces(text, longest):
            ends = self._token_ends(piece)
            starts = np.append(0, ends[:-1])
            yield places[starts], np.where(ends > 0, places[ends - 1] + 1, places[0])

    def _token_ends(self, piece: str) -> Places:
        """Where each token of a normalised text ends; the mark `▁` that the model adds in front takes no room."""
        parts = list(_parts(piece))
        found = self._tokenizer.encode_batch_fast(parts, add_special_tokens=False)
        ends: list[Places] = []
        begun = 0
        for part, encoding in zip(parts, found):
            stops = self._stops(part, np.array(encoding.ids, dtype=np.int64))
            ends.append(stops + begun)
            begun += len(part)
        return np.concatenate(ends)

    def _stops(self, part: str, ids: NDArray[np.int64]) -> Places:
        """Where the tokens of a part end, those for unknown characters by how many of these stand in a row."""
        lengths, mark = self._lengths[ids], int(part[0] != " ")
        unknown = np.flatnonzero(ids == self._unknown)
        if len(unknown):
            missing = len(part) + mark - int(lengths.sum())
            runs = self._runs_in_no_piece(part)
            if len(runs) != len(unknown) or runs.sum() != missing:
                return self._stops_by_offsets(part)
            lengths[unknown] = runs
        stops: Places = np.cumsum(lengths) - mark
        return stops

    def _runs_in_no_piece(self, part: str) -> NDArray[np.int64]:
        """Lengths of the runs of characters that no piece holds; they are unknown however the text is cut."""
        absent = ~self._in_pieces.take(code_points(part), mode="clip")
        borders = np.flatnonzero(np.diff(absent, prepend=False, append=False))
        return borders[1::2] - borders[::2]

    def _stops_by_offsets(self, part: str) -> Places:
        """The same from the library's offsets, which take several times as long."""
        slow = self._tokenizer.encode(part, add_special_tokens=False)
        stops = np.fromiter((end for _, end in slow.offsets), dtype=np.int64, count=len(slow))
        if slow.tokens[0] == "▁" and part[0] != " ":
            stops[0] = 0
        return stops


def _characters(*texts: str) -> NDArray[np.bool_]:
    """Which code points stand in any of the texts; the last entry is for all that follow."""
    points = code_points("".join(set("".join(texts))))
    found = np.zeros(int(points.max()) + 2, dtype=np.bool_)
    found[points] = True
    return found


def _parts(piece: str) -> Iterator[str]:
    """A piece cut before blanks every few thousand characters."""
    start = 0
    while start < len(piece):
        end = piece.find(" ", start + _PART)
        end = len(piece) if end < 0 else end
        yield piece[start:end]
        start = end


@lru_cache(maxsize=1)
def load_tokenizer(path: Path) -> E5Tokenizer:
    """The tokeniser of a weights file, built once a process (about 0.7 s)."""
    return E5Tokenizer(e5_file.E5File(path))


def count_tokens(text: str) -> int:
    """Tokens of one text in the offline embedder's tokeniser, without special and prefix tokens.

    Raises ConfigError where the weights are not installed.
    """
    return _installed().count_tokens([text])[0]


def token_offsets(text: str) -> list[tuple[int, int]]:
    """Character intervals of one text's tokens in the offline embedder's tokeniser; see `E5Tokenizer.token_offsets`."""
    return _installed().token_offsets(text)


def token_starts(text: str) -> Iterator[Places]:
    """Where the tokens of one text start in the offline embedder's tokeniser; see `E5Tokenizer.token_starts`."""
    return _installed().token_starts(text)


@cache
def _installed() -> E5Tokenizer:
    return load_tokenizer(e5_file.verified(models_dir()))


def _build(vocabulary: list[tuple[str, float]], unknown: int) -> Tokenizer:
    from tokenizers import Tokenizer, models, pre_tokenizers

    # A document that spells `</s>` must not end the sequence: NUL never survives normalising, so these never match.
    pieces = [(f"\0{piece}" if piece in _CONTROL_PIECES else piece, score) for piece, score in vocabulary]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=unknown, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    return tokenizer
