import numpy as np
import pytest

from ragbench.retriever.scaling import SCALES, min_max, z_score


def test_min_max() -> None:
    assert min_max(np.array([3.0, 2.0, 1.0])).scores.tolist() == [1.0, 0.5, 0.0]
    assert min_max(np.array([3.0, 2.0, 1.0])).missing == 0


def test_z_score() -> None:
    """Mean 5, deviation 2 of the eight textbook values."""
    scaled = z_score(np.array([9.0, 7.0, 5.0, 5.0, 4.0, 4.0, 4.0, 2.0]))
    assert scaled.scores == pytest.approx([2, 1, 0, 0, -0.5, -0.5, -0.5, -1.5])
    assert scaled.missing == pytest.approx(-1.5)
    two = z_score(np.array([12.0, 2.0]))
    assert two.scores.tolist() == [1.0, -1.0]
    assert two.missing == -1.0


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("score", [0.0, -5.0, 0.1, 3e38])
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_a_list_without_spread_says_only_what_was_found(scale: str, score: float, n: int) -> None:
    scaled = SCALES[scale](np.full(n, score))
    assert scaled.scores.tolist() == [1.0] * n
    assert scaled.missing == 0.0


@pytest.mark.parametrize("scale", SCALES)
def test_an_empty_list_says_nothing(scale: str) -> None:
    scaled = SCALES[scale](np.empty(0))
    assert scaled.scores.tolist() == []
    assert scaled.missing == 0.0


@pytest.mark.parametrize("pair", [(1e-45, 0.0), (np.nextafter(1, 2), 1.0), (3e38, -3e38), (1e-300, 0.0)])
@pytest.mark.parametrize("scale", SCALES)
def test_the_smallest_and_largest_differences_stay_numbers(scale: str, pair: tuple[float, float]) -> None:
    scaled = SCALES[scale](np.array(pair))
    assert np.isfinite(scaled.scores).all()
    assert scaled.scores[0] > scaled.scores[1]
