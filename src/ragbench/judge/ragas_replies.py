"""What RAGAS wants a model to say: as a schema that a server can hold it to, and read out of the reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragbench.errors import DataError
from ragbench.llm.base import Reply
from ragbench.llm.structured import read_object

_THING = "reply of the judge's model"


def schema_of(model: Any) -> dict[str, Any]:
    """The JSON schema of a pydantic class: without references and descriptions, closed, and with 0 and 1 for its whole
    numbers, which are marks in every reply that RAGAS asks for."""
    whole: dict[str, Any] = model.model_json_schema()
    return _plain(whole, whole.get("$defs", {}))


def _plain(part: Mapping[str, Any], named: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in part:
        return _plain(named[part["$ref"].rpartition("/")[2]], named)
    kind = part["type"]
    if kind == "object":
        fields = {name: _plain(one, named) for name, one in part["properties"].items()}
        return {"type": kind, "properties": fields, "required": list(fields), "additionalProperties": False}
    if kind == "array":
        return {"type": kind, "items": _plain(part["items"], named)}
    return {"type": kind, "enum": [0, 1]} if kind == "integer" else {"type": kind}


def read(reply: Reply, model: Any) -> Any:
    """The first object of a reply that has the fields of the pydantic class `model`, as such.

    Raises DataError where there is none, where one does not fit, where a mark is neither 0 nor 1, and where a list or a
    question that was asked for is empty: RAGAS would make a number of that.
    """
    found = read_object(reply, {"type": "object", "required": list(model.model_fields)})
    try:
        made = model.model_validate(found)
    except ValueError as error:  # of which pydantic's is one
        told = " ".join(str(error).split())[:160]
        raise DataError(_THING, expected=f"the fields of {model.__name__}", found=told) from None
    _check(made.model_dump())
    return made


def _check(value: Any, name: str = "reply") -> None:
    if isinstance(value, dict):
        for key, one in value.items():
            _check(one, key)
    elif isinstance(value, list):
        if not value:
            raise DataError(_THING, expected=name, found="an empty list")
        for one in value:
            _check(one, name)
    elif isinstance(value, int) and value not in (0, 1):
        raise DataError(_THING, expected=f"0 or 1 as {name}", found=str(value))
    elif isinstance(value, str) and name != "reason" and not value.strip():
        raise DataError(_THING, expected=f"words as {name}", found="none")
