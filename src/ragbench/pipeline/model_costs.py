"""What a stage's own memory of results means for the language models that the stage asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ragbench.core.fingerprint import fingerprint
from ragbench.core.stage import Stage
from ragbench.core.workers import ModelCalls
from ragbench.llm.within import models_within


def recipe_of(stage: Stage, space: str, models: ModelCalls | None) -> str:
    """What a stage's results are kept under; those that a model made are not used where none may be asked."""
    off = models is not None and models.refuses and bool(models_within(stage))
    return fingerprint(stage.recipe(), space, *(["off"] if off else []))


def charging(stage: Stage, role: str, models: ModelCalls | None) -> Callable[[Mapping[str, int]], None]:
    """Counts what a remembered result of the stage once cost, under the first model that the stage asks."""
    asked = models_within(stage)

    def charge(counts: Mapping[str, int]) -> None:
        if models is not None and asked:
            models.charge(asked[0], role, counts)

    return charge
