"""Dense retrieval alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ragbench.records.search import Ranking, RouteList
from ragbench.retriever.base import Retriever
from ragbench.retriever.checks import check_rrf_k
from ragbench.retriever.fusion import ranking_of


@dataclass(frozen=True, kw_only=True)
class DenseRetriever(Retriever):
    """The dense route's list; scores are its cosines.

    Args:
        rrf_k: k of the reciprocal rank fusion that joins the lists of several requests; scores are then those of `rrf`.
    """

    ROUTES: ClassVar[tuple[str, ...]] = ("dense",)

    rrf_k: float

    def __post_init__(self) -> None:
        check_rrf_k(self.rrf_k)

    def fuse(self, lists: Sequence[RouteList]) -> Ranking:
        """See `Retriever.fuse`. Lists of other routes are not looked at."""
        return ranking_of([one for one in lists if one.route == "dense"], self.rrf_k)
