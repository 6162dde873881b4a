"""Fingerprints: SHA-256 of canonical JSON."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

import orjson


def canonical(value: Any) -> Any:
    """Reduce a value to the form that is hashed.

    `1` and `1.0` are one number, list and tuple one sequence, mapping keys are strings in order, so a
    config read from YAML and the same config written in Python have one fingerprint.
    Raises TypeError for a value that has no stable form (an object, a set, NaN).
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise TypeError(f"cannot fingerprint the number {value!r}")
        return int(value) if value.is_integer() else value
    if isinstance(value, Mapping):
        return {str(key): canonical(value[key]) for key in sorted(value, key=str)}
    if isinstance(value, list | tuple):
        return [canonical(item) for item in value]
    raise TypeError(f"cannot fingerprint {type(value).__name__}: {value!r}")


def fingerprint(*parts: Any) -> str:
    """Hex SHA-256 of the canonical JSON of the parts; the same on every machine and Python version."""
    text = json.dumps(canonical(parts), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def quick_key(*parts: Any) -> str:
    """Hex SHA-256 of compact JSON of parts that code put together (texts, numbers, records).

    For keys made by the thousand. Unlike `fingerprint` it tells `1` from `1.0`; parts that came from a
    configuration go through `fingerprint` first.
    """
    try:
        return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()
    except orjson.JSONEncodeError:  # lone surrogates are no UTF-8
        return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def text_hash(text: str) -> str:
    """`sha256:` + hex of the UTF-8 text, as stored in documents and locks."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
