"""Recall at a context budget: the fair comparison of small with large chunks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from ragbench.eval_set.align import Evidence, Placed
from ragbench.measure.view import RankedView


def within_budget(tokens: Sequence[int], budget: int) -> list[bool]:
    """Which chunks of a ranking enter a context of `budget` tokens: whole chunks from the top, one that does not fit is
    skipped and the next tried, as the packer does. `tokens[i]` is the size of the chunk at rank i + 1."""
    left, taken = budget, []
    for size in tokens:
        fits = size <= left
        left -= size if fits else 0
        taken.append(fits)
    return taken


def filling(ranked: Sequence[int], deeper: Sequence[int], tokens: Sequence[int], budget: int) -> int | None:
    """How many of the chunks `deeper` continue the list `ranked` until it holds at least `budget` tokens: 0 where it
    holds them already, None where both together do not. `tokens` counts by chunk number.

    A list for one budget is thus the same whatever other budgets are measured beside it.
    """
    held = 0
    for count, number in enumerate(chain(ranked, deeper), start=1 - len(ranked)):
        held += tokens[number]
        if held >= budget:
            return max(0, count)
    return None


def budget_recall(evidence: Evidence, view: RankedView, tokens: Sequence[int], budget: int) -> float:
    """Satisfied groups ÷ all groups when the ranking fills a context of `budget` tokens: in [0, 1]; empty ranking: 0.

    `tokens` counts by chunk number. Text that two chunks share counts twice, as it would in two blocks. Where evidence
    is whole documents the chunks still fill the budget one by one. Source: methods.md §11, architecture.md (Gold).
    """
    if evidence.n_groups < 1:
        raise ValueError("recall of a question without evidence")
    if not view.touching:
        return 0.0
    last = view.touching[-1][0]
    taken = within_budget([tokens[number] for number in view.numbers[:last]], budget)
    packed: list[tuple[int, Placed]] = [(rank, span) for rank, span in view.touching if taken[rank - 1]]
    everything = len(packed) == len(view.touching)  # what the whole ranking satisfies is known already
    ranks = view.ranks if everything else evidence.first_ranks(packed)[0]
    return sum(1 for rank in ranks if rank) / evidence.n_groups
