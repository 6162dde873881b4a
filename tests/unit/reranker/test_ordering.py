from __future__ import annotations

import pytest

from ragbench.records.search import Ranked
from ragbench.reranker.ordering import reordered

from .doubles import ranking


def test_best_first_ties_by_former_rank() -> None:
    new = reordered(ranking((9, 0.9), (2, 0.8), (5, 0.7), (1, 0.6)), [0.5, 0.7, 0.5, 0.7])
    assert new == (
        Ranked(2, 0.7, 1, former=2),
        Ranked(1, 0.7, 2, former=4),
        Ranked(9, 0.5, 3, former=1),
        Ranked(5, 0.5, 4, former=3),
    )
    assert reordered((), []) == ()


def test_a_score_for_each_hit_is_needed() -> None:
    with pytest.raises(ValueError, match="zip"):
        reordered(ranking((1, 1.0), (2, 0.5)), [1.0])
