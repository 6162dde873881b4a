"""What the diagnosis of a run says of each question, as columns that checks may read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragbench.evaluate.losses import Loss
from ragbench.experiment.study import BEFORE_GENERATION, RIGHT

BEFORE = frozenset({Loss.CHUNK_CUT, Loss.QUERY, Loss.NOT_RECALLED, Loss.RANKED_OUT, Loss.PACKED_OUT})
"""Classes of a question that was lost before anything was generated."""


def diagnosis_values(summary: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Values by question of the two derived measures; a question that no judge could decide on is left out of both.

    `diagnosis/right`: 1 for `ok`, else 0, also for a question that failed. `diagnosis/lost_before_generation`: of the
    lost ones alone (failures left out) 1 where the first layer that lost it comes before the generator, else 0.
    """
    classes = {key: Loss(name) for key, name in (summary.get("diagnosis_by_question") or {}).items()}
    told = {key: loss for key, loss in classes.items() if loss is not Loss.UNJUDGED}
    lost = {key: loss for key, loss in told.items() if loss not in (Loss.OK, Loss.FAILED)}
    return {
        RIGHT: {key: float(loss is Loss.OK) for key, loss in told.items()},
        BEFORE_GENERATION: {key: float(loss in BEFORE) for key, loss in lost.items()},
    }
