import numpy as np
import pytest

from ragbench.errors import DataError
from ragbench.index.vectors import checked, checked_query, cosines, unit_rows


def test_unit_rows_have_length_one_and_zero_stays_zero() -> None:
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0], [1e-30, 0.0]]))
    assert rows.dtype == np.float32
    assert np.allclose(rows, [[0.6, 0.8], [0, 0], [1, 0]])


@pytest.mark.parametrize("width", [37, 384, 1024])
def test_a_score_does_not_depend_on_the_place_of_its_row(width: int) -> None:
    rng = np.random.default_rng(0)
    row, query = unit_rows(rng.standard_normal((2, width)))
    block = np.tile(row, (1003, 1))
    alone = cosines(row[None], query)[0]
    assert {score.tobytes() for start in (0, 1, 3) for score in cosines(block[start:], query)} == {alone.tobytes()}


def test_what_cannot_be_indexed_is_named() -> None:
    ids = ["a#1", "a#2"]
    with pytest.raises(DataError, match="for each of 2 chunks, found 3"):
        checked(np.ones((3, 4), np.float32), ids)
    with pytest.raises(DataError, match=r"matrix \[chunks, dimension\], found 1"):
        checked(np.ones(3, np.float32), ids)
    with pytest.raises(DataError, match=r"vector of chunk a#2: expected finite numbers, found NaN or infinity in 1"):
        checked(np.array([[1, 2], [np.inf, 0]], np.float32), ids)


def test_a_query_of_another_model_is_refused() -> None:
    with pytest.raises(DataError, match=r"expected 4 numbers.*same embedder"):
        checked_query(np.ones(3, np.float32), 4)
    with pytest.raises(DataError, match="finite"):
        checked_query(np.array([np.nan, 1], np.float32), 2)
