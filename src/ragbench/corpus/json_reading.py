"""JSON values with their numbers as written, and which names stand twice in an object."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

_LONGEST_NAME = 50


class Spelled(float):
    """A number that is not written as Python would write it: `1.10`, `1e-7`."""

    spelling: str

    def __new__(cls, spelling: str) -> Spelled:
        """The number, however it is spelled."""
        number = super().__new__(cls, spelling)
        number.spelling = spelling
        return number


_MOST_DIGITS = 640


class JsonReader(json.JSONDecoder):
    """A decoder for any number of values; `repeated` are the names that stood twice in one object, in order."""

    def __init__(self) -> None:
        self.repeated: dict[str, None] = {}
        self._set_up(None)

    def _set_up(self, whole: Callable[[str], Any] | None) -> None:
        super().__init__(parse_float=_number, parse_int=whole, object_pairs_hook=self._object)

    def decode(self, s: str, *given: Any) -> Any:
        """The value; whole numbers of more digits than Python turns into a number stay as they are written."""
        try:
            return super().decode(s, *given)
        except json.JSONDecodeError:
            raise
        except ValueError:
            if self.parse_int is _whole:
                raise
        # Only then: a function for each number costs time, and so would making such numbers, with its square.
        self._set_up(_whole)
        return super().decode(s, *given)

    def warnings(self) -> list[str]:
        """One for each name that stands twice."""
        return [f"{name!r} stands twice in an object: the last value was read" for name in self.repeated]

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            for name, _ in pairs:
                if name in seen:
                    self.repeated[name[:_LONGEST_NAME]] = None
                seen.add(name)
        return found


def shown(value: Any) -> str:
    """A number, true, false, null, an empty object or list as it was written."""
    return value.spelling if isinstance(value, Spelled) else json.dumps(value)


def _whole(spelling: str) -> int | Spelled:
    return int(spelling) if len(spelling) <= _MOST_DIGITS else Spelled(spelling)


def _number(spelling: str) -> float:
    number = float(spelling)
    return number if repr(number) == spelling else Spelled(spelling)
