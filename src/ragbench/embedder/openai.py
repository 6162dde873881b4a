"""Vectors from any OpenAI-compatible `/embeddings` endpoint (OpenAI, DashScope, Ollama, vLLM …)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ragbench.core.workers import Floats
from ragbench.embedder.base import Embedder
from ragbench.embedder.embeddings_api import EmbeddingsApi
from ragbench.embedder.token_estimate import estimate_tokens, estimated_starts
from ragbench.embedder.unit_vectors import unit_rows, weighted_mean
from ragbench.embedder.windows import check_overflow, windows
from ragbench.errors import ConfigError
from ragbench.llm.access import bearer

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, kw_only=True)
class OpenAIEmbedder(Embedder):
    """A remote embedding model.

    `dimensions` is the length of the vectors; with `send_dimensions` it is asked for in the request (models that can
    shorten), else it only checks what comes. The key is read from the environment variable `api_key_env` (empty: no
    key is sent) and appears in no message and no log. `max_tokens` and `overflow` cut long texts by an estimate
    (`token_estimate`), since the model's tokeniser is not known; a prefix counts. `batch_size` is the provider's
    limit of texts a request (DashScope 10, OpenAI 2048); status 408, 409, 429 and 5xx and broken connections are tried
    `max_tries` times.
    """

    VERSION: ClassVar[int] = 2
    OFFERS_TOKENS: ClassVar[bool] = False
    REMOTE: ClassVar[bool] = True

    base_url: str
    model: str
    dimensions: int
    send_dimensions: bool
    query_prefix: str
    passage_prefix: str
    max_tokens: int
    overflow: str
    api_key_env: str = field(default="OPENAI_API_KEY", compare=False)
    batch_size: int = field(default=10, compare=False)
    timeout_s: float = field(default=60.0, compare=False)
    max_tries: int = field(default=5, compare=False)
    max_wait_s: float = field(default=30.0, compare=False)

    def __post_init__(self) -> None:
        check_overflow(self.overflow)
        if not self.base_url.startswith(("http://", "https://")):
            raise ConfigError(
                "pipeline.embedder.base_url", expected="an http(s) address ending in /v1", found=repr(self.base_url)
            )
        for name in ("dimensions", "max_tokens", "batch_size", "max_tries"):
            if getattr(self, name) < 1:
                raise ConfigError(f"pipeline.embedder.{name}", expected="1 or more", found=str(getattr(self, name)))
        longest = max(estimate_tokens(self.query_prefix), estimate_tokens(self.passage_prefix))
        if longest >= self.max_tokens:
            raise ConfigError(
                "pipeline.embedder.max_tokens",
                expected=f"more than the {longest} tokens of a prefix",
                found=str(self.max_tokens),
            )

    @contextmanager
    def open(self) -> Iterator[OpenAIWorker]:
        """Open a connection pool; nothing is sent. Raises ConfigError where the key is missing."""
        import httpx

        headers = bearer(self.api_key_env, "embedder openai", "pipeline.embedder.api_key_env")
        with (
            httpx.Client(timeout=self.timeout_s, headers=headers) as client,
            closing(OpenAIWorker(self, client)) as worker,
        ):
            yield worker


class OpenAIWorker:
    """An open OpenAIEmbedder."""

    def __init__(self, stage: OpenAIEmbedder, client: httpx.Client) -> None:
        self._stage = stage
        self._api = EmbeddingsApi(stage, client)
        self.dimension = stage.dimensions
        self.max_tokens = self._room(stage.passage_prefix)
        self.space = stage.fingerprint()

    def close(self) -> None:
        """Close the connections."""
        self._api.close()

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        """Vectors of passages, [n, dimension]."""
        return self._embed(texts, self._stage.passage_prefix)

    def embed_queries(self, texts: Sequence[str]) -> Floats:
        """Vectors of queries, [n, dimension]."""
        return self._embed(texts, self._stage.query_prefix)

    def token_vectors(self, texts: Sequence[str], role: str) -> list[Floats]:
        """Always raises ConfigError: the protocol returns one vector a text."""
        raise ConfigError(
            "token vectors",
            expected="an embedder that gives vectors of single tokens",
            found="embedder openai, which gives one vector a text",
            hint="Use embedder=e5_small or embedder=sentence_transformers.",
        )

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Estimated tokens of each text (see `token_estimate`)."""
        return [estimate_tokens(text) for text in texts]

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Character intervals of the estimated tokens of a text, blanks after a token included."""
        return list(pairwise([*estimated_starts(text), len(text)]))

    def _embed(self, texts: Sequence[str], prefix: str) -> Floats:
        room = self._room(prefix)
        pieces = [self._pieces(text, room) for text in texts]
        flat = [prefix + piece for of_text in pieces for piece in of_text]
        rows = unit_rows(self._api.fetch(flat), flat)
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        at = 0
        for number, of_text in enumerate(pieces):
            weights = [estimate_tokens(piece) for piece in of_text]
            vectors[number] = weighted_mean(rows[at : at + len(of_text)], weights)
            at += len(of_text)
        return unit_rows(vectors, texts)

    def _room(self, prefix: str) -> int:
        return self._stage.max_tokens - estimate_tokens(prefix)

    def _pieces(self, text: str, room: int) -> list[str]:
        """The text, cut into windows of nearly equal estimated tokens, none of more than `room`."""
        starts = estimated_starts(text)
        if len(starts) <= room:
            return [text]
        edges = [0, *starts[1:], len(text)]
        return [text[edges[a] : edges[b]] for a, b in windows(len(starts), room, self._stage.overflow)]
