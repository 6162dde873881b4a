"""A text as an array of code points, and which of them are blank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# U+3000 is the last blank; the table's last entry stands for all that follow.
_BLANK_TABLE = np.array([chr(point).isspace() for point in range(0x3001)] + [False])


def code_points(text: str) -> NDArray[np.uint32]:
    """The text's code points, shape [len(text)]; lone surrogates included."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def blank_mask(points: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which code points are blank (`str.isspace`), shape as given."""
    blank: NDArray[np.bool_] = _BLANK_TABLE[np.minimum(points, len(_BLANK_TABLE) - 1)]
    return blank
