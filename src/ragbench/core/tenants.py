"""Whose a document is, and who may see it.

A document names its tenant in the metadata field `tenant`: one name or a list of them. It is seen by who asks in one of
these names and by nobody else. A document without the field is seen by who asks in no name, and only then: nothing is
shared by being unmarked. What several tenants share lists them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FIELD = "tenant"


def tenants_of(metadata: Mapping[str, Any]) -> frozenset[str]:
    """The tenants that metadata names; empty: the document is nobody's. A number counts as its text."""
    named = metadata.get(FIELD)
    every = named if isinstance(named, list | tuple) else [named]
    return frozenset(str(one) for one in every if one is not None)


def may_see(principal: str | None, metadata: Mapping[str, Any]) -> bool:
    """Whether who asks as `principal` (None: in no name) may see a document with this metadata."""
    owners = tenants_of(metadata)
    return principal in owners if principal is not None else not owners
