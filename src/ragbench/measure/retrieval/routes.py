"""Which route found the evidence."""

from __future__ import annotations

from ragbench.measure.base import Outcome, not_applicable
from ragbench.measure.case import Case

SHARES = ("only_dense", "only_sparse", "both", "neither")


def route_shares(dense: list[bool], sparse: list[bool]) -> dict[str, float]:
    """Share of evidence groups found by one route only, by both and by neither; the four sum to 1.

    `dense[g]` says whether the union of the first k hits of the dense route satisfies group g. Raises ValueError where
    there are no groups.
    """
    if not dense:
        raise ValueError("routes of a question without evidence")
    pairs = list(zip(dense, sparse, strict=True))
    n = len(pairs)
    return {
        "only_dense": pairs.count((True, False)) / n,
        "only_sparse": pairs.count((False, True)) / n,
        "both": pairs.count((True, True)) / n,
        "neither": pairs.count((False, False)) / n,
    }


def found_by(case: Case, route: str, k: int) -> list[bool]:
    """For each group, whether the first k hits of the route's lists (of every request of the last step) satisfy it."""
    ranks = None if case.evidence.by_document else case.route_ranks.get(route)
    if ranks is not None:
        return [0 < rank <= k for rank in ranks]
    lists = case.trace.steps[-1].route_lists if case.trace is not None and case.trace.steps else ()
    numbers = dict.fromkeys(number for one in lists if one.route == route for number in one.chunks[:k])
    return case.evidence.satisfied(case.corpus.chunks[number] for number in numbers)


def route_share(case: Case, k: int, share: str) -> Outcome:
    """One of the four shares at k; n/a for a variant that does not search both the dense and the sparse route."""
    steps = case.trace.steps if case.trace is not None else ()
    routes = {one.route for one in steps[-1].route_lists} if steps else set()
    if not {"dense", "sparse"} <= routes:
        return not_applicable("only where both the dense and the sparse route are searched")
    return route_shares(found_by(case, "dense", k), found_by(case, "sparse", k))[share]
