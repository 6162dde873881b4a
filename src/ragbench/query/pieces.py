"""What a question is taken apart into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["whole", "parts", "sides", "chain"]


@dataclass(frozen=True, slots=True)
class Part:
    """One sub-question. `text` stands alone. `template` is what is asked once the answers of the parts in `needs`
    (numbers from 0, all earlier ones) are known: `#1` stands for the answer of the first part. Empty: as `text`."""

    text: str
    template: str = ""
    needs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Pieces:
    """What a question was taken apart into: `whole` (one part, the question), independent `parts`, the `sides` of a
    comparison, or a `chain` in which some part needs the answer of an earlier one. `resolves`: the last part of a
    chain, its answers filled in, asks what the question asks."""

    kind: Kind
    parts: tuple[Part, ...]
    resolves: bool = False

    @property
    def depth(self) -> int:
        """Parts on the longest way along `needs`, at least 1."""
        return depth_of(self.parts)


LONGEST = 1000
"""Characters beyond which a text is no question to take apart: it stays whole."""


def depth_of(parts: Sequence[Part]) -> int:
    """Parts on the longest way along `needs`; no parts: 0. Raises IndexError where a part needs a later one."""
    deep: list[int] = []
    for part in parts:
        deep.append(1 + max((deep[need] for need in part.needs), default=0))
    return max(deep, default=0)
