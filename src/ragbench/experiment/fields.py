"""Reading fields of a mapping that a person wrote; what is wrong is collected, not raised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from ragbench.errors import ConfigError

LANGUAGES = ("en", "zh")


def shown(value: Any) -> str:
    """A value as an override writes it: null, true, false, lists in brackets."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(shown, value)) + "]"
    return str(value)


class Fields:
    """Fields of one mapping; `at` is its place in the file, `problems` takes one line for each thing wrong."""

    def __init__(self, data: Any, at: str, problems: list[str]) -> None:
        self.at, self.problems = at, problems
        self.data: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
        if not isinstance(data, Mapping):
            self.wrong("", "a mapping", type(data).__name__)

    def wrong(self, name: str, expected: str, found: str) -> None:
        """Note that a field is not as expected."""
        place = ".".join(filter(None, (self.at, name)))
        self.problems.append(str(ConfigError(place, expected=expected, found=found)))

    def only(self, known: Sequence[str]) -> None:
        """Note each field that nobody reads."""
        for name in self.data:
            if name not in known:
                near = get_close_matches(str(name), known, n=1)
                hint = f" (did you mean {near[0]}?)" if near else ""
                self.wrong(str(name), f"one of {', '.join(known)}{hint}", "no such field")

    def text(self, name: str) -> str:
        """A field that must be a non-empty text."""
        value = self.data.get(name)
        if not isinstance(value, str) or not value.strip():
            self.wrong(name, "a text", shown(value))
            return ""
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """A number; one without a default must be there."""
        value = self.data.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.wrong(name, "a number", shown(value))
            return 0.0
        return float(value)

    def numbers(self, name: str) -> tuple[float, ...]:
        """A list of numbers."""
        values = self.items(name)
        wrong = [value for value in values if isinstance(value, bool) or not isinstance(value, int | float)]
        if wrong:
            self.wrong(name, "a list of numbers", shown(wrong[0]))
            return ()
        return tuple(map(float, values))

    def mapping(self, name: str, optional: bool = False) -> Mapping[str, Any]:
        """A field that must be a mapping."""
        value = self.data.get(name)
        if value is None and optional:
            return {}
        if not isinstance(value, Mapping):
            self.wrong(name, "a mapping", shown(value) if value is None else type(value).__name__)
            return {}
        return value

    def part(self, name: str) -> Fields:
        """The fields of a nested mapping, which may be missing."""
        return Fields(self.mapping(name, optional=True), ".".join(filter(None, (self.at, name))), self.problems)

    def items(self, name: str) -> Sequence[Any]:
        """A field that must be a list with something in it."""
        value = self.data.get(name)
        if not isinstance(value, list) or not value:
            self.wrong(name, "a list", shown(value))
            return ()
        return value

    def distinct(self, name: str, values: Iterable[str]) -> None:
        """Note each value that stands twice."""
        seen: set[str] = set()
        for value in values:
            if value in seen:
                self.wrong(name, "each value once", f"{value} twice")
            seen.add(value)

    def overrides(self, name: str) -> dict[str, str]:
        """Overrides by key; a value that is a list with commas would be a grid, which one variant cannot be."""
        return {str(key): shown(value) for key, value in self.mapping(name, optional=True).items()}

    def words(self, name: str) -> dict[str, str]:
        """A text in English and Chinese."""
        part = self.part(name)
        part.only(LANGUAGES)
        return {lang: part.text(lang) for lang in LANGUAGES}

    def needs(self) -> dict[str, tuple[str, ...]]:
        """Options that can decide, by slot."""
        found = {}
        for slot, names in self.mapping("needs", optional=True).items():
            if not isinstance(names, list) or not names:
                self.wrong(f"needs.{slot}", "a list of options", shown(names))
                continue
            found[str(slot)] = tuple(map(str, names))
        return found
