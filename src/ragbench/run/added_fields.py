"""Fields that stages of finished runs may lack, with what they were before there was a choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NO_POLICY = {"min_contexts": 1, "min_max": 0, "min_mean": 0}

_ADDED: Mapping[str, Mapping[str, Any]] = {
    "ragbench.generator.extractive.ExtractiveGenerator": _NO_POLICY,
    "ragbench.generator.chat.ChatGenerator": _NO_POLICY,
    "ragbench.reranker.late_interaction.LateInteractionReranker": {"calibration": None},
}


def with_added_fields(node: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of a stage as today's class takes it; what it says itself wins."""
    return {**_ADDED.get(str(node.get("_target_")), {}), **node}
