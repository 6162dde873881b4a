"""What the verbs tell of an index."""

from __future__ import annotations

import pytest

from ragbench.upkeep.commit import Written
from ragbench.upkeep.told import written_lines


@pytest.mark.parametrize(("recall", "warned"), [(0.93, True), (1.0, False)])
def test_a_graph_of_low_recall_is_warned_of(recall: float, warned: bool) -> None:
    facts = {"dense": {"embedded": 3, "recall_at_10": recall, "recall_at_100": 1.0}, "sparse": {"lines_read": 3}}
    lines = list(written_lines(Written("c" * 64, 3, 3, 0, ("dense",), facts)))
    assert any("ef_search" in line and "index=exact" in line for line in lines) == warned
