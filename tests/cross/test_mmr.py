"""Maximal marginal relevance against plain loops in whole numbers, so that every tie is a tie."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragbench.reranker.mmr import picked

coordinates = st.tuples(*[st.integers(-2, 2)] * 3)
candidates = st.lists(st.tuples(st.integers(0, 8), coordinates), max_size=9)


def by_loop(found, weight: Fraction) -> tuple[list[int], list[Fraction]]:
    """The definition: of what is left, the one with the highest λ·relevance − (1 − λ)·max cosine to the picked."""
    order: list[int] = []
    values: list[Fraction] = []
    left = list(range(len(found)))
    while left:

        def value(place: int) -> Fraction:
            relevance, own = Fraction(found[place][0], 8), found[place][1]
            near = [sum(a * b for a, b in zip(own, found[other][1])) for other in order]
            return weight * relevance - (1 - weight) * (max(near) if near else 0)

        best = max(left, key=lambda place: (value(place), -place))
        values.append(min([value(best), *values[-1:]]))
        order.append(best)
        left.remove(best)
    return order, values


@given(candidates, st.integers(0, 4).map(lambda n: Fraction(n, 4)))
def test_picks_are_those_of_the_definition(found, weight: Fraction) -> None:
    relevance = np.array([one[0] / 8 for one in found])
    vectors = np.array([one[1] for one in found], np.float32).reshape(-1, 3)
    order, values = picked(relevance, vectors, float(weight))
    expected, expected_values = by_loop(found, weight)
    assert order == expected
    assert values == [float(value) for value in expected_values]
    assert values == sorted(values, reverse=True)


@given(candidates)
def test_weight_one_is_the_order_of_relevance(found) -> None:
    relevance = np.array([one[0] / 8 for one in found])
    vectors = np.array([one[1] for one in found], np.float32).reshape(-1, 3)
    assert picked(relevance, vectors, 1.0)[0] == np.argsort(-relevance, kind="stable").tolist()
