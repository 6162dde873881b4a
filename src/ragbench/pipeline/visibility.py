"""Which chunks a search request may see: metadata filter, tenant and allowed documents, applied before top-k."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ragbench.errors import ConfigError
from ragbench.index.base import Ints
from ragbench.records.document import Chunk
from ragbench.records.search import SearchRequest

Test = Callable[[Any, Any], bool]

_TESTS: dict[str, Test] = {
    "$eq": lambda have, want: bool(have == want),
    "$ne": lambda have, want: bool(have != want),
    "$in": lambda have, want: have in want,
    "$nin": lambda have, want: have not in want,
    "$gt": lambda have, want: bool(have > want),
    "$gte": lambda have, want: bool(have >= want),
    "$lt": lambda have, want: bool(have < want),
    "$lte": lambda have, want: bool(have <= want),
}


def allowed_chunks(request: SearchRequest, chunks: Sequence[Chunk]) -> Ints | None:
    """Ascending numbers of the chunks the request may see; None when it is not restricted.

    A chunk without the field never matches a condition on it, whatever the operator, and a chunk without a tenant is
    seen by nobody who names one.
    """
    if request.filter is None and request.tenant is None and request.allowed_docs is None:
        return None
    documents = None if request.allowed_docs is None else set(request.allowed_docs)
    seen = [
        chunk.number
        for chunk in chunks
        if (documents is None or chunk.doc_id in documents)
        and (request.tenant is None or chunk.metadata.get("tenant") == request.tenant)
        and (request.filter is None or matches(request.filter, chunk.metadata))
    ]
    return np.asarray(seen, dtype=np.int32)


def matches(condition: Mapping[str, Any], metadata: Mapping[str, Any]) -> bool:
    """Whether metadata meets a condition.

    A condition is `{field: value}`, `{field: {"$gte": 3}}`, `{"$and": […]}` or `{"$or": […]}`; several fields are all
    required.
    """
    return all(_clause(name, want, metadata) for name, want in condition.items())


def _clause(name: str, want: Any, metadata: Mapping[str, Any]) -> bool:
    if name == "$and":
        return all(matches(part, metadata) for part in want)
    if name == "$or":
        return any(matches(part, metadata) for part in want)
    if name.startswith("$"):
        raise ConfigError(f"filter operator {name}", expected="$and or $or at this place")
    if name not in metadata:
        return False
    if not isinstance(want, Mapping):
        return bool(metadata[name] == want)
    for operator in want:
        if operator not in _TESTS:
            raise ConfigError(f"filter operator {operator}", expected=", ".join(_TESTS))
    try:
        return all(_TESTS[operator](metadata[name], value) for operator, value in want.items())
    except TypeError:
        return False
