"""The offline default: multilingual-e5-small (Wang et al. 2024, arXiv:2402.05672), no torch, no download."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragbench.core.file_hash import models_dir
from ragbench.core.fingerprint import fingerprint
from ragbench.core.stage import library_version
from ragbench.core.workers import Floats
from ragbench.embedder import e5_file, e5_runtime
from ragbench.embedder.base import Embedder
from ragbench.embedder.e5_tokenizer import E5Tokenizer, load_tokenizer
from ragbench.embedder.unit_vectors import unit_rows, unit_tokens, weighted_mean
from ragbench.embedder.windows import check_overflow, windows
from ragbench.errors import ConfigError

_SLICE = 256
_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class E5Small(Embedder):
    """multilingual-e5-small, 384 dimensions, mean pooling over all tokens of a window.

    `runtime`: `int8` (onnxruntime, fastest), `q4` (onnxruntime, the 4-bit weights as stored), `fp32`
    (onnxruntime, the same weights expanded), `numpy` (the same, slowest, needs no onnxruntime) or `auto`, the first of
    int8, q4, numpy that runs here. Every text is a call of its own, so a vector depends neither on its batch nor on
    `threads`. `overflow` is for texts of more tokens than one window holds: `window_mean` (token-weighted mean over
    equal windows) or `truncate`. A prefix is tokenised on its own and put in front of every window.
    `threads` 0 means one per core. Built models and remembered hashes lie in `<cache_dir>/models`.
    """

    VERSION: ClassVar[int] = 1
    LIBRARIES: ClassVar[tuple[str, ...]] = ("tokenizers", "onnxruntime")

    runtime: str
    overflow: str
    query_prefix: str
    passage_prefix: str
    threads: int = field(default=0, compare=False)
    cache_dir: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if self.runtime not in e5_runtime.RUNTIMES:
            expected = ", ".join(e5_runtime.RUNTIMES)
            raise ConfigError("pipeline.embedder.runtime", expected=f"one of {expected}", found=repr(self.runtime))
        check_overflow(self.overflow)
        if self.threads < 0:
            raise ConfigError("pipeline.embedder.threads", expected="0 (one per core) or more", found=str(self.threads))

    @property
    def installed(self) -> bool:
        """Whether the package with the weights is there."""
        return e5_file.locate() is not None

    def identity(self) -> dict[str, Any]:
        """Runtime that `auto` takes here, its precision and the hash of the weights; nothing is loaded."""
        return self._identity(e5_runtime.resolve(self.runtime, self.cache_dir))

    def recipe(self) -> dict[str, Any]:
        """As of any stage, with `runtime` as it runs: `auto` that takes int8 and `int8` are one vector space."""
        return self._recipe(e5_runtime.resolve(self.runtime, self.cache_dir))

    def space(self, runtime: str) -> str:
        """Fingerprint of the recipe with this runtime."""
        return fingerprint(self._recipe(runtime))

    def _recipe(self, runtime: str) -> dict[str, Any]:
        plain = super().recipe()
        plain["fields"] = {**plain["fields"], "runtime": runtime}
        plain["identity"] = self._identity(runtime)
        if runtime == "numpy":
            plain["libraries"] = {name: library_version(name) for name in ("tokenizers", "numpy")}
        return plain

    def _identity(self, runtime: str) -> dict[str, Any]:
        precision = {"numpy": "fp32"}.get(runtime, runtime)
        return {"runtime": runtime, "precision": precision, "model_sha256": e5_file.SHA256}

    @contextmanager
    def open(self) -> Iterator[E5Worker]:
        """Load tokeniser and network (about 1 s; about 4 s more the first time, for the build).

        Raises ConfigError where the weights are not installed or the runtime does not run, DataError for other weights.
        """
        path = e5_file.verified(models_dir(self.cache_dir))
        file = e5_file.E5File(path)
        opened = e5_runtime.open_encoder(file, self.runtime, self.cache_dir)
        blas = e5_runtime.one_blas_thread() if opened.runtime == "numpy" else nullcontext()
        with blas, ThreadPoolExecutor(self.threads or _cores(), thread_name_prefix="e5") as pool:
            yield E5Worker(self, file, load_tokenizer(path), opened, pool)


class E5Worker:
    """An open E5Small. `max_tokens` is how many tokens of its own a passage may have to fit one window."""

    def __init__(
        self,
        stage: E5Small,
        file: e5_file.E5File,
        tokenizer: E5Tokenizer,
        opened: e5_runtime.OpenEncoder,
        pool: ThreadPoolExecutor,
    ) -> None:
        self._file, self._tokenizer, self._encoder, self._pool = file, tokenizer, opened.encoder, pool
        self._overflow = stage.overflow
        self.runtime = opened.runtime
        self.space = stage.space(opened.runtime)
        self.dimension = file.shape.hidden
        prefixes = {"query": stage.query_prefix, "passage": stage.passage_prefix}
        self._heads = {role: [file.shape.bos, *tokenizer.encode([text])[0]] for role, text in prefixes.items()}
        self._rooms = {role: file.shape.max_positions - 1 - len(head) for role, head in self._heads.items()}
        if min(self._rooms.values()) < 1:
            raise ConfigError(
                "embedder prefix", expected="room for the text beside it", found="a prefix of 510 tokens or more"
            )
        self.max_tokens = self._rooms["passage"]

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        """Vectors of passages, [n, 384]; the empty text has the vector of its prefix alone."""
        return self._embed(texts, "passage")

    def embed_queries(self, texts: Sequence[str]) -> Floats:
        """Vectors of queries, [n, 384]."""
        return self._embed(texts, "query")

    def token_vectors(self, texts: Sequence[str], role: str) -> list[Floats]:
        """Per text the normalised last states of its own tokens, [n_tokens, 384], windows joined; none: [0, 384]."""
        self._check(role)
        return self._each(texts, lambda ids: self._token_states(ids, role))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without special and prefix tokens."""
        return self._tokenizer.count_tokens(texts)

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Character intervals of the tokens of a text; see `E5Tokenizer.token_offsets`."""
        return self._tokenizer.token_offsets(text)

    def _embed(self, texts: Sequence[str], role: str) -> Floats:
        rows = self._each(texts, lambda ids: self._pooled(ids, role))
        stacked = np.stack(rows) if rows else np.zeros((0, self.dimension), np.float32)
        return unit_rows(stacked, texts)

    def _each(self, texts: Sequence[str], compute: Callable[[list[int]], _T]) -> list[_T]:
        results: list[_T] = []
        for at in range(0, len(texts), _SLICE):
            results.extend(self._pool.map(compute, self._tokenizer.encode(texts[at : at + _SLICE])))
        return results

    def _pooled(self, ids: list[int], role: str) -> Floats:
        spans = windows(len(ids), self._rooms[role], self._overflow)
        means = np.stack([self._states(ids[a:b], role).mean(axis=0) for a, b in spans])
        return weighted_mean(means, [b - a for a, b in spans])

    def _token_states(self, ids: list[int], role: str) -> Floats:
        if not ids:
            return np.zeros((0, self.dimension), np.float32)
        skip = len(self._heads[role])
        spans = windows(len(ids), self._rooms[role], self._overflow)
        return unit_tokens(np.concatenate([self._states(ids[a:b], role)[skip:-1] for a, b in spans]))

    def _states(self, ids: list[int], role: str) -> Floats:
        whole: NDArray[np.int64] = np.array([*self._heads[role], *ids, self._file.shape.eos], np.int64)
        return self._encoder.hidden(self._file.word_vectors(whole))

    def _check(self, role: str) -> None:
        if role not in self._heads:
            raise ConfigError("role of token vectors", expected="query or passage", found=repr(role))


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
