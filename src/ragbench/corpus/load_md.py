"""Markdown with optional YAML or JSON front matter."""

from __future__ import annotations

import datetime
import json
import re
from typing import Any

import yaml

from ragbench.corpus.decode import decode
from ragbench.corpus.parsed import Parsed, whole
from ragbench.errors import DataError

_YAML_BLOCK = re.compile(r"---[ \t]*\n(.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_SIMPLE_LINE = re.compile(r"([\w-]+):(?=\s|\Z)(.*)")
_MAX_FRONT_MATTER = 100_000


def load_md(data: bytes) -> Parsed:
    """The Markdown as written, its front matter as metadata.

    Front matter is a mapping between two `---` lines, or a JSON object, at the very beginning.

    Raises:
        DataError: a `---` block that is neither YAML nor text between two rules.
    """
    text, encoding = decode(data)
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    metadata, text = split_front_matter(text)
    if encoding != "utf-8":
        metadata["encoding"] = encoding
    title = metadata.get("title")
    return whole(text, "md", title=str(title) if title else "", metadata=metadata, structured=True)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The front matter as plain JSON-able data (empty without one) and the rest of the text."""
    if text.startswith("{"):
        return _json_front_matter(text)
    found = _YAML_BLOCK.match(text, 0, _MAX_FRONT_MATTER)
    if not found:
        return {}, text
    try:
        value = yaml.load(found[1], Loader=_PlainLoader)  # noqa: S506 – a SafeLoader without aliases
    except yaml.YAMLError as error:
        simple = _simple_lines(found[1])
        if simple:
            return simple, text[found.end() :]
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 2}" if mark else ""
        problem = getattr(error, "problem", None) or "not readable"
        raise DataError("front matter", expected="YAML", found=f"{problem}{where}") from error
    except (ValueError, RecursionError) as error:
        raise DataError("front matter", expected="YAML", found=str(error)) from error
    if not isinstance(value, dict):
        return {}, text
    return {str(key): _jsonable(item) for key, item in value.items()}, text[found.end() :]


def _simple_lines(block: str) -> dict[str, Any]:
    """`key: value` lines as text, for what people write and YAML refuses (`title: Security: TLS`); else empty."""
    pairs = [_SIMPLE_LINE.fullmatch(line) for line in block.split("\n") if line.strip() and line[0] != "#"]
    return {pair[1]: pair[2].strip().strip("\"'") for pair in pairs if pair} if all(pairs) else {}


def _json_front_matter(text: str) -> tuple[dict[str, Any], str]:
    try:
        value, end = json.JSONDecoder().raw_decode(text[:_MAX_FRONT_MATTER])
    except (ValueError, RecursionError):
        return {}, text
    if not isinstance(value, dict) or text[end : end + 1] not in ("", "\n"):
        return {}, text
    return _jsonable(value), text[end:]


class _PlainLoader(yaml.SafeLoader):
    """Refuses aliases: a few nested ones expand to gigabytes once written out as JSON."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(problem="aliases are not allowed")
        return super().compose_node(parent, index)


def _jsonable(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_jsonable(item) for item in value]
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
