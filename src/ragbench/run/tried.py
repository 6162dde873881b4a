"""Suggested changes put to the test: the lost questions of a run asked again under each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.errors import RagbenchError
from ragbench.eval_set.chosen import spread
from ragbench.evaluate.advice import Change, changes
from ragbench.evaluate.losses import Loss
from ragbench.evaluate.overrides import with_change
from ragbench.pipeline.gold_bench import PutIn
from ragbench.records.question import Question
from ragbench.run.build import build, experiment
from ragbench.run.compose import Composer
from ragbench.run.diagnosis import RunDiagnosis, questions_of
from ragbench.run.experiment import Experiment
from ragbench.run.proof import Proof, State, asks_models
from ragbench.run.rerun import rerun
from ragbench.run.session import Session
from ragbench.run_dir.foreign import foreign_facts
from ragbench.stats.proportion import wilson

LOSSES = 4
"""Losses that changes are suggested for."""
SAMPLE = 100
"""Right questions that are asked again, to see which a change breaks."""
SMALL_SAMPLE = 20
"""The same where language models are asked."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A change that fits the run: the overrides to add, the loss it is for, and the whole command."""

    loss: Loss
    change: Change
    overrides: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """How a change did: `fixed` of `n_lost` lost questions became right, `broken` of `n_right` right ones went wrong.

    The intervals are Wilson's, 95 %. `then` counts the lost questions by class under the change. `failed` says why it
    could not be tried; the counts are then 0.
    """

    suggestion: Suggestion
    fixed: tuple[str, ...] = ()
    n_lost: int = 0
    broken: tuple[str, ...] = ()
    n_right: int = 0
    of_right: int = 0
    then: Mapping[str, int] | None = None
    failed: str = ""

    @property
    def net(self) -> float:
        """Questions won less questions broken, the broken ones counted up from the sample to all right ones."""
        return len(self.fixed) - (len(self.broken) * self.of_right / self.n_right if self.n_right else 0.0)

    @property
    def helped(self) -> bool:
        """Whether it wins more than it breaks."""
        return not self.failed and self.net > 0

    def to_json(self) -> dict[str, Any]:
        """The trial as plain data."""
        return {
            "loss": self.suggestion.loss.value,
            "overrides": list(self.suggestion.change),
            "fixed": list(self.fixed),
            "n_lost": self.n_lost,
            "fixed_interval": list(wilson(len(self.fixed), self.n_lost)) if self.n_lost else None,
            "broken": list(self.broken),
            "n_right": self.n_right,
            "of_right": self.of_right,
            "broken_interval": list(wilson(len(self.broken), self.n_right)) if self.n_right else None,
            "net": round(self.net, 3),
            "helped": self.helped,
            "then": dict(self.then or {}),
            "failed": self.failed,
        }


def base_overrides(found: RunDiagnosis) -> tuple[str, ...] | None:
    """The overrides that the run was composed with; None for a run of a version that did not note them."""
    noted = found.run.manifest.get("overrides")
    return tuple(map(str, noted)) if isinstance(noted, list) else None


def weights_of(found: RunDiagnosis, proofs: Mapping[str, Proof]) -> dict[Loss, int]:
    """Questions that each layer loses: first, or later by the proof, when what lost them first is put right."""
    weights = Counter(one.loss for one in found.lost)
    weights.update(one.then for one in proofs.values() if one.state is State.NOT_PROVED and one.then)
    weights.pop(Loss.OK, None)
    return {loss: weights[loss] for loss in Loss if weights[loss]}


def suggestions(found: RunDiagnosis, weights: Mapping[Loss, int]) -> list[Suggestion]:
    """Changes for the four heaviest losses of a run, the heaviest first, each change once; only those that make another
    variant that can be composed. Without noted overrides: all, as they are; none for a system that is not ours."""
    if foreign_facts(found.run) is not None:
        return []
    composer = Composer(many=True)
    base, known, made = base_overrides(found), {found.run.manifest.get("fingerprint")}, []
    order = sorted(weights, key=lambda one: -weights[one])[:LOSSES]
    for loss, change in [(one, change) for one in order for change in changes(one, found.knobs)]:
        overrides = with_change(base or (), change)
        if base is not None:
            print_of = _fingerprint(overrides, composer)
            if print_of is None or print_of in known:
                continue
            known.add(print_of)
        made.append(Suggestion(loss, change, overrides))
    return made


def trials(found: RunDiagnosis, session: Session, asked: Sequence[Suggestion]) -> Iterator[Trial]:
    """Each suggestion tried on the lost questions and on right ones, all or an evenly spread sample of them."""
    lost = questions_of(found, [one.question_id for one in found.lost])
    right = questions_of(found, [one.question_id for one in found.found if one.loss is Loss.OK])
    for suggestion in asked:
        try:
            changed = experiment(suggestion.overrides)
            sample = spread(right, min(len(right), SMALL_SAMPLE if asks_models(changed) else SAMPLE)) if right else []
            yield _tried(suggestion, changed, session, (lost, list(sample), len(right)))
        except RagbenchError as error:
            yield Trial(suggestion, failed=" ".join(str(error).split()))


def _tried(
    suggestion: Suggestion,
    changed: Experiment,
    session: Session,
    asked: tuple[Sequence[Question], Sequence[Question], int],
) -> Trial:
    lost, sample, n_right = asked
    now = rerun(changed, session, [(question, PutIn.NOTHING) for question in (*lost, *sample)])
    after = {one.trace.question_id: one.diagnosis.loss for one in now}
    return Trial(
        suggestion,
        tuple(one.id for one in lost if after[one.id] is Loss.OK),
        len(lost),
        tuple(one.id for one in sample if after[one.id] is not Loss.OK),
        len(sample),
        n_right,
        Counter(after[one.id].value for one in lost),
    )


def _fingerprint(overrides: Sequence[str], composer: Composer) -> str | None:
    try:
        return build(composer.compose(overrides), composer=composer).fingerprint()
    except RagbenchError:
        return None
