"""Words that belong to cells of a table."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

import numpy as np

Cell = tuple[int, int]
"""Row and column."""


class CellWords(MutableMapping[Cell, str]):
    """The words of the cells that have any, by (row, column), as a mapping in the order of rows.

    Eight bytes a cell, where a dictionary needs a hundred for each that is filled: a table keeps dozens for each
    question. A cell without words raises KeyError, one outside the table IndexError.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self._cells: Any = np.full(shape, None, dtype=object)

    def __getitem__(self, cell: Cell) -> str:
        """The words of a cell."""
        words = self._cells[cell]
        if words is None:
            raise KeyError(cell)
        return str(words)

    def __setitem__(self, cell: Cell, words: str) -> None:
        """Set the words of a cell."""
        self._cells[cell] = words

    def __delitem__(self, cell: Cell) -> None:
        """Take the words of a cell away."""
        self[cell]
        self._cells[cell] = None

    def __contains__(self, cell: object) -> bool:
        """Whether a cell has words."""
        return self._cells[cell] is not None

    def __iter__(self) -> Iterator[Cell]:
        """The cells with words, row by row."""
        return zip(*(at.tolist() for at in np.nonzero(self._filled())), strict=True)

    def __len__(self) -> int:
        """How many cells have words."""
        return int(np.count_nonzero(self._filled()))

    def _filled(self) -> Any:
        nothing: Any = None
        return np.not_equal(self._cells, nothing)
