"""What a stage's own memory of results means for the language models that the stage asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ragbench.core.fingerprint import fingerprint
from ragbench.core.memo import Memo
from ragbench.core.stage import Stage
from ragbench.core.store import Store
from ragbench.core.workers import ModelCalls
from ragbench.llm.offers import WISH_VERSION
from ragbench.llm.within import models_within


def memo_of(store: Store, table: str, stage: Stage, models: ModelCalls | None) -> Memo:
    """A stage's own memory of results, passed by where the replies that they are made of are recorded or replayed."""
    taped = models is not None and models.on_tape and bool(models_within(stage))
    return Memo(store.table(table), passed_by=taped)


def recipe_of(stage: Stage, space: str, models: ModelCalls | None) -> str:
    """What a stage's results are kept under; those that a model made are not used where none may be asked, nor where
    the wish for JSON has other words."""
    if not models_within(stage):
        return fingerprint(stage.recipe(), space)
    off = models is not None and models.refuses
    return fingerprint(stage.recipe(), space, ["wish", WISH_VERSION], *(["off"] if off else []))


def charging(stage: Stage, role: str, models: ModelCalls | None) -> Callable[[Mapping[str, int]], None]:
    """Counts what a remembered result of the stage once cost, under the first model that the stage asks."""
    asked = models_within(stage)

    def charge(counts: Mapping[str, int]) -> None:
        if models is not None and asked:
            models.charge(asked[0], role, counts)

    return charge
