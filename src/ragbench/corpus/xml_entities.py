"""Entities of XML files, which are never expanded: a few nested ones make gigabytes, others read files."""

from __future__ import annotations

from typing import Any

_TOLD = 5


def is_entity(node: Any) -> bool:
    """Whether a node of lxml is an entity that was left as it is written."""
    from lxml import etree  # type: ignore[import-untyped]

    return node.tag is etree.Entity


def unexpanded(root: Any) -> str:
    """A warning that names the entities below an element; empty without any."""
    from lxml import etree

    names = list(dict.fromkeys(node.text for node in root.iter(etree.Entity)))
    more = f" and {len(names) - _TOLD} more" if len(names) > _TOLD else ""
    return f"entities kept as they are written, not expanded: {' '.join(names[:_TOLD])}{more}" if names else ""
