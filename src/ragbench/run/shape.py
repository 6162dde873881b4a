"""How a sweep combines its axes: every value with every other, or each varied alone, some only beside others."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ragbench.errors import ConfigError
from ragbench.run.grid import key_of, values_of

BASE = "base"
"""Label of the variant around which axes are varied alone."""


@dataclass(frozen=True)
class When:
    """An axis that is varied only where another key has one of some values."""

    key: str
    other: str
    values: tuple[str, ...]
    told: str

    def holds(self, found: str) -> bool:
        """Whether the other key's value is one of them."""
        return found in self.values


@dataclass(frozen=True)
class Shape:
    """`alone`: each axis is varied around the base, which has none of them. `when` are conditions of axes."""

    alone: bool = False
    when: tuple[When, ...] = ()

    def combinations(self, overrides: Sequence[str]) -> list[Combination]:
        """The points of a grid, first axis outermost; or the base and each axis's values alone, in the order given."""
        lists = [values_of(item) for item in overrides]
        if self.alone:
            return [_combination(point, varied) for point, varied in _around(lists)]
        varied = [key_of(items[0]) for items in lists if len(items) > 1]
        return [_combination(point, varied) for point in itertools.product(*lists)]


GRID = Shape()
"""Every value with every other."""


@dataclass(frozen=True)
class Combination:
    """Overrides of one point of a grid, and the axes among them: value by key, as typed."""

    overrides: tuple[str, ...]
    at: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The axes' values in the order of the command line; empty without any."""
        return " ".join(f"{key}={value}" for key, value in self.at.items())

    def without(self, key: str) -> Combination:
        """The combination without one of its axes."""
        kept = tuple(item for item in self.overrides if key_of(item) != key)
        return Combination(kept, {one: value for one, value in self.at.items() if one != key})


def when_of(text: str, keys: Sequence[str]) -> When:
    """A condition `KEY:OTHER=VALUE,VALUE`; `keys` are the axes.

    Raises ConfigError for another form and for a key that is no axis.
    """
    key, colon, rest = text.partition(":")
    other, equals, values = rest.partition("=")
    thing = f"--when {text}"
    found = tuple(value.strip() for value in values.split(",") if value.strip())
    if not (key and colon and other and equals and found):
        hint = "Such as --when alpha:retriever=hybrid"
        raise ConfigError(thing, expected="KEY:OTHER=VALUE[,VALUE]", found=repr(text), hint=hint)
    if key not in keys:
        raise ConfigError(thing, expected=f"a key that is varied ({', '.join(keys) or 'none is'})", found=key)
    if key == other:
        raise ConfigError(thing, expected="another key", found="the axis itself")
    return When(key, other, found, text)


def _around(lists: Sequence[Sequence[str]]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    yield tuple(items[0] for items in lists if len(items) == 1), []
    for own in range(len(lists)):
        if len(lists[own]) > 1:
            kept = [(at, items) for at, items in enumerate(lists) if at == own or len(items) == 1]
            for value in lists[own]:
                point = [value if at == own else items[0] for at, items in kept]
                yield tuple(point), [key_of(value)]


def _combination(point: Sequence[str], varied: Sequence[str]) -> Combination:
    return Combination(tuple(point), {key_of(item): item.partition("=")[2] for item in point if key_of(item) in varied})
