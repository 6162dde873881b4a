"""Dense and sparse retrieval together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from ragbench.errors import ConfigError
from ragbench.records.search import Ranking, RouteList
from ragbench.retriever.base import Retriever
from ragbench.retriever.checks import check_number, check_rrf_k
from ragbench.retriever.fusion import alpha_fusion, merged, ranking, rrf, scored
from ragbench.retriever.scaling import SCALES

FUSIONS = ("rrf", "weighted_rrf", "alpha")
DEFAULT_ALPHA = 0.4
DEFAULT_SCALE = "minmax"


@dataclass(frozen=True, kw_only=True)
class HybridRetriever(Retriever):
    """Both routes, fused by rank or by score.

    Several requests (forms of the question) give several lists a route. What the requests say (`SearchRequest.join`)
    decides how they become one: `rrf` (reciprocal rank), `votes`, `best` or `sum` (of scaled scores) join the lists of
    each route first, with the requests' weights, and the routes' lists are then fused; `rrf` and `weighted_rrf` add up
    all lists at once where these are joined by `rrf` too. `flat` adds up the reciprocal ranks of all lists of all
    routes, whatever the fusion.

    Args:
        fusion: `rrf`, `weighted_rrf` or `alpha`, see `ragbench.retriever.fusion`.
        alpha: weight of the dense route in `alpha`, 0 to 1; None means 0.4, chosen with the default embedder
            (docs/adr/0010-default-alpha.md); another embedder may want another.
        scale: what `alpha` brings the scores of each route to: `minmax` or `zscore`, see `ragbench.retriever.scaling`.
        rrf_k: k of reciprocal rank fusion.
        weights: weight of each route in `weighted_rrf`.
    """

    ROUTES: ClassVar[tuple[str, ...]] = ("dense", "sparse")

    fusion: str
    alpha: float | None
    scale: str
    rrf_k: float
    weights: Mapping[str, float] = field(hash=False)

    def __post_init__(self) -> None:
        if self.fusion not in FUSIONS:
            raise ConfigError("pipeline.retriever.fusion", expected=" or ".join(FUSIONS), found=repr(self.fusion))
        if self.alpha is not None:
            check_number("alpha", self.alpha, 0, 1)
        if self.scale not in SCALES:
            raise ConfigError("pipeline.retriever.scale", expected=" or ".join(SCALES), found=repr(self.scale))
        check_rrf_k(self.rrf_k)
        if not isinstance(self.weights, Mapping) or set(self.weights) != set(self.ROUTES):
            raise ConfigError(
                "pipeline.retriever.weights",
                expected=f"one for each of {', '.join(self.ROUTES)}",
                found=f"{self.weights}",
            )
        for route, weight in self.weights.items():
            check_number(f"weights.{route}", weight, 0, float("inf"))
        if not any(self.weights.values()):
            raise ConfigError("pipeline.retriever.weights", expected="at least one above 0", found="none")
        object.__setattr__(self, "weights", dict(self.weights))

    def idle_fields(self) -> dict[str, str]:
        """`alpha`, `scale` and `weights` outside of the fusion they are of."""
        owners = {"alpha": "alpha", "scale": "alpha", "weights": "weighted_rrf"}
        return {name: f"fusion={self.fusion}" for name, fusion in owners.items() if self.fusion != fusion}

    def resolved(self) -> Self:
        """The same retriever with its own α where none is set, and without what its fusion does not use."""
        by_score = self.fusion == "alpha"
        alpha = (DEFAULT_ALPHA if self.alpha is None else self.alpha) if by_score else None
        scale = self.scale if by_score else DEFAULT_SCALE
        weights = self.weights if self.fusion == "weighted_rrf" else dict.fromkeys(self.ROUTES, 1.0)
        return replace(self, alpha=alpha, scale=scale, weights=weights)

    def fuse(self, lists: Sequence[RouteList]) -> Ranking:
        """See `Retriever.fuse`. Lists of other routes are not looked at."""
        own = [one for one in lists if one.route in self.ROUTES]
        routes = self.weights if self.fusion == "weighted_rrf" else dict.fromkeys(self.ROUTES, 1.0)
        join = own[0].join if own else "rrf"
        if join == "flat" or (join == "rrf" and self.fusion != "alpha"):
            weights = [one.weight * routes[one.route] for one in own]
            return ranking(rrf([scored(one)[0] for one in own], weights, self.rrf_k))
        dense, sparse = (merged([one for one in own if one.route == route], self.rrf_k) for route in self.ROUTES)
        if self.fusion == "alpha":
            alpha = DEFAULT_ALPHA if self.alpha is None else self.alpha
            return ranking(alpha_fusion(dense, sparse, alpha, self.scale))
        return ranking(rrf([dense[0], sparse[0]], [routes[route] for route in self.ROUTES], self.rrf_k))
