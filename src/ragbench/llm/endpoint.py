"""JSON over HTTP: one POST with retries and errors written for people. No message and no log holds a key."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from ragbench.core.surrogates import without_surrogates
from ragbench.errors import DataError, UserError
from ragbench.llm.bounded import MAX_BYTES, Progress, Received, TooLate, TooLong, receive
from ragbench.llm.clients import Clients
from ragbench.llm.listening import Ear, listener
from ragbench.llm.pace import Pace, asked_wait
from ragbench.llm.refusals import Address, is_out_of_credit, refusal

if TYPE_CHECKING:
    import httpx
    from tenacity import RetryCallState


_RETRIED = frozenset({408, 409, 429, 500, 502, 503, 504})
_SHOWN = 200
_MOST_TOKENS = 2**53
_FIRST_WAIT_S = 0.5
_JITTER_S = 0.5


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a request is tried, and the longest wait between two tries in seconds."""

    max_tries: int
    max_wait_s: float


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a server answered, and how many requests it took."""

    content: Any
    calls: int


class TryAgain(Exception):
    """A failure that may pass; `wait_s` is what the server asked for."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


class Closed(TryAgain):
    """Nothing was sent: the server has asked for a longer wait than the patience allows."""


class JsonEndpoint:
    """POSTs JSON to one address; may be used by several threads. `n_calls` counts requests sent, each try."""

    def __init__(self, client: httpx.Client, address: Address, patience: Patience) -> None:
        self.address = address
        self.n_calls = 0
        self._client, self._patience, self._lock, self._pace = client, patience, Lock(), Pace()
        self._clients = Clients(client)
        self._wish: TryAgain | None = None

    def close(self) -> None:
        """Close the connections."""
        self._clients.close()

    def post(self, body: Mapping[str, Any]) -> Any:
        """The JSON that the server answers; see `exchange`."""
        return self.exchange(body).content

    def exchange(
        self,
        body: Mapping[str, Any],
        read: Callable[[Received], Any] | None = None,
        lost: Callable[[], None] = lambda: None,
    ) -> Exchange:
        """What `read` (default: JSON) makes of the server's answer; it may raise TryAgain. `lost` is called for each
        try that the server may have worked on though no whole answer came.

        Status 408, 409, 429 and 5xx, broken connections and answers that are not whole within the client's time-out are
        tried again, after the time that Retry-After asks for, else 0.5 s doubled with each try and up to 0.5 s more by
        chance. Where a header says that nothing is left of a rate limit, the next request waits for its reset. Raises
        ConfigError for a refused key, address or model, Refused for a refused request, DataError for an answer that is
        no JSON, nested too deep or longer than MAX_BYTES, UserError when all tries failed or the server asks to wait
        longer than the patience; until that time has passed, nothing more is sent. `calls` of an error counts the
        requests.
        """
        from tenacity import Retrying, retry_if_exception, stop_after_attempt

        retrying = Retrying(
            retry=retry_if_exception(self._is_worth_a_try),
            stop=stop_after_attempt(self._patience.max_tries),
            wait=self._wait,
            sleep=time.sleep,
            reraise=True,
        )

        def tries() -> int:
            return int(retrying.statistics.get("attempt_number", 1))

        try:
            return Exchange(retrying(self._once, body, read or self.as_json, lost), tries())
        except TryAgain as error:
            sent = tries() - isinstance(error, Closed)
            raise _counted(self._given_up(error, sent), sent) from None
        except UserError as error:
            raise _counted(error, tries()) from None

    def misshapen(self, expected: str, found: object) -> DataError:
        """The error for an answer that is not what the protocol says."""
        thing = f"answer of {self.address.title} {self.address.url}"
        try:
            text = str(found)
        except RecursionError:
            text = "something nested too deep"
        return DataError(thing, expected=expected, found=self.clean(text)[:_SHOWN])

    def clean(self, text: str) -> str:
        """A server's words with the key taken out, should it be repeated there."""
        key = self._client.headers.get("authorization", "").removeprefix("Bearer ")
        return without_surrogates(text.replace(key, "***") if key else text)

    def _is_worth_a_try(self, error: BaseException) -> bool:
        return isinstance(error, TryAgain) and (error.wait_s or 0.0) <= self._patience.max_wait_s

    def _given_up(self, error: TryAgain, tries: int) -> UserError:
        found, hint = f"{error} in {tries} tries", self.address.hint
        if not self._is_worth_a_try(error):
            found = f"{error} and the wish to wait {error.wait_s:.0f} s"
            hint = f"Try again later, or allow longer waits than {self._patience.max_wait_s:g} s."
        return UserError(f"{self.address.title} {self.address.url}", expected="an answer", found=found, hint=hint)

    def _wait(self, state: RetryCallState) -> float:
        from tenacity import wait_exponential, wait_random

        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, TryAgain) and error.wait_s is not None:
            return 0.0  # the pace holds every thread
        longest = self._patience.max_wait_s
        return min((wait_exponential(multiplier=_FIRST_WAIT_S) + wait_random(0, _JITTER_S))(state), longest)

    def _once(self, body: Mapping[str, Any], read: Callable[[Received], Any], lost: Callable[[], None]) -> Any:
        if self._wish is not None and self._pace.left() > self._patience.max_wait_s:
            raise Closed(str(self._wish), self._wish.wait_s)
        self._pace.wait()
        with self._lock:
            self.n_calls += 1
        progress = Progress()
        try:
            received = self._received(body, progress)
        except (TryAgain, DataError):
            if progress.served:
                lost()
            raise
        self._pace.heed(received.headers, self._patience.max_wait_s)
        if received.status >= 300:
            text = self.clean(received.text)
            if received.status in _RETRIED and not is_out_of_credit(received.status, text):
                self._wish = TryAgain(f"status {received.status}", asked_wait(received.headers))
                self._pace.hold(self._wish.wait_s or 0.0)
                raise self._wish
            raise refusal(received.status, text, self.address)
        return read(received)

    def _received(self, body: Mapping[str, Any], progress: Progress) -> Received:
        import httpx

        listens = listener()
        ear = None if listens is None else Ear(listens)
        try:
            with self._clients.lent(self.address.url) as client:
                return receive(client, self.address.url, body, progress, ear)
        except TooLate as error:
            raise TryAgain(str(error)) from None
        except httpx.TransportError as error:
            raise TryAgain(type(error).__name__) from None
        except TooLong:
            raise self.misshapen(f"at most {MAX_BYTES // 2**20} MiB", "more") from None
        except httpx.DecodingError as error:
            raise self.misshapen("content in the encoding that it names", error) from None
        finally:
            if ear is not None:
                ear.close()

    def as_json(self, received: Received) -> Any:
        """The JSON of an answer; raises DataError for what is none."""
        try:
            return json.loads(received.content)
        except ValueError:
            raise self.misshapen("JSON", received.text) from None
        except RecursionError:
            raise self.misshapen("JSON", "nesting that is too deep") from None


def _counted(error: UserError, calls: int) -> UserError:
    error.calls = calls
    return error


def sendable(text: str) -> str:
    """The text with lone surrogates, which are no UTF-8, as U+FFFD."""
    return without_surrogates(text)


def token_count(told: Any) -> int:
    """Tokens that a server says it used; 0 for what is no count, since nothing else depends on it."""
    if isinstance(told, bool) or not isinstance(told, int | float) or not 0 <= told <= _MOST_TOKENS:
        return 0
    return int(told)


def finite(value: Any) -> float | None:
    """A number of an answer as float; None for what is no number, NaN, infinite or too large."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
