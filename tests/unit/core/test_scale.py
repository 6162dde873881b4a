from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.core.scale import minmax


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], []),
        ([0.3], [1.0]),
        ([2, 2, 2], [1, 1, 1]),
        ([0, 0], [1, 1]),
        ([1, 3, 2], [0, 1, 0.5]),
        ([-1, -3], [1, 0]),
        ([-1e308, 1e308, 0.0], [0, 1, 0.5]),
        ([0.0, 5e-324], [0, 1]),
    ],
)
def test_known_values(values: list[float], expected: list[float]) -> None:
    assert minmax(values).tolist() == expected


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_order_and_range_are_kept(values: list[float]) -> None:
    scaled = minmax(values)
    assert scaled.dtype == np.float64
    assert ((scaled >= 0) & (scaled <= 1)).all()
    assert scaled.max() == 1
    assert (np.diff(scaled[np.argsort(values, kind="stable")]) >= 0).all()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        minmax([1.0, bad])


def test_the_input_is_left_alone() -> None:
    values = np.array([1.0, 2.0])
    minmax(values)
    assert values.tolist() == [1.0, 2.0]
