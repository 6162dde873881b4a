"""Any sentence-transformers model, by hub id or local folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ragbench.core.file_hash import folder_hash, models_dir
from ragbench.core.workers import Floats
from ragbench.embedder.base import Embedder
from ragbench.embedder.unit_vectors import unit_rows, unit_tokens, weighted_mean
from ragbench.embedder.windows import check_overflow, windows
from ragbench.errors import ConfigError, DataError, MissingExtra

_MARGIN = 2
"""Tokens left free in a window: a piece cut from a text may begin with one more token than inside it."""


@dataclass(frozen=True, kw_only=True)
class SentenceTransformersEmbedder(Embedder):
    """A local model run by sentence-transformers on torch, in float32.

    `model` is a hub id or a folder; `revision` a branch, tag or commit of the hub (pin a commit for results that
    last; ignored for a folder, whose files are hashed instead). `dimensions` null keeps all, a number keeps the first
    and normalises again (models trained for that). `overflow` as in `e5_small`. A vector may differ in its last bits
    with the texts of its batch; `batch_size=1` rules that out.
    """

    VERSION: ClassVar[int] = 1
    LIBRARIES: ClassVar[tuple[str, ...]] = ("sentence-transformers", "transformers", "tokenizers", "torch")

    model: str
    revision: str | None
    query_prefix: str
    passage_prefix: str
    dimensions: int | None
    overflow: str
    device: str | None = field(default=None, compare=False)
    batch_size: int = field(default=32, compare=False)
    cache_dir: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        check_overflow(self.overflow)
        if self.batch_size < 1:
            raise ConfigError("pipeline.embedder.batch_size", expected="1 or more", found=str(self.batch_size))
        if self.dimensions is not None and self.dimensions < 1:
            raise ConfigError("pipeline.embedder.dimensions", expected="null, or 1 or more", found=str(self.dimensions))

    def identity(self) -> dict[str, Any]:
        """Precision, and for a local folder the hash of its files (a hub model is known by its revision)."""
        folder = Path(self.model)
        known = {"folder_sha256": folder_hash(folder, models_dir(self.cache_dir))} if folder.is_dir() else {}
        return {"runtime": "torch", "precision": "fp32", **known}

    @contextmanager
    def open(self) -> Iterator[SentenceTransformersWorker]:
        """Load the model, downloading it where it is not there yet. Raises MissingExtra or ConfigError."""
        yield SentenceTransformersWorker(self, load_model(self))


def load_model(stage: SentenceTransformersEmbedder) -> Any:
    """The loaded `SentenceTransformer`, ready to encode."""
    try:
        import sentence_transformers
    except ImportError as error:
        raise MissingExtra("sentence-transformers", "st", "embedder=sentence_transformers") from error
    try:
        model = sentence_transformers.SentenceTransformer(
            stage.model,
            revision=stage.revision,
            device=stage.device,
            truncate_dim=stage.dimensions,
            model_kwargs={"dtype": "float32"},
        )
    except Exception as error:  # hub, file and config faults have no common base class
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ConfigError(
            f"pipeline.embedder.model={stage.model}",
            expected="a local folder or a hub id that can be loaded",
            found=reason,
            hint="Check the name, or download the model on a machine with access and give its folder.",
        ) from error
    model.default_prompt_name = None  # prefixes come from the config alone
    if not getattr(model.tokenizer, "is_fast", False):
        raise ConfigError(
            f"pipeline.embedder.model={stage.model}", expected="a model with a fast tokenizer", found="none"
        )
    return model


class SentenceTransformersWorker:
    """An open SentenceTransformersEmbedder."""

    def __init__(self, stage: SentenceTransformersEmbedder, model: Any) -> None:
        self._stage, self._model, self._tokenizer = stage, model, model.tokenizer
        self._prefixes = {"query": stage.query_prefix, "passage": stage.passage_prefix}
        size = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        self.dimension = int(size())
        self.space = stage.fingerprint()
        window = int(model.max_seq_length or self._tokenizer.model_max_length)
        longest = max(self._tokens([self._prefixes[role]], special=True)[0][1] for role in self._prefixes)
        self.max_tokens = window - longest - _MARGIN
        if self.max_tokens < 1:
            raise ConfigError("embedder prefix", expected=f"room in a window of {window} tokens", found="none")

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        """Vectors of passages, [n, dimension]."""
        return self._embed(texts, "passage")

    def embed_queries(self, texts: Sequence[str]) -> Floats:
        """Vectors of queries, [n, dimension]."""
        return self._embed(texts, "query")

    def token_vectors(self, texts: Sequence[str], role: str) -> list[Floats]:
        """Per text the normalised vectors of its own tokens, [n_tokens, dimension], windows joined."""
        if role not in self._prefixes:
            raise ConfigError("role of token vectors", expected="query or passage", found=repr(role))
        prefix = self._prefixes[role]
        pieces = self._pieces(texts)
        flat = [prefix + piece for of_text in pieces for piece, _ in of_text]
        states = self._encode(flat, "token_embeddings")
        own = [self._own_rows(text, rows, len(prefix.rstrip())) for text, rows in zip(flat, states)]
        joined, at = [], 0
        for of_text in pieces:
            joined.append(unit_tokens(np.concatenate(own[at : at + len(of_text)])))
            at += len(of_text)
        return joined

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without special and prefix tokens."""
        return [count for _, count in self._tokens(texts)]

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Character intervals of the tokens of a text, in order; as many as `count_tokens` says."""
        return self._tokens([text])[0][0]

    def _embed(self, texts: Sequence[str], role: str) -> Floats:
        pieces = self._pieces(texts)
        flat = [self._prefixes[role] + piece for of_text in pieces for piece, _ in of_text]
        rows = self._encode(flat, "sentence_embedding")
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        at = 0
        for number, of_text in enumerate(pieces):
            part = np.asarray(rows[at : at + len(of_text)], np.float32)
            vectors[number] = weighted_mean(part, [count for _, count in of_text])
            at += len(of_text)
        return unit_rows(vectors, texts)

    def _encode(self, texts: list[str], output: str) -> list[Floats]:
        if not texts:
            return []
        clean = [_without_surrogates(text) for text in texts]
        states = self._model.encode(
            clean,
            prompt="",
            batch_size=self._stage.batch_size,
            output_value=output,
            convert_to_numpy=output == "sentence_embedding",
            show_progress_bar=False,
        )
        if output == "sentence_embedding":
            return list(states)
        return [state.cpu().numpy()[:, : self.dimension] for state in states]

    def _own_rows(self, text: str, rows: Floats, n_prefix: int) -> Floats:
        """The rows of tokens that are neither special nor end inside the prefix of `n_prefix` characters."""
        encoding = self._tokenizer(
            _without_surrogates(text),
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
            truncation=True,
            max_length=self._model.max_seq_length,
        )
        marks = zip(encoding["special_tokens_mask"], encoding["offset_mapping"])
        own = [not special and end > n_prefix for special, (_, end) in marks]
        if len(own) != len(rows):
            raise DataError("token vectors", expected=f"one for each of {len(own)} tokens", found=str(len(rows)))
        return rows[own]

    def _tokens(self, texts: Sequence[str], special: bool = False) -> list[tuple[list[tuple[int, int]], int]]:
        """Per text the character intervals of its tokens and their number."""
        if not texts:
            return []
        clean = [_without_surrogates(text) for text in texts]
        encodings = self._tokenizer(clean, add_special_tokens=special, return_offsets_mapping=True, verbose=False)
        return [(spans, len(spans)) for spans in encodings["offset_mapping"]]

    def _pieces(self, texts: Sequence[str]) -> list[list[tuple[str, int]]]:
        """Per text its windows and their token counts."""
        cut: list[list[tuple[str, int]]] = []
        for text, (spans, count) in zip(texts, self._tokens(texts)):
            edges = [start for start, _ in spans] + [len(text)]
            parts = windows(count, self.max_tokens, self._stage.overflow)
            whole = len(parts) == 1 and parts[0][1] == count
            cut.append([(text, count)] if whole else [(text[edges[a] : edges[b]], b - a) for a, b in parts])
        return cut


def _without_surrogates(text: str) -> str:
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text
