"""An answer printed word by word while a model writes it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbench.generator.base import Generator
    from ragbench.llm.calls import ModelCalls

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_OPENING = re.compile(r"<t?h?i?n?k?\Z")
_HEAD = "writes    "


class Spoken:
    """Prints what it hears. Thoughts are left out, and so is the word by which a model refuses: the refusal is the
    answer's to tell."""

    def __init__(self) -> None:
        self._heard = self._shown = ""

    def begin(self) -> None:
        """A new reply: it begins on a line of its own."""
        self.end()

    def hear(self, text: str) -> None:
        """Print what may be shown of the reply by now and is not."""
        self._heard += text
        shown = _visible(self._heard)
        new = shown[len(self._shown) :]
        if new:
            sys.stdout.write(new if self._shown else _HEAD + new)
            sys.stdout.flush()
            self._shown = shown

    def end(self) -> None:
        """End the line, if there is one."""
        if self._shown:
            sys.stdout.write("\n")
            sys.stdout.flush()
        self._heard = self._shown = ""


@contextmanager
def spoken(models: ModelCalls, generator: Generator, quiet: bool) -> Iterator[None]:
    """While it lasts, answers that a model writes are printed as they come; none where `quiet`, where the generator
    asks no model, or where its answer is checked before it may be shown."""
    if quiet or not generator.asks or not generator.may_be_heard:
        yield
        return
    from ragbench.generator.chat import ROLE

    printing = Spoken()
    models.listeners[ROLE] = printing
    try:
        yield
    finally:
        del models.listeners[ROLE]
        printing.end()


def _visible(heard: str) -> str:
    from ragbench.generator.chat_prompts import NO_ANSWER

    text = _OPENING.sub("", _THOUGHT.sub("", heard)).lstrip()
    begins = text[: len(NO_ANSWER)].upper()
    return "" if NO_ANSWER.startswith(begins) else text
