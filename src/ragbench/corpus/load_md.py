"""Markdown with optional YAML, TOML or JSON front matter."""

from __future__ import annotations

import datetime
import json
import re
import tomllib
from typing import Any

import yaml

from ragbench.corpus.decode import recognised
from ragbench.corpus.parsed import Parsed, whole
from ragbench.errors import DataError

# As in pandoc, a rule before a blank line is a rule.
_YAML_BLOCK = re.compile(r"---[ \t]*\n(?![ \t]*\n)(.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_EMPTY_BLOCK = re.compile(r"---[ \t]*\n(?:[ \t]*(?:#[^\n]*)?\n)*(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_NAMED_BLOCK = re.compile(r"(?:---(json|toml|yaml)|(;;;))[ \t]*\n(.*?)(?<=\n)(?(2);;;|---)[ \t]*(?:\n|\Z)", re.DOTALL)
_RULED = re.compile(r"---[ \t]*\n[ \t]*\n+(?:[\w-]+:(?:[ \t][^\n]*)?\n)+[ \t]*(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_TOML_BLOCK = re.compile(r"\+\+\+[ \t]*\n(.*?)(?<=\n)\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_SIMPLE_LINE = re.compile(r"([\w-]+):(?=\s|\Z)(.*)")
# Values that are structure to YAML: lists, mappings, anchors, aliases, tags, blocks, quotes left open.
_STRUCTURE = re.compile(r"""[\[{&*!|>]|"(?!.*"\Z)|'(?!.*'\Z)""")
_MAX_FRONT_MATTER = 100_000
_OURS = frozenset(("encoding", "warnings"))
_HALVES = re.compile("[\ud800-\udfff]")
_LIKE_JSON = re.compile(r"\{\s*\n?\s*\"[^\"\n]+\"\s*:")


def load_md(data: bytes) -> Parsed:
    """The Markdown as written, its front matter as metadata.

    Front matter is a mapping between two `---` lines (YAML), `+++` lines (TOML) or `;;;` lines (JSON), between
    `---json`, `---toml` or `---yaml` and `---`, or a JSON object, at the very beginning. An empty one goes; one that
    cannot be read stays in the text, with a warning; lines `key: value` that YAML refuses for what a value says
    (`title: Security: TLS`) are read as texts, with a warning. A `---` before a blank line is a rule, and what follows
    it is text.
    """
    text, encoding, guessed = recognised(data)
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    metadata: dict[str, Any] = {}
    try:
        metadata, text, warnings = _read(text)
        warnings = warnings or (_unread(text) if not metadata else ())
    except DataError as error:
        warnings = (f"kept as text: {error}",)
    title = metadata.get("title")
    # Keys that say how the file was read are ours; an author's go under another name.
    metadata = {f"front_matter_{key}" if key in _OURS else key: value for key, value in metadata.items()}
    metadata["encoding"] = encoding
    return whole(
        text,
        "md",
        title=str(title) if title else "",
        metadata=metadata,
        structured=True,
        warnings=(*guessed, *warnings),
    )


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The front matter as plain JSON-able data (empty without one) and the rest of the text.

    Raises:
        DataError: a `---` block that is neither YAML nor text between two rules, or a block that says it is TOML or
            JSON and is not.
    """
    metadata, rest, _ = _read(text)
    return metadata, rest


def _read(text: str) -> tuple[dict[str, Any], str, tuple[str, ...]]:
    """The front matter, the rest of the text, and a warning where it was read line by line."""
    named = _NAMED_BLOCK.match(text, 0, _MAX_FRONT_MATTER)
    if named and named[1] == "yaml":
        found = _read(text.replace("yaml", "", 1))
        return found if found[0] else ({}, text, ())
    block = None if named else _yaml_block(text)
    if block is None:
        return *_other_front_matter(text), ()
    try:
        value = yaml.load(block[1], Loader=_PlainLoader)  # noqa: S506 – a SafeLoader without aliases
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 2}" if mark else ""
        problem = f"{getattr(error, 'problem', None) or 'not readable'}{where}"
        simple = _simple_lines(block[1])
        if simple:
            return simple, text[block.end() :], (f"front matter is not YAML, read line by line as texts: {problem}",)
        raise DataError("front matter", expected="YAML", found=problem) from error
    except (ValueError, RecursionError) as error:
        raise DataError("front matter", expected="YAML", found=str(error)) from error
    if not isinstance(value, dict):
        return {}, text, ()
    return _jsonable(value), text[block.end() :], ()


def _yaml_block(text: str) -> re.Match[str] | None:
    """A block between `---` lines that holds something."""
    if text.startswith(("{", "+++")) or _EMPTY_BLOCK.match(text, 0, _MAX_FRONT_MATTER):
        return None
    return _YAML_BLOCK.match(text, 0, _MAX_FRONT_MATTER)


def _other_front_matter(text: str) -> tuple[dict[str, Any], str]:
    if text.startswith("{"):
        return _json_front_matter(text)
    if text.startswith("+++"):
        return _toml_front_matter(text)
    named = _NAMED_BLOCK.match(text, 0, _MAX_FRONT_MATTER)
    if named:
        read = _toml if named[1] == "toml" else _json
        return read(named[3]), text[named.end() :]
    empty = _EMPTY_BLOCK.match(text, 0, _MAX_FRONT_MATTER)
    if empty:
        return {}, text[empty.end() :]
    return {}, text


def _unread(text: str) -> tuple[str, ...]:
    """A warning when the text begins like front matter that was not taken for it."""
    first, _, rest = text.partition("\n")
    line = rest.split("\n", 1)[0]
    if (first.rstrip() == "---" and _SIMPLE_LINE.fullmatch(line)) or (first.rstrip() == "+++" and "=" in line):
        return (f"kept as text: front matter without a closing line {first.rstrip()}",)
    if _RULED.match(text, 0, _MAX_FRONT_MATTER):
        return ("kept as text: front matter with a blank line at its beginning",)
    if first.rstrip() in ("---json", "---toml", "---yaml", ";;;"):
        return (f"kept as text: front matter {first.rstrip()} without a closing line",)
    return ("kept as text: front matter that is not one JSON object",) if _LIKE_JSON.match(text) else ()


def _simple_lines(block: str) -> dict[str, Any]:
    """`key: value` lines as text, for what people write and YAML refuses (`title: Security: TLS`); else empty."""
    pairs = [_SIMPLE_LINE.fullmatch(line) for line in block.split("\n") if line.strip() and line[0] != "#"]
    found = {pair[1]: pair[2].strip() for pair in pairs if pair}
    if not all(pairs) or any(map(_STRUCTURE.match, found.values())):
        return {}
    return {key: value.strip("\"'") for key, value in found.items()}


def _json_front_matter(text: str) -> tuple[dict[str, Any], str]:
    try:
        value, end = json.JSONDecoder().raw_decode(text[:_MAX_FRONT_MATTER])
    except (ValueError, RecursionError):
        return {}, text
    if not isinstance(value, dict) or text[end : end + 1] not in ("", "\n"):
        return {}, text
    return _jsonable(value), text[end:]


def _toml_front_matter(text: str) -> tuple[dict[str, Any], str]:
    found = _TOML_BLOCK.match(text, 0, _MAX_FRONT_MATTER)
    if not found:
        return {}, text
    return _toml(found[1]), text[found.end() :]


def _toml(block: str) -> dict[str, Any]:
    try:
        return dict(_jsonable(tomllib.loads(block)))
    except (ValueError, RecursionError) as error:  # also a number of more digits than Python reads
        raise DataError("front matter", expected="TOML", found=str(error)) from error


def _json(block: str) -> dict[str, Any]:
    """The object of a block, with its braces or (Hugo's `;;;`) without."""
    inside = block.strip()
    try:
        value = json.loads(inside if inside.startswith("{") else f"{{{inside}}}")
    except (ValueError, RecursionError) as error:
        raise DataError("front matter", expected="JSON", found=str(error)) from error
    return dict(_jsonable(value))


class _PlainLoader(yaml.SafeLoader):
    """Refuses aliases: a few nested ones expand to gigabytes once written out as JSON."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(problem="aliases are not allowed")
        return super().compose_node(parent, index)


def _jsonable(value: Any) -> Any:
    if isinstance(value, dict):
        return {_sound(str(key)): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_jsonable(item) for item in value]
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else str(value)
    return _sound(str(value))


def _sound(text: str) -> str:
    """The text with U+FFFD for halves of surrogate pairs, which no UTF-8 holds."""
    return _HALVES.sub("\ufffd", text)
