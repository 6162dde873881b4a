"""Counterfactual proof of a diagnosis: the gold put in where a question was lost, everything after it as configured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from ragbench.eval_set.align import FULL
from ragbench.evaluate.diagnose import Diagnosis
from ragbench.evaluate.losses import Loss
from ragbench.llm.within import models_within
from ragbench.measure.case import Case
from ragbench.pipeline.gold_bench import PutIn
from ragbench.records.question import Question
from ragbench.run.experiment import Experiment
from ragbench.run.rerun import Again, rerun
from ragbench.run.session import Session
from ragbench.run.whole_spans import Passage, WholeSpans

CHUNKS = "chunks"
"""Put in at the chunking: the evidence is a chunk of its own."""

PUT_IN: Mapping[Loss, str] = {
    Loss.CHUNK_CUT: CHUNKS,
    Loss.QUERY: PutIn.QUERY,
    Loss.NOT_RECALLED: PutIn.RETRIEVAL,
    Loss.RANKED_OUT: PutIn.RERANK,
    Loss.PACKED_OUT: PutIn.PACKING,
    Loss.UNUSED: PutIn.CONTEXT,
    Loss.INCOMPLETE: PutIn.CONTEXT,
    Loss.OFF_TOPIC: PutIn.CONTEXT,
    Loss.UNFAITHFUL: PutIn.CONTEXT,
    Loss.FALSE_REFUSAL: PutIn.CONTEXT,
    Loss.CLARIFIED: PutIn.QUERY,
}
"""Where the gold is put in for each loss. Others have none to put in: no evidence, an error, no verdict."""


class State(StrEnum):
    """What the counterfactual says of a diagnosis.

    `proved`: with the gold put in at that layer the answer is right; of a loss by the generator: the evidence was whole
    in the context, or the answer stays wrong with the evidence alone. `not_proved`: something later loses the question
    too, or the evidence was not whole in the context. `not_reproduced`: asked again as configured, the question is not
    lost there. `no_gold`: there is nothing to put in.
    """

    PROVED = "proved"
    NOT_PROVED = "not_proved"
    NOT_REPRODUCED = "not_reproduced"
    NO_GOLD = "no_gold"


@dataclass(frozen=True, slots=True)
class Proof:
    """The proof of one lost question: where the gold was put in, what became of the question then, and a sentence.

    `then` is the class of the answer with the gold put in (None: not tried).
    """

    question_id: str
    put_in: str
    state: State
    why: str
    then: Loss | None = None
    answer: str = ""


def asks_models(experiment: Experiment) -> bool:
    """Whether asking again may call language models, which costs time and money."""
    return bool(models_within(experiment.pipeline, experiment.judge))


def prove(experiment: Experiment, session: Session, lost: Sequence[tuple[Case, Diagnosis]]) -> dict[str, Proof]:
    """A proof for every lost question, by id."""
    tried = [(case, one) for case, one in lost if one.loss in PUT_IN]
    as_configured = rerun(experiment, session, [(case.question, PutIn.NOTHING) for case, _ in tried])
    again = {one.question_id: now for (_, one), now in zip(tried, as_configured, strict=True)}
    then = _with_gold(experiment, session, tried)
    found = {}
    for case, one in lost:
        if one.loss not in PUT_IN:
            found[one.question_id] = Proof(one.question_id, "", State.NO_GOLD, "there is no gold to put in")
        else:
            found[one.question_id] = _judged(case, one, again[one.question_id], then[one.question_id])
    return found


def _with_gold(experiment: Experiment, session: Session, tried: Sequence[tuple[Case, Diagnosis]]) -> dict[str, Again]:
    cut = [case.question for case, one in tried if PUT_IN[one.loss] == CHUNKS]
    rest = [(case.question, PutIn(PUT_IN[one.loss])) for case, one in tried if PUT_IN[one.loss] != CHUNKS]
    found = rerun(experiment, session, rest)
    found += rerun(_whole(experiment, cut), session, [(question, PutIn.NOTHING) for question in cut])
    return {one.trace.question_id: one for one in found}


def _whole(experiment: Experiment, questions: Sequence[Question]) -> Experiment:
    """The experiment with the evidence of these questions whole in chunks of its own."""
    passages = {
        (item.doc_id, item.start, item.end)
        for question in questions
        for group in question.groups
        for item in group.items
        if not item.whole
    }
    ordered: tuple[Passage, ...] = tuple(sorted(passages))
    pipeline = experiment.pipeline
    return replace(
        experiment, pipeline=replace(pipeline, splitter=WholeSpans(splitter=pipeline.splitter, passages=ordered))
    )


def _judged(case: Case, one: Diagnosis, again: Again, then: Again) -> Proof:
    loss, after = one.loss, then.diagnosis
    answer = then.trace.answer.text if then.trace.answer is not None else ""

    def proof(state: State, why: str) -> Proof:
        return Proof(one.question_id, str(PUT_IN[loss]), state, why, after.loss, answer)

    if again.diagnosis.loss is not loss:
        now = again.diagnosis.loss
        return proof(State.NOT_REPRODUCED, f"asked again as configured: {now}")
    right = after.loss is Loss.OK
    if PUT_IN[loss] != PutIn.CONTEXT:
        if right:
            return proof(State.PROVED, "right with the gold put in here")
        return proof(State.NOT_PROVED, f"something later loses it too: {after.loss} ({after.why})")
    if not right:
        return proof(State.PROVED, "wrong even with the evidence alone in the context")
    context = case.trace.context if case.trace is not None else None
    if context is not None and all(case.evidence.satisfied(context.blocks, FULL)):
        return proof(State.PROVED, "right with the evidence alone: what stands beside it misleads")
    return proof(State.NOT_PROVED, "right with the whole evidence, of which the context held only a part")
