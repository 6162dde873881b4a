"""What a configuration asks for and its stages cannot give: knobs nobody reads, vectors the embedder does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragbench.errors import ConfigError
from ragbench.run.compose import SLOTS, Composed

_OWNERS = {"chunk_size": "splitter", "chunk_unit": "splitter", "overlap": "splitter", "alpha": "retriever"}


def unused_knobs(composed: Composed, slots: Mapping[str, Any]) -> list[str]:
    """One line for each knob given on the command line that the chosen stages do not read: the stage has no such
    field, or its other fields leave it idle."""
    lines = []
    for item in composed.overrides:
        key = item.lstrip("+").partition("=")[0]
        parts = key.split(".")
        if key in _OWNERS:
            slot, field = _OWNERS[key], key
        elif parts[0] == "pipeline" and len(parts) > 2 and parts[1] in SLOTS and parts[2] != "_target_":
            slot, field = parts[1], parts[2]
        else:
            continue
        stage, option = slots.get(slot), composed.choices.get(slot, "?")
        if stage is not None and not hasattr(stage, field):
            lines.append(f"{key}: the chosen {slot} ({option}) has no such knob")
        elif stage is not None and field in stage.idle_fields():
            lines.append(f"{key}: the chosen {slot} ({option}) does not use it with {stage.idle_fields()[field]}")
    return lines


def missing_vectors(composed: Composed, slots: Mapping[str, Any]) -> Iterator[ConfigError]:
    """An error for each stage that compares token vectors under an embedder that gives one vector a text."""
    if slots["embedder"].OFFERS_TOKENS:
        return
    chosen = composed.choices.get("embedder", "?")
    hints = {
        "reranker": (f"reranker={composed.choices.get('reranker', '?')}", "reranker=none"),
        "generator": ("pipeline.generator.scorer=maxsim", "pipeline.generator.scorer=lexical"),
    }
    for slot, (thing, instead) in hints.items():
        if slots[slot].uses_tokens:
            yield ConfigError(
                thing,
                expected="an embedder with vectors of single tokens",
                found=f"embedder={chosen}, which gives one vector a text",
                hint=f"Use {instead}, or embedder=e5_small or embedder=sentence_transformers.",
            )
