"""What a retriever is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ragbench.core.stage import Stage
from ragbench.records.search import Ranking, RouteList


@dataclass(frozen=True, kw_only=True)
class Retriever(Stage):
    """Names the routes it needs and fuses their lists.

    `fuse` is a pure function of the cached lists, so that α, k, fusion kind and cut-offs cost nothing to vary.
    """

    ROUTES: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def fuse(self, lists: Sequence[RouteList]) -> Ranking:
        """One ranking of the union of the lists: best first, ties by chunk number, ranks from 1, no duplicates."""
