"""How results name a variant: by its choices, and in short."""

from __future__ import annotations

from typing import Any

from ragbench.llm.within import models_within
from ragbench.pipeline.pipeline import Pipeline
from ragbench.run.compose import PARTS, SLOTS, VARIANT_ROOTS, Composed

_MEASURED = ("paths.", "sink", "report.", "eval_set.", "allowed_targets", "reuse", "calls", "judge_llm", "gate.")


def variant_of(composed: Composed, pipeline: Pipeline) -> dict[str, Any]:
    """How summary.json names a variant: preset, each slot's choice, root values as they came to be, other overrides.

    A root value that no stage has stays null; a language model that only the judge asks is none of the variant.
    """
    roots = {key: composed.data[key] for key in VARIANT_ROOTS}
    for stage in (pipeline.splitter, pipeline.retriever):
        roots |= {key: getattr(stage, key) for key, value in roots.items() if value is None and hasattr(stage, key)}
    groups = {slot: composed.choices.get(slot, "") for slot in (*SLOTS, *PARTS)}
    groups |= {} if models_within(pipeline) else {"llm": "none"}
    others = {}
    for item in composed.overrides:
        key, _, value = item.lstrip("+").partition("=")
        if key not in roots and key not in composed.choices and not key.startswith(_not_variant(pipeline)):
            others[key] = value
    return {"variant": composed.choices.get("variant", ""), **groups, **roots, **others}


def label_of(composed: Composed, pipeline: Pipeline) -> str:
    """The preset and what was chosen beside it: `hybrid retriever=sparse k=3`."""
    measured = ("variant", "eval_set", "split", "questions", "seed", "judge", "measures", "corpus", "reuse")
    chosen = [
        item
        for item in composed.overrides
        if item.partition("=")[0] not in measured and not item.startswith((*_not_variant(pipeline), "judge."))
    ]
    return " ".join([composed.choices.get("variant", "variant"), *chosen])


def _not_variant(pipeline: Pipeline) -> tuple[str, ...]:
    """Beginnings of overrides that are none of the variant."""
    return _MEASURED if models_within(pipeline) else (*_MEASURED, "llm=", "llm.")
