"""JSON, flattened to lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ragbench.corpus.decode import recognised
from ragbench.corpus.json_reading import JsonReader, shown
from ragbench.corpus.limits import MAX_VALUES, check_number
from ragbench.corpus.parsed import Parsed, first_warnings, whole
from ragbench.corpus.shared_fields import shared_fields, with_fields
from ragbench.errors import DataError

_PLAIN_KEY = re.compile(r"[^\s.\[\]:\"]+")


def load_json(data: bytes) -> Parsed:
    """One line `path: value` for each leaf, in the file's order.

    Paths are written `suppliers[0].name`; a blank line parts the objects and lists of a list, so that a
    splitter sees records. Line breaks inside a value become blanks, null is `null`, an empty object or list
    `{}` or `[]`, a number as it is written. Of a name that stands twice in an object the last value is read, with a
    warning. The plain fields of the object, or those that all objects of a list share, become metadata. A file of
    one JSON value a line is read as JSON Lines, with a warning.

    Raises:
        DataError: the file is not JSON, or is nested too deeply.
    """
    text, encoding, guessed = recognised(data)
    text = text.removeprefix("\ufeff")
    metadata = {"encoding": encoding}
    if not text.strip():
        return whole("", "json", metadata=metadata)
    check_number("JSON", text.count(",") + text.count(":"), MAX_VALUES, "values")
    try:
        reader = JsonReader()
        value = reader.decode(text)
        lines = list(value_lines(value))
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and _is_json(text[: error.pos]) and _is_json(text[error.pos :].split("\n", 1)[0]):
            from ragbench.corpus.load_jsonl import load_jsonl

            return load_jsonl(data, ("more than one JSON value: read as JSON Lines",))
        found = f"{error.msg} in line {error.lineno}, column {error.colno}"
        raise DataError("JSON", expected="one JSON value", found=found) from error
    except (RecursionError, ValueError) as error:
        raise DataError("JSON", expected="at most some hundred levels", found=str(error)) from error
    title = value.get("title") if isinstance(value, dict) else None
    metadata = with_fields(metadata, shared_fields(value if isinstance(value, list) else [value]))
    warnings = (*guessed, *first_warnings(reader.warnings()))
    return whole(
        "\n".join(lines), "json", title=title if isinstance(title, str) else "", metadata=metadata, warnings=warnings
    )


def value_lines(value: Any, path: str = "") -> Iterator[str]:
    """The lines `path: value` of a JSON value."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            name = key if _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
            yield from value_lines(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            if number and isinstance(item, dict | list):
                yield ""
            yield from value_lines(item, f"{path}[{number}]")
    else:
        written = " ".join(value.split()) if isinstance(value, str) else shown(value)
        yield f"{path}: {written}" if path else written


def _is_json(text: str) -> bool:
    try:
        JsonReader().decode(text)
    except (ValueError, RecursionError):
        return False
    return True
