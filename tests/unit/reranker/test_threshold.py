from __future__ import annotations

import math
from typing import Any

import pytest

from ragbench.errors import ConfigError
from ragbench.reranker.threshold import Platt, above, check_threshold, platt

from .doubles import ranking

GIVEN = ranking((4, 0.8), (2, 0.3), (7, 0.1))


def test_the_logistic_of_platt() -> None:
    made = platt({"a": 2, "b": -1})
    assert made == Platt(2.0, -1.0)
    assert made.probability(0.5) == 0.5
    assert made.probability(3.0) == pytest.approx(1 / (1 + math.exp(-5)), abs=1e-6)
    assert (made.probability(1e300), made.probability(-1e300)) == (1.0, 0.0)
    assert platt(None) is None


@pytest.mark.parametrize(
    "wrong", [{}, {"a": 1}, {"a": 1, "b": 1, "c": 1}, {"a": 0, "b": 0}, {"a": True, "b": 0}, {"a": "1", "b": 0}, [1, 2]]
)
def test_what_is_no_calibration_is_refused(wrong: Any) -> None:
    with pytest.raises(ConfigError, match=r"reranker\.calibration"):
        platt(wrong)


@pytest.mark.parametrize(
    ("threshold", "min_kept", "kept"),
    [(None, 0, [4, 2, 7]), (0.3, 0, [4, 2]), (0.31, 0, [4]), (0.9, 0, []), (0.9, 2, [4, 2]), (0.0, 0, [4, 2, 7])],
)
def test_what_stays(threshold: float | None, min_kept: int, kept: list[int]) -> None:
    assert [hit.chunk for hit in above(GIVEN, threshold, min_kept)] == kept
    assert above((), threshold, min_kept) == ()


def test_a_threshold_needs_scores_from_0_to_1() -> None:
    with pytest.raises(ConfigError, match=r"found scores from -2 to 7.*calibration"):
        above(ranking((1, 7.0), (2, -2.0)), 0.3, 0)
    assert above(ranking((1, 7.0)), None, 0)


@pytest.mark.parametrize(
    ("threshold", "min_kept"), [(1.1, 0), (-0.1, 0), (True, 0), (0.3, -1), (0.3, 1.5), (0.3, True)]
)
def test_bad_bounds_are_refused(threshold: Any, min_kept: Any) -> None:
    with pytest.raises(ConfigError, match=r"reranker\.(threshold|min_kept)"):
        check_threshold(threshold, min_kept)
