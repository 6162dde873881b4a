"""Requests to an OpenAI-compatible `/embeddings` endpoint: batches, retries and checks of what comes back."""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ragbench.core.workers import Floats
from ragbench.errors import ConfigError, DataError, UserError

if TYPE_CHECKING:
    import httpx
    from tenacity import RetryCallState

_RETRIED = frozenset({408, 409, 429, 500, 502, 503, 504})
_SHOWN = 200
_FIRST_WAIT_S = 0.5
_SURROGATE = re.compile("[\ud800-\udfff]")


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


class _TryAgain(Exception):
    """A failure that may pass; `wait_s` is what the server asked for."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


class EmbeddingsApi:
    """Fetches raw vectors. Errors name the endpoint and the status, never the key."""

    def __init__(self, endpoint: Endpoint, client: httpx.Client) -> None:
        self._endpoint, self._client = endpoint, client
        self._url = endpoint.base_url.rstrip("/") + "/embeddings"

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
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt

        retrying = Retrying(
            retry=retry_if_exception_type(_TryAgain),
            stop=stop_after_attempt(self._endpoint.max_tries),
            wait=self._wait,
            sleep=time.sleep,
            reraise=True,
        )
        try:
            return self._rows(retrying(self._post, texts), len(texts))
        except _TryAgain as error:
            raise UserError(
                f"embeddings endpoint {self._url}",
                expected="an answer",
                found=f"{error} in {self._endpoint.max_tries} tries",
                hint="Try again later; what was embedded so far is kept.",
            ) from None

    def _wait(self, state: RetryCallState) -> float:
        """What the server asked for, else 0.5 s doubled with each try; at most `max_wait_s`."""
        error = state.outcome.exception() if state.outcome else None
        asked = error.wait_s if isinstance(error, _TryAgain) else None
        doubled = _FIRST_WAIT_S * 2 ** (state.attempt_number - 1)
        return min(doubled if asked is None else asked, self._endpoint.max_wait_s)

    def _post(self, texts: Sequence[str]) -> Any:
        import httpx

        clean = [_SURROGATE.sub("�", text) if text.strip() else " " for text in texts]
        body: dict[str, Any] = {"model": self._endpoint.model, "input": clean, "encoding_format": "float"}
        if self._endpoint.send_dimensions:
            body["dimensions"] = self._endpoint.dimensions
        try:
            response = self._client.post(self._url, json=body)
        except httpx.TransportError as error:
            raise _TryAgain(f"{type(error).__name__}") from None
        if response.status_code in _RETRIED:
            raise _TryAgain(f"status {response.status_code}", _retry_after(response.headers.get("retry-after")))
        self._check_status(response)
        try:
            return response.json()
        except ValueError:
            raise self._misshapen("JSON", response.text[:_SHOWN]) from None

    def _check_status(self, response: httpx.Response) -> None:
        status = response.status_code
        if status < 300:
            return
        thing, found = f"embeddings endpoint {self._url}", f"status {status}"
        if status in (401, 403):
            hint = f"Check the key in the environment variable {self._endpoint.api_key_env or '(none set)'}."
            raise ConfigError(thing, expected="a key it accepts", found=found, hint=hint)
        if status in (404, 405) or status < 400:
            raise ConfigError(
                thing, expected="an /embeddings address", found=found, hint="Check pipeline.embedder.base_url."
            )
        raise DataError(thing, expected="the texts to be accepted", found=f"{found}: {self._quoted(response.text)}")

    def _rows(self, answer: Any, count: int) -> Floats:
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
            raise self._misshapen("a list `data`", self._quoted(str(answer)))
        if len(data) != count:
            raise self._misshapen(f"{count} vectors", str(len(data)))
        rows: list[Any] = [None] * count
        for place, item in enumerate(data):
            index = item.get("index", place)
            if not isinstance(index, int) or not 0 <= index < count or rows[index] is not None:
                raise self._misshapen(f"indexes 0 to {count - 1}, each once", repr(index))
            rows[index] = item.get("embedding")
        wanted = self._endpoint.dimensions
        for row in rows:
            if not isinstance(row, list) or len(row) != wanted:
                found = f"{len(row)}" if isinstance(row, list) else "none"
                raise self._misshapen(f"vectors of {wanted} numbers (pipeline.embedder.dimensions)", found)
        try:
            return np.array(rows, dtype=np.float32)  # null becomes NaN, which is refused by name of its text
        except (TypeError, ValueError):
            raise self._misshapen("numbers", self._quoted(str(rows))) from None

    def _misshapen(self, expected: str, found: str) -> DataError:
        return DataError(f"answer of embeddings endpoint {self._url}", expected=expected, found=found)

    def _quoted(self, text: str) -> str:
        """The beginning of a server's words, with the key taken out should it be repeated there."""
        key = self._client.headers.get("authorization", "").removeprefix("Bearer ")
        return (text.replace(key, "***") if key else text)[:_SHOWN]


def _retry_after(value: str | None) -> float | None:
    """Seconds that a Retry-After header asks for (a number or a date), None where it has none or is unreadable."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
