"""Root values that no stage checks: split, seed, report language, reuse of runs, sinks and places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragbench.errors import ConfigError
from ragbench.records.question import SPLITS

_LANGUAGES = ("en", "zh")


def root_problems(data: Mapping[str, Any]) -> list[str]:
    """One line for each root value of a composed configuration that cannot be used."""
    return [str(error) for error in _errors(data)]


def is_yes(value: Any) -> bool:
    """What `true` or `false` says; variables of the environment give them as text."""
    return str(value).lower() == "true"


def _errors(data: Mapping[str, Any]) -> Iterator[ConfigError]:
    split, seed = data.get("split"), data.get("seed")
    if split not in (*SPLITS, "all"):
        yield ConfigError("split", expected=f"{', '.join(SPLITS)} or all", found=repr(split))
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        yield ConfigError("seed", expected="a whole number of at least 0", found=repr(seed))
    lang = _section(data, "report").get("lang")
    if lang not in _LANGUAGES:
        yield ConfigError("report.lang", expected=" or ".join(_LANGUAGES), found=repr(lang))
    if not isinstance(data.get("sink"), Mapping):
        yield ConfigError("sink", expected="sinks that are true or false", found=repr(data.get("sink")))
    for name, value in _section(data, "sink").items():
        if not isinstance(value, bool):
            yield ConfigError(f"sink.{name}", expected="true or false", found=repr(value))
    if str(data.get("reuse")).lower() not in ("true", "false"):
        yield ConfigError("reuse", expected="true or false", found=repr(data.get("reuse")))
    for name in ("runs", "store"):
        place = _section(data, "paths").get(name)
        if not isinstance(place, str) or not place.strip():
            yield ConfigError(f"paths.{name}", expected="a folder", found=repr(place))


def _section(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = data.get(name)
    return found if isinstance(found, Mapping) else {}
