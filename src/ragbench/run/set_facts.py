"""What results say of the eval set they were made on, and of which questions of it."""

from __future__ import annotations

from typing import Any

from ragbench.eval_set.chosen import subset_facts
from ragbench.eval_set.load import EvalSet
from ragbench.run.experiment import Experiment


def set_facts(experiment: Experiment, eval_set: EvalSet) -> dict[str, Any]:
    """Name, version, lock and split, and under `questions` which part of the split was asked (null: all of it)."""
    state = eval_set.state
    return {
        "name": eval_set.name,
        "version": eval_set.version,
        "lock": state.lock,
        "frozen": state.frozen,
        "text_differs": list(state.text_differs),
        "split": experiment.split,
        "questions": subset_facts(experiment.questions_of(eval_set), eval_set.of_split(experiment.split)),
    }
