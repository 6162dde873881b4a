"""JSON, flattened to lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ragbench.corpus.decode import decode
from ragbench.corpus.parsed import Parsed, whole
from ragbench.errors import DataError

_PLAIN_KEY = re.compile(r"[^\s.\[\]:\"]+")


def load_json(data: bytes) -> Parsed:
    """One line `path: value` for each leaf, in the file's order.

    Paths are written `suppliers[0].name`; a blank line parts the objects and lists of a list, so that a
    splitter sees records. Line breaks inside a value become blanks, null is `null`, an empty object or list
    `{}` or `[]`.

    Raises:
        DataError: the file is not JSON, or is nested too deeply.
    """
    text, _ = decode(data)
    if not text.strip():
        return whole("", "json")
    try:
        value = json.loads(text.removeprefix("\ufeff"))
        lines = list(_lines(value, ""))
    except json.JSONDecodeError as error:
        found = f"{error.msg} in line {error.lineno}, column {error.colno}"
        raise DataError("JSON", expected="one JSON value", found=found) from error
    except (RecursionError, ValueError) as error:
        raise DataError(
            "JSON", expected="at most some hundred levels and ordinary numbers", found=str(error)
        ) from error
    title = value.get("title") if isinstance(value, dict) else None
    return whole("\n".join(lines), "json", title=title if isinstance(title, str) else "")


def _lines(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            name = key if _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
            yield from _lines(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            if number and isinstance(item, dict | list):
                yield ""
            yield from _lines(item, f"{path}[{number}]")
    else:
        shown = " ".join(value.split()) if isinstance(value, str) else json.dumps(value)
        yield f"{path}: {shown}" if path else shown
