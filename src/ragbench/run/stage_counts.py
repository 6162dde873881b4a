"""How long the stages of a run took, and what was reused and computed for it."""

from __future__ import annotations

import time

from ragbench.run.session import Ahead, Session


class StageCounts:
    """Durations and the stages reused and computed since it was made."""

    def __init__(self, session: Session, key: str) -> None:
        self.session = session
        self.durations: dict[str, float] = {}
        self._at = time.perf_counter()
        self._ahead = session.made_ahead.pop(key, Ahead())
        self._reused, self._computed = session.store.reused.copy(), session.store.computed.copy()
        self._embedded = session.texts_embedded()

    def mark(self, name: str, of_next: float = 0.0) -> None:
        """End the stage `name` here; `of_next` seconds of it were work of the next one."""
        now = time.perf_counter()
        ahead = self._ahead.seconds if name == "build" else 0.0
        self.durations[name] = round(now - self._at - of_next + ahead, 4)
        self._at = now - of_next

    def counts(self) -> dict[str, dict[str, int]]:
        """Artifacts reused and computed, and texts embedded, since the start; what was made for this run before it
        began counts as its own."""
        store = self.session.store
        embedded = self.session.texts_embedded() - self._embedded + self._ahead.embedded
        computed = store.computed - self._computed
        return {
            "reused": dict(store.reused - self._reused - self._ahead.computed),
            "computed": dict(computed + self._ahead.computed),
            "embedded": {"texts": embedded.total(), **embedded},
        }
