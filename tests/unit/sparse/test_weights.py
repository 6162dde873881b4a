import math

import numpy as np
import pytest

from ragbench.sparse.weights import IDF, bm25_postings


@pytest.mark.parametrize(
    ("method", "df", "n", "expected"),
    [
        ("lucene", 1, 10, math.log(1 + 9.5 / 1.5)),
        ("lucene", 10, 10, math.log(1 + 0.5 / 10.5)),
        ("robertson", 1, 10, math.log(9.5 / 1.5)),
        ("robertson", 6, 10, 0.0),
        ("atire", 2, 10, math.log(5)),
        ("atire", 10, 10, 0.0),
    ],
)
def test_idf(method: str, df: int, n: int, expected: float) -> None:
    assert IDF[method](np.array([float(df)]), n)[0] == pytest.approx(expected)


def test_postings_worked_by_hand() -> None:
    # texts: [0 0 1], [], [1 2]; avgdl 5/3
    found = bm25_postings(np.array([0, 0, 1, 1, 2]), np.array([3, 0, 2]), k1=1.5, b=0.75, method="lucene")

    def weight(df: int, f: int, length: int) -> float:
        idf = math.log(1 + (3 - df + 0.5) / (df + 0.5))
        return idf * f * 2.5 / (f + 1.5 * (0.25 + 0.75 * length / (5 / 3)))

    assert found["indptr"].tolist() == [0, 1, 3, 4]
    assert found["indices"].tolist() == [0, 0, 2, 2]
    assert found["data"] == pytest.approx([weight(1, 2, 3), weight(2, 1, 3), weight(2, 1, 2), weight(1, 1, 2)])
    assert found["num_docs"] == 3 and found["data"].dtype == np.float32 and found["indices"].dtype == np.int32
