"""Wilson's interval against published values and its own equation."""

import pytest

from ragbench.stats.proportion import Z, wilson


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_newcombe_1998_table_1(successes, n, low, high):
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("successes", "n"), [(1, 3), (7, 9), (50, 100)])
def test_the_borders_solve_the_score_equation(successes, n):
    for border in wilson(successes, n):
        assert (successes / n - border) ** 2 == pytest.approx(Z * Z * border * (1 - border) / n)


def test_borders():
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(5, 5)[1] == 1.0
    for wrong in (-1, 4):
        with pytest.raises(ValueError, match="expected 0 to 3"):
            wilson(wrong, 3)
