"""One POST that ends: within a time that holds for the whole try, and with an answer of bounded size."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 256 * 2**20
"""The longest answer that is read, decompressed: 2048 vectors of 3072 numbers are about 130 MB of JSON."""


class TooLate(Exception):
    """The whole answer was not there in time."""


class TooLong(Exception):
    """The answer is longer than MAX_BYTES."""


@dataclass(frozen=True, slots=True)
class Received:
    """A whole answer: `status`, `headers` by lower-case name, and the decompressed `content`."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def text(self) -> str:
        """The content as UTF-8, U+FFFD for what is none."""
        return self.content.decode("utf-8", "replace")


@dataclass(slots=True)
class Progress:
    """How far an exchange came: whether the request was sent whole, and the status of the answer (None: none came)."""

    sent: bool = False
    status: int | None = None
    _tunnel: bool = False

    @property
    def served(self) -> bool:
        """Whether the server may have worked on the request: it had all of it, and did not say that it failed."""
        return self.sent and (self.status is None or self.status < 300)

    def __call__(self, event: str, info: Mapping[str, Any]) -> None:
        """What the transport tells of an exchange under way."""
        if event.endswith(".send_request_body.started"):
            self._tunnel = info["request"].method == b"CONNECT"  # to a proxy, on the way to the server
        elif event.endswith(".send_request_body.complete"):
            self.sent = not self._tunnel


def receive(
    client: httpx.Client,
    url: str,
    body: Mapping[str, Any],
    progress: Progress | None = None,
    heard: Callable[[bytes], None] | None = None,
) -> Received:
    """POST `body` as JSON; `progress` is kept up to date, also where this raises. `heard` gets the parts of an answer
    that is no refusal as they come, on another thread.

    The client's time-out bounds the whole exchange, not only each read of it. Raises TooLate, TooLong, and what httpx
    raises for a connection that breaks.
    """
    import httpx

    seconds, reached = client.timeout.read, progress or Progress()
    deadline = None if seconds is None else time.monotonic() + seconds
    try:
        return _within(seconds, lambda: _streamed(client, url, body, deadline, reached, heard))
    except (TimeoutError, httpx.TimeoutException):
        raise TooLate("no answer in time" if seconds is None else f"no whole answer within {seconds:g} s") from None


def _streamed(
    client: httpx.Client,
    url: str,
    body: Mapping[str, Any],
    deadline: float | None,
    progress: Progress,
    heard: Callable[[bytes], None] | None,
) -> Received:
    content = bytearray()
    with client.stream("POST", url, json=body, extensions={"trace": progress}) as response:
        progress.status = response.status_code
        for part in response.iter_bytes():
            content += part
            if heard is not None and response.status_code < 300:
                heard(part)
            if len(content) > MAX_BYTES:
                raise TooLong
            if deadline is not None and time.monotonic() > deadline:
                raise TimeoutError
    return Received(response.status_code, response.headers, bytes(content))


def _within(seconds: float | None, call: Callable[[], Received]) -> Received:
    """What `call` returns or raises, TimeoutError after `seconds`.

    On a thread of its own, since a server that drips its headers never gives control back between two reads. Such a
    thread ends when the client is closed; being a daemon it keeps no process alive.
    """
    outcome: Future[Received] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:  # handed to the caller, whatever it is
            outcome.set_exception(error)

    Thread(target=run, daemon=True, name="post").start()
    return outcome.result(seconds)
