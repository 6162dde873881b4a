"""Words of cells are a mapping like any other."""

from __future__ import annotations

import pytest

from ragbench.evaluate.cell_words import CellWords


def test_it_is_a_mapping_in_the_order_of_rows():
    words = CellWords((3, 4))
    assert not words and (0, 0) not in words and words.get((2, 3), "") == ""
    words[2, 1], words[0, 3], words[2, 0] = "why: 年假", "a", ""
    assert dict(words) == {(0, 3): "a", (2, 0): "", (2, 1): "why: 年假"} and len(words) == 3
    assert list(words) == [(0, 3), (2, 0), (2, 1)] and (2, 0) in words
    del words[0, 3]
    assert (0, 3) not in words and len(words) == 2


def test_what_is_not_there_is_named():
    words = CellWords((1, 1))
    for asked in (words.__getitem__, words.__delitem__):
        with pytest.raises(KeyError):
            asked((0, 0))
    with pytest.raises(IndexError):
        words[1, 0] = "x"
    assert len(CellWords((0, 5))) == 0 and list(CellWords((0, 5))) == []
