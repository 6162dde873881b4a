"""Files of columns, many lines at once; lines one by one where a block is not plain."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

Tokens = list[bytes]

_SIZE = 1 << 22
_IS_SPACE = np.zeros(256, dtype=bool)
_IS_SPACE[list(b" \t\n\r\x0b\x0c")] = True


def blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """`(number of its first line, whole lines)`, a few megabytes each."""
    begin, number = 0, 1
    while begin < len(data):
        end = data.rfind(b"\n", begin, begin + _SIZE) + 1 or data.find(b"\n", begin) + 1 or len(data)
        block = data[begin:end] if end - begin < len(data) else data
        yield number, block
        number += block.count(b"\n")
        begin = end


def numbered(first: int, block: bytes) -> Iterator[tuple[int, bytes]]:
    """`(number, line)` of the lines of a block that are not blank."""
    for number, line in enumerate(block.split(b"\n"), first):
        if line.strip():
            yield number, line


def columns(block: bytes, width: int) -> list[Tokens] | None:
    """The columns of a block; None where a line that is not blank has not `width` of them."""
    codes = np.frombuffer(block, dtype=np.uint8)
    space = _IS_SPACE[codes]
    starts = np.flatnonzero(~space & np.concatenate(([True], space[:-1])))
    before = np.searchsorted(starts, np.flatnonzero(codes == ord("\n")))
    counts = np.diff(np.concatenate(([0], before, [len(starts)])))
    if not np.all((counts == width) | (counts == 0)):
        return None
    tokens = block.split()
    return [tokens[at::width] for at in range(width)]


def texts(tokens: Tokens) -> list[str]:
    """Columns as text; UnicodeDecodeError where one is no UTF-8."""
    found = b"\n".join(tokens).decode("utf-8").split("\n")
    return found if tokens else []


def wholes(tokens: Tokens) -> NDArray[np.int64]:
    """Whole numbers; ValueError or OverflowError where one is no plain one of 64 bits."""
    _refuse_underscores(tokens)
    return np.array(list(map(int, tokens)), dtype=np.int64)


def floats(tokens: Tokens) -> NDArray[np.float64]:
    """Numbers; ValueError where one is none."""
    _refuse_underscores(tokens)
    found = np.fromiter(map(float, tokens), np.float64, len(tokens))
    if np.isnan(found).any():
        raise ValueError
    return found


def runs_of(tokens: Tokens) -> Iterator[tuple[bytes, int]]:
    """Each value and how many times it stands in a row."""
    for value, same in groupby(tokens):
        yield value, len(list(same))


def _refuse_underscores(tokens: Tokens) -> None:
    """Python's numbers may hold them, those of a file may not."""
    if b"_" in b"".join(tokens):
        raise ValueError
