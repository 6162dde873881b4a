"""What a run tells of its judge: the stored card beside every judged figure."""

from __future__ import annotations

from typing import Any

from ragbench.eval_set.load import EvalSet
from ragbench.judge.card import Card, brief, read_card
from ragbench.run.experiment import Experiment


def judge_card(experiment: Experiment) -> Card | None:
    """The stored card of a run's judge; None where nothing is judged, and of a judge that nobody has checked."""
    return read_card(experiment.judge, experiment.places.store) if experiment.judged else None


def judge_facts(experiment: Experiment, eval_set: EvalSet) -> dict[str, Any] | None:
    """The card in short for the languages of the questions asked; None where nothing is judged."""
    if not experiment.judged:
        return None
    languages = [question.language for question in experiment.questions_of(eval_set)]
    return brief(judge_card(experiment), languages)
