"""Text without lone surrogates: halves of a pair that JSON escapes and file names can hold and UTF-8 cannot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """The text with each lone surrogate as U+FFFD; its length stays."""
    return _SURROGATE.sub("\ufffd", text)


def sound(value: Any) -> Any:
    """Plain data with texts and keys `without_surrogates`; records as mappings by field, tuples as lists, and what
    holds no text as it is. Raises RecursionError for data nested deeper than Python calls."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, Mapping):
        return {sound(key): sound(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [sound(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: sound(getattr(value, one.name)) for one in fields(value)}
    return value
