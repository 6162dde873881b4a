from __future__ import annotations

import numpy as np
import pytest

from ragbench.embedder.unit_vectors import unit_rows, unit_tokens, weighted_mean
from ragbench.errors import DataError


def test_rows_have_length_one() -> None:
    rows = unit_rows(np.array([[3, 4], [1e-20, 0]], np.float32), ["a", "b"])
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, [[0.6, 0.8], [1, 0]], rtol=1e-6)
    assert unit_rows(np.zeros((0, 3), np.float32), []).shape == (0, 3)


@pytest.mark.parametrize(
    ("bad", "found"), [(0.0, "zero vector"), (np.nan, "NaN"), (np.inf, "NaN or infinity"), (-np.inf, "infinity")]
)
def test_a_bad_vector_is_named_by_its_text(bad: float, found: str) -> None:
    rows = np.array([[1, 0], [bad, 0]], np.float32)
    with pytest.raises(DataError, match=found) as caught:
        unit_rows(rows, ["good", "报销标准" * 40])
    assert "text 1 of 2" in str(caught.value)
    assert "报销标准" in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_zero_token_stays_zero() -> None:
    np.testing.assert_array_equal(unit_tokens(np.array([[0, 0], [0, 2]], np.float32)), [[0, 0], [0, 1]])
    assert unit_tokens(np.zeros((0, 2), np.float32)).shape == (0, 2)


def test_mean_is_weighted_by_tokens() -> None:
    rows = np.array([[1, 0], [0, 1]], np.float32)
    np.testing.assert_allclose(weighted_mean(rows, [3, 1]), [0.75, 0.25])
    np.testing.assert_allclose(weighted_mean(rows, [0, 0]), [0.5, 0.5])
    assert weighted_mean(rows[:1], [0]).tolist() == [1, 0]
