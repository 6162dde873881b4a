"""How far chunking has come, told to whoever watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Report = Callable[[int, int], None]

_watcher: ContextVar[Report | None] = ContextVar("watcher", default=None)
_course: ContextVar[Course | None] = ContextVar("course", default=None)


@contextmanager
def watched(report: Report) -> Iterator[None]:
    """Within it every chunking tells `report(done, total)` in characters, from 0 to the total."""
    token = _watcher.set(report)
    try:
        yield
    finally:
        _watcher.reset(token)


class Course:
    """The way through documents of `total` characters."""

    def __init__(self, report: Report, total: int) -> None:
        self._report, self._total = report, total
        self._behind = self._told = 0
        report(0, total)

    def reach(self, position: int) -> None:
        """So far into the present document; places already passed are not told again."""
        if self._behind + position > self._told:
            self._told = self._behind + position
            self._report(self._told, self._total)

    def leave(self, length: int) -> None:
        """The present document, of this length, is done."""
        self.reach(length)
        self._behind += length


@contextmanager
def course(total: int) -> Iterator[Callable[[int], None]]:
    """A chunking of `total` characters; the function takes the length of each document when it is done."""
    report = _watcher.get()
    if report is None:
        yield _ignored
        return
    opened = Course(report, total)
    token = _course.set(opened)
    try:
        yield opened.leave
    finally:
        _course.reset(token)


def reached(position: int) -> None:
    """A stretch of the present document is measured up to a position."""
    present = _course.get()
    if present is not None:
        present.reach(position)


def _ignored(length: int) -> None:
    """Nobody watches."""
