"""Student's quantiles against scipy's."""

from __future__ import annotations

import pytest
from scipy import stats

from ragbench.stats.student import normal_tail, t_quantile


@pytest.mark.parametrize("tail", [0.4, 0.1, 0.05, 0.025, 0.005, 0.0005])
def test_they_are_those_of_scipy(tail: float) -> None:
    for df in (1, 2, 2.3, 3, 4, 4.9, 5, 7.7, 10, 19, 30, 150, 1e5):
        assert t_quantile(tail, df) == pytest.approx(stats.t.isf(tail, df), rel=2e-4)


def test_the_normal_tail() -> None:
    assert normal_tail(1.959964) == pytest.approx(0.025, abs=1e-7)
    assert normal_tail(0) == 0.5


@pytest.mark.parametrize(("tail", "df"), [(0.0, 5), (0.5, 5), (0.1, 0.5), (0.1, float("nan"))])
def test_what_it_cannot_give_is_refused(tail: float, df: float) -> None:
    with pytest.raises(ValueError, match="tail between"):
        t_quantile(tail, df)
