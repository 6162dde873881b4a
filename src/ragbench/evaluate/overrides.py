"""The overrides of a run with a change to them."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.evaluate.advice import Change


def with_change(base: Sequence[str], change: Change) -> tuple[str, ...]:
    """Overrides of a run with a change: a key is given once, and knobs of an option that is replaced are left out."""
    keys = {_key(item) for item in change}
    slots = tuple(f"pipeline.{key}." for key in keys if "." not in key)
    kept = [item for item in base if _key(item) not in keys and not _key(item).startswith(slots)]
    return (*kept, *change)


def _key(item: str) -> str:
    return item.lstrip("+~").partition("=")[0]
