"""Words of a reply while they come, for whoever shows them; nothing that is kept or measured is made of them."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from ragbench.llm.stream import DONE, content_of


class Listener(Protocol):
    """Hears a reply in pieces, on a thread of its own."""

    def begin(self) -> None:
        """A request is sent: what was heard of one before it is void."""
        ...

    def hear(self, text: str) -> None:
        """The next words, thoughts in the text included."""
        ...


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


def listener() -> Listener | None:
    """Who listens to requests of this context; None: nobody does."""
    return _LISTENER.get()


@contextmanager
def listening(one: Listener | None) -> Iterator[None]:
    """While it lasts, requests of this context are asked for in parts, which `one` hears; None: nobody does."""
    token = _LISTENER.set(one)
    try:
        yield
    finally:
        _LISTENER.reset(token)


class Ear:
    """Takes the bytes of one answer as they come and tells a listener the words of a stream's events.

    What is no event, or no stream at all, is passed over: whoever reads the whole answer judges it. Nothing is told
    once it is closed, so that a try that was given up on says no more.
    """

    def __init__(self, one: Listener) -> None:
        self._listener = one
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._left = ""
        self._open = True
        one.begin()

    def __call__(self, part: bytes) -> None:
        """The next bytes."""
        self._left += self._decoder.decode(part)
        *lines, self._left = self._left.split("\n")
        for line in lines:
            data = line.removesuffix("\r")
            if not data.startswith("data:") or (data := data[5:].strip()) == DONE:
                continue
            text = content_of(data)
            if text and self._open:
                self._listener.hear(text)

    def close(self) -> None:
        """Tell nothing more."""
        self._open = False
