"""Stage timings of one question."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Adds up milliseconds by stage name."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        """Time a block and add it to `stage`."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.add(stage, (time.perf_counter() - started) * 1000)

    def add(self, stage: str, ms: float) -> None:
        """Add a time measured elsewhere."""
        self.ms[stage] = self.ms.get(stage, 0.0) + ms
