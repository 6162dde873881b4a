"""The JSON object of a reply: out of fences and prose, checked against a small JSON schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ragbench.core.surrogates import sound, without_surrogates
from ragbench.errors import DataError
from ragbench.llm.base import Reply
from ragbench.llm.chat_reply import without_thoughts

_READ = 200_000
_TRIES = 64
_FENCE = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\n?(.*?)```", re.DOTALL)
_DECODER = json.JSONDecoder()
_KINDS: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def read_object(reply: Reply | str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The first JSON object of a reply that fits the schema.

    `<think>` blocks, Markdown fences and prose around it are left out. Known of JSON schema are type, properties,
    required, additionalProperties, items, enum, minItems, maxItems, minLength, maxLength, minimum and maximum; others
    are not looked at. Raises DataError naming what is wrong with the first object, or that there is none.
    """
    text = without_surrogates(without_thoughts(reply if isinstance(reply, str) else reply.text)[:_READ])
    wrong = ""
    for found in _objects(text):
        fault = next(faults(found, schema), "")
        if not fault:
            return found
        wrong = wrong or fault
    shown = repr(" ".join(text.split())[:100]) if text else "an empty one"
    if wrong:
        raise DataError("reply of the model", expected="JSON of the asked form", found=f"{wrong}, in {shown}")
    raise DataError("reply of the model", expected="a JSON object", found=shown)


def json_at(text: str, at: int) -> tuple[Any, int]:
    """The JSON value that begins at `at`, its texts without lone surrogates, and where it ends.

    A model may escape half a pair (`"\\ud83d"`), which is text in the reply and comes to be a surrogate only here.
    Raises ValueError for what is no JSON, RecursionError for nesting that is too deep.
    """
    found, end = _DECODER.raw_decode(text, at)
    return sound(found), end


def faults(value: Any, schema: Mapping[str, Any], at: str = "reply") -> Iterator[str]:
    """What does not fit, one line each."""
    kinds = schema.get("type")
    names = [kinds] if isinstance(kinds, str) else list(kinds or ())
    if names and not any(_is(value, name) for name in names):
        yield f"{at} is {_told(value)}, not {' or '.join(names)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at} is {_told(value)}, not one of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, dict):
        yield from _object_faults(value, schema, at)
    elif isinstance(value, list):
        yield from _size_faults(len(value), schema, ("minItems", "maxItems"), f"{at} has {len(value)} items")
        if isinstance(schema.get("items"), Mapping):
            for number, item in enumerate(value):
                yield from faults(item, schema["items"], f"{at}[{number}]")
    elif isinstance(value, str):
        yield from _size_faults(len(value), schema, ("minLength", "maxLength"), f"{at} has {len(value)} characters")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _size_faults(value, schema, ("minimum", "maximum"), f"{at} is {value}")


def _object_faults(value: Mapping[str, Any], schema: Mapping[str, Any], at: str) -> Iterator[str]:
    properties = schema.get("properties") or {}
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at} has no {name}"
    for name, item in value.items():
        if name in properties:
            yield from faults(item, properties[name], f"{at}.{name}")
        elif schema.get("additionalProperties") is False:
            yield f"{at} has a field {name!r} that was not asked for"


def _size_faults(size: float, schema: Mapping[str, Any], bounds: tuple[str, str], told: str) -> Iterator[str]:
    least, most = (schema.get(name) for name in bounds)
    if least is not None and not size >= least:
        yield f"{told}, fewer than {least}"
    if most is not None and not size <= most:
        yield f"{told}, more than {most}"


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _KINDS.get(name, (object,)))


def _told(value: Any) -> str:
    if isinstance(value, str):
        return repr(value[:40])
    return type(value).__name__ if isinstance(value, dict | list) else repr(value)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """JSON objects of a text: those in fences first, then each that begins at a brace outside those found."""
    for part in [*_FENCE.findall(text), text]:
        at, tries = part.find("{"), 0
        while at >= 0 and tries < _TRIES:
            tries += 1
            try:
                found, end = json_at(part, at)
            except (ValueError, RecursionError):
                end = at + 1
            else:
                yield found
            at = part.find("{", end)
