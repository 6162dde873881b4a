import numpy as np
import pytest

from ragbench.index.selection import best, chosen


def by_sorting(scores, numbers, depth):
    return sorted(zip((-scores).tolist(), numbers.tolist()))[: max(depth, 0)]


@pytest.mark.parametrize("depth", [-1, 0, 1, 7, 40, 41])
def test_best_equals_a_full_sort_with_many_ties(depth: int) -> None:
    rng = np.random.default_rng(depth + 1)
    for _ in range(30):
        scores = rng.integers(0, 5, 40).astype(np.float32)
        numbers = np.sort(rng.choice(1000, 40, replace=False)).astype(np.int32)
        found = best(scores, numbers, depth)
        assert list(zip((-found[1]).tolist(), found[0].tolist())) == by_sorting(scores, numbers, depth)
        assert found[0].dtype == np.int32 and found[1].dtype == np.float32


def test_best_of_nothing() -> None:
    numbers, scores = best(np.empty(0, np.float32), np.empty(0, np.int32), 5)
    assert len(numbers) == len(scores) == 0


def test_chosen_orders_and_leaves_out_what_does_not_exist() -> None:
    assert chosen(np.array([5, 1, 1, -1, 9, 4]), 9).tolist() == [1, 4, 5]
    assert chosen(np.array([]), 9).tolist() == []
    for ascending in ([0, 3, 8], [-5, -1, 0, 8, 9, 77], [-1], [9]):
        assert chosen(np.array(ascending), 9).tolist() == [n for n in ascending if 0 <= n < 9]
    assert chosen(np.array([2, 2, 5]), 9).tolist() == [2, 5]
    assert chosen(np.arange(3), 9).dtype == np.int32
