"""Reading what a model replies when it classifies: labels in other spellings, prose around them, no JSON at all."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.errors import DataError
from ragbench.llm.structured import read_object
from ragbench.query.asking import Unusable
from ragbench.query.classifier.prompts import UNCERTAIN

_OBJECT: Mapping[str, Any] = {"type": "object"}
_READ = 4000


def read_labels(reply: str, allowed: Mapping[str, Sequence[str]]) -> dict[str, str | None]:
    """The label of each field of `allowed`, None for `uncertain` and for a label that is none of the allowed ones.

    Read is the first JSON object that holds a field, whatever the case of its keys and however its labels are spelt
    (`Multi-hop`); without one, a reply that names exactly one label of the first field. Raises Unusable for a reply
    in which no field has an allowed label or `uncertain`.
    """
    fields = _fields(reply[:_READ])
    found = {name: _label(fields.get(name), labels) for name, labels in allowed.items()}
    first = next(iter(allowed))
    if not any(found.values()):
        found[first] = _only_named(reply[:_READ], allowed[first]) if not fields.keys() & allowed.keys() else None
    if not any(found.values()):
        raise Unusable(f"no label in the reply {' '.join(reply.split())[:60]!r}")
    return {name: None if label == UNCERTAIN else label for name, label in found.items()}


def _fields(reply: str) -> dict[str, Any]:
    try:
        value = read_object(reply, _OBJECT)
    except DataError:
        return {}
    return {_spelt(str(key)): item for key, item in value.items()}


def _label(value: Any, labels: Sequence[str]) -> str | None:
    """The allowed label that a value spells, `uncertain` included; None where it is none."""
    if not isinstance(value, str):
        return None
    spelt = {_spelt(label): label for label in (*labels, UNCERTAIN)}
    return spelt.get(_spelt(value))


def _only_named(reply: str, labels: Sequence[str]) -> str | None:
    """The one label that a reply of prose names."""
    text = f"_{_spelt(reply)}_"
    named = [label for label in (*labels, UNCERTAIN) if f"_{_spelt(label)}_" in text]
    return named[0] if len(named) == 1 else None


def _spelt(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\W_]+", "_", re.sub(r"([^\x00-\x7f]+)", r" \1 ", plain)).strip("_")
