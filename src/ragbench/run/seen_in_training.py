"""Questions of a run that a trained classifier has seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragbench.eval_set.load import EvalSet
from ragbench.query.classifier import Classifier
from ragbench.query.classifier.base import TrainedOn
from ragbench.records.question import Question
from ragbench.run.experiment import Experiment


def seen_in_training(experiment: Experiment, eval_set: EvalSet, questions: Sequence[Question]) -> list[dict[str, Any]]:
    """For each label that a model predicts, how many of the run's questions are of the set and split that its datasheet
    says it was trained on; a label without any is left out. A model trained on a file names no set and is never found.
    """
    classifier = getattr(experiment.pipeline.query, "classifier", None)
    told = classifier.trained_on() if isinstance(classifier, Classifier) else {}
    rows = [(label, one, _seen(one, eval_set, questions)) for label, one in told.items()]
    return [
        {
            "label": label,
            "data": f"{eval_set.name}/{eval_set.version}",
            "split": one.split,
            "n": n,
            "of": len(questions),
        }
        for label, one, n in rows
        if n
    ]


def _seen(told: TrainedOn, eval_set: EvalSet, questions: Sequence[Question]) -> int:
    folder = eval_set.folder.resolve()
    names = {f"{eval_set.name}/{eval_set.version}", f"{folder.parent.name}/{folder.name}"}
    if names.isdisjoint(told.sources):
        return 0
    return sum(told.split in ("all", question.split) for question in questions)
