"""Which tests need no correction because they can never be significant."""

from __future__ import annotations

import pytest

from ragbench.stats.family import eligible


@pytest.mark.parametrize(
    ("smallest", "expected"),
    [
        ([], []),
        ([1.0], [False]),
        ([0.001, 0.001], [True, True]),
        ([0.04, 0.04], [False, False]),
        ([0.001, 0.04], [True, False]),
        ([0.01, 0.01, 0.02, 0.5, 0.5], [True, True, False, False, False]),
    ],
)
def test_the_family_is_the_largest_whose_members_can_all_be_significant(smallest, expected) -> None:
    assert eligible(smallest, 0.05) == expected


def test_alpha_is_a_probability() -> None:
    with pytest.raises(ValueError, match="alpha"):
        eligible([0.1], 0.0)
