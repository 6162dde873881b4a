"""The check of growth lets time in proportion pass and stops what grows with the square."""

import pytest

from ragbench.records.document import Span
from ragbench.testing.splitter_checks import assert_growth
from ragbench.testing.splitter_texts import make

STEPS = 1_000_000
"""Steps of work for the shorter text: about a twentieth of a second."""


def worker(power):
    """A splitter whose time grows with a power of the length."""

    def cut(document):
        sum(range(int(STEPS * (len(document.text) / 1000) ** power)))
        return [Span(0, len(document.text))]

    return cut


DOCUMENTS = [make("年" * length) for length in (1000, 5000)]


def test_time_in_proportion_passes():
    assert_growth(worker(1), DOCUMENTS, 6.0)


def test_time_that_grows_with_the_square_is_stopped():
    with pytest.raises(AssertionError, match=r"seconds for \[1000, 5000\] characters"):
        assert_growth(worker(2), DOCUMENTS, 6.0)
