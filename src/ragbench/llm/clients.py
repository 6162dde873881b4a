"""Connections to one address: each request has one of its own, and one that ran late is never waited for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from ragbench.llm.bounded import TooLate

if TYPE_CHECKING:
    import httpx


class Clients:
    """Lends HTTP clients with the headers and the time-out of `first`; threads may share it.

    A client in whose hands a request ran late is closed, which ends the thread that still reads from it: otherwise a
    server that drips without end would hold one connection more for each time-out, beyond any limit on requests.
    """

    def __init__(self, first: httpx.Client) -> None:
        self._first = first
        self._idle = [first]
        self._verify: Any = None
        self._lock = Lock()

    @contextmanager
    def lent(self, url: str) -> Iterator[httpx.Client]:
        """A client that nobody else uses meanwhile."""
        with self._lock:
            client = self._idle.pop() if self._idle else None
        client = client or self._another(url)
        try:
            yield client
        except TooLate:
            client.close()
            raise
        except BaseException:
            self._back(client)
            raise
        else:
            self._back(client)

    def close(self) -> None:
        """Close what is not lent."""
        with self._lock:
            idle, self._idle = self._idle, []
        for client in idle:
            client.close()

    def _back(self, client: httpx.Client) -> None:
        with self._lock:
            self._idle.append(client)

    def _another(self, url: str) -> httpx.Client:
        import httpx

        if self._verify is None:
            # A context reads every certificate of the machine: once is enough, and plain HTTP needs none.
            self._verify = httpx.create_ssl_context() if url.startswith("https:") else False
        return httpx.Client(timeout=self._first.timeout, headers=self._first.headers, verify=self._verify)
