"""Progress of long work: a bar with the time left on a terminal, plain lines otherwise."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

_QUIET_FOR = 2.0
_LINE_EVERY = 10.0
_MANY = 32  # fewer steps than this are shown only when they take long


class Progress:
    """Shows work that takes more than two seconds. `quiet` shows nothing."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._started: dict[str, float] = {}
        self._shown: dict[str, float] = {}
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}

    def callback(self, task: str) -> Callable[[int, int], None]:
        """A function for `done, total` reports of one task."""

        def report(done: int, total: int) -> None:
            self.step(task, done, total)

        return report

    def step(self, task: str, done: int, total: int) -> None:
        """Report that `done` of `total` are finished."""
        if self.quiet or total <= 0:
            return
        now = time.monotonic()
        if done <= 0 or task not in self._started:
            self._started[task] = self._shown[task] = now
        elapsed = now - self._started[task]
        if done >= total:
            del self._started[task]
        if elapsed < (_QUIET_FOR if total >= _MANY else _LINE_EVERY):
            return
        if self._terminal:
            self._bar(task, done, total)
        elif done >= total:
            self._say(f"{task}: {total} in {elapsed:.1f} s")
        elif now - self._shown[task] >= _LINE_EVERY:
            self._shown[task] = now
            self._say(f"{task}: {done}/{total}, {elapsed / done * (total - done):.0f} s left")

    def close(self) -> None:
        """Take the bars away."""
        if self._bars is not None:
            self._bars.stop()
            self._bars, self._tasks = None, {}

    def _bar(self, task: str, done: int, total: int) -> None:
        if self._bars is None:
            from rich.console import Console
            from rich.progress import Progress as Bars

            self._bars = Bars(console=Console(stderr=True), transient=True)
            self._bars.start()
        if task not in self._tasks:
            self._tasks[task] = self._bars.add_task(task, total=total)
        self._bars.update(self._tasks[task], completed=done, total=total)
        if done >= total:
            self._bars.remove_task(self._tasks.pop(task))

    @staticmethod
    def _say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)
