"""Requests to an OpenAI-compatible `/embeddings` endpoint: batches, and checks of what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ragbench.core.workers import Floats
from ragbench.llm.endpoint import JsonEndpoint, Patience, sendable
from ragbench.llm.refusals import Address

if TYPE_CHECKING:
    import httpx


class Endpoint(Protocol):
    """Where and how to ask: the fields of these names of `ragbench.embedder.openai.OpenAIEmbedder`."""

    @property
    def base_url(self) -> str: ...  # noqa: D102
    @property
    def model(self) -> str: ...  # noqa: D102
    @property
    def dimensions(self) -> int: ...  # noqa: D102
    @property
    def send_dimensions(self) -> bool: ...  # noqa: D102
    @property
    def batch_size(self) -> int: ...  # noqa: D102
    @property
    def max_tries(self) -> int: ...  # noqa: D102
    @property
    def max_wait_s(self) -> float: ...  # noqa: D102
    @property
    def api_key_env(self) -> str: ...  # noqa: D102


class EmbeddingsApi:
    """Fetches raw vectors. Errors name the endpoint and the status, never the key."""

    def __init__(self, endpoint: Endpoint, client: httpx.Client) -> None:
        self._endpoint = endpoint
        address = Address(
            endpoint.base_url.rstrip("/") + "/embeddings",
            "embeddings endpoint",
            "pipeline.embedder.base_url",
            endpoint.api_key_env,
            "Try again later; what was embedded so far is kept.",
        )
        self._http = JsonEndpoint(client, address, Patience(endpoint.max_tries, endpoint.max_wait_s))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def fetch(self, texts: Sequence[str]) -> Floats:
        """Vectors as the server gives them, [n, dimensions], in the order of the texts.

        An empty text is sent as one blank, since providers refuse it; lone surrogates as U+FFFD. Raises ConfigError
        for a refused key or address, DataError for a refused text or an answer of the wrong shape, UserError when
        all tries failed.
        """
        size = self._endpoint.batch_size
        parts = [self._fetch_batch(texts[at : at + size]) for at in range(0, len(texts), size)]
        return np.concatenate(parts) if parts else np.zeros((0, self._endpoint.dimensions), np.float32)

    def _fetch_batch(self, texts: Sequence[str]) -> Floats:
        clean = [sendable(text) if text.strip() else " " for text in texts]
        body: dict[str, Any] = {"model": self._endpoint.model, "input": clean, "encoding_format": "float"}
        if self._endpoint.send_dimensions:
            body["dimensions"] = self._endpoint.dimensions
        return self._rows(self._http.post(body), len(texts))

    def _rows(self, answer: Any, count: int) -> Floats:
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
            raise self._http.misshapen("a list `data`", answer)
        if len(data) != count:
            raise self._http.misshapen(f"{count} vectors", str(len(data)))
        rows: list[Any] = [None] * count
        for place, item in enumerate(data):
            index = item.get("index", place)
            if not isinstance(index, int) or not 0 <= index < count or rows[index] is not None:
                raise self._http.misshapen(f"indexes 0 to {count - 1}, each once", repr(index))
            rows[index] = item.get("embedding")
        wanted = self._endpoint.dimensions
        for row in rows:
            if not isinstance(row, list) or len(row) != wanted:
                found = f"{len(row)}" if isinstance(row, list) else "none"
                raise self._http.misshapen(f"vectors of {wanted} numbers (pipeline.embedder.dimensions)", found)
        try:
            return np.array(rows, dtype=np.float32)  # null becomes NaN, which is refused by name of its text
        except (TypeError, ValueError):
            raise self._http.misshapen("numbers", rows) from None
