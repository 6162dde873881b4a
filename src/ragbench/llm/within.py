"""The language models that a stage asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ragbench.core.stage import Stage
from ragbench.llm.base import Llm


def models_within(*stages: Stage) -> list[Llm]:
    """Models in the fields of stages and of their own stages, each once, in the order of the fields."""
    found: dict[str, Llm] = {}
    pending: list[Any] = list(stages)
    while pending:
        one = pending.pop(0)
        if isinstance(one, Llm):
            found.setdefault(one.fingerprint(), one)
        elif isinstance(one, Stage):
            pending += [getattr(one, field.name) for field in fields(one)]
        elif isinstance(one, list | tuple):
            pending += one
        elif isinstance(one, Mapping):
            pending += one.values()
    return list(found.values())
