"""The events of an answer printed as they come: as lines for people, or as JSON Lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ragbench.cli.events import Events
from ragbench.cli.output import say

if TYPE_CHECKING:
    from ragbench.generator.base import Generator
    from ragbench.llm.calls import ModelCalls

_HEAD = "writes    "


class Lines:
    """Prints events for people: what the model writes word by word, everything else on a line of its own."""

    def __init__(self) -> None:
        self._within = False

    def __call__(self, event: str, told: Mapping[str, Any]) -> None:
        """Print one event."""
        if event == "content":
            self._words(told)
            return
        if self._within:
            sys.stdout.write("\n")
            self._within = False
        for line in _lines(event, told):
            say(line)

    def _words(self, told: Mapping[str, Any]) -> None:
        text = told["text"] if self._within else told["text"].lstrip()
        if told["whole"] or not text:  # the whole answer is printed with its stages
            return
        sys.stdout.write(text if self._within else _HEAD + text)
        sys.stdout.flush()
        self._within = True


def _lines(event: str, told: Mapping[str, Any]) -> Iterator[str]:
    if event == "retrieval":
        yield f"found     {len(told['blocks'])} blocks, {told['tokens']} of {told['budget']} tokens"
        for block in told["blocks"]:
            yield f"  [{block['number']}] {_place(block)}"
    elif event == "timing":
        yield f"time      {told['stage'].replace('_', ' ')} after {told['ms']:.1f} ms"
    elif event == "citation":
        yield f"cites     [{told['number']}] {_place(told) if told['doc'] is not None else 'no passage'}"
    elif event == "done":
        yield f"done      after {told['ms']:.1f} ms"


def _place(told: Mapping[str, Any]) -> str:
    return f"{told['doc']}:{told['start']}-{told['end']}"


def json_lines(event: str, told: Mapping[str, Any]) -> None:
    """Print one event as one line of JSON."""
    from ragbench.core.codec import dumps

    sys.stdout.write(dumps({"event": event, **told}).decode("utf-8") + "\n")
    sys.stdout.flush()


@contextmanager
def spoken(models: ModelCalls, generator: Generator, as_json: bool) -> Iterator[Events]:
    """Events that are printed as they come. The words of a model are among them unless its answer is checked before it
    may be shown."""
    from ragbench.generator.chat import ROLE

    events = Events(json_lines if as_json else Lines())
    heard = generator.asks and generator.may_be_heard
    if heard:
        models.listeners[ROLE] = events
    try:
        yield events
    finally:
        if heard:
            del models.listeners[ROLE]
