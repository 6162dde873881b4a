"""Packers with the usual knobs."""

from __future__ import annotations

from typing import Any, TypeVar

from ragbench.packer.blocks import BlockPacker

P = TypeVar("P", bound=BlockPacker)
USUAL = {
    "budget": 4000, "window": 8192, "system": 200, "answer": 2000,
    "show_headings": "none", "merge_neighbours": True, "truncate": False,
}  # fmt: skip


def packer(kind: type[P], **knobs: Any) -> P:
    """A packer of a kind; what is not named is as shipped."""
    return kind(**{**USUAL, **knobs})
