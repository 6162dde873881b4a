"""The evidence of an experiment's questions over its chunk set, shared by variants."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.core.recent import Recent
from ragbench.eval_set.align import Evidence
from ragbench.measure.corpus import ChunkedCorpus
from ragbench.measure.gold import EVIDENCE, Gold
from ragbench.measure.provided import WindowUse
from ragbench.pipeline.offline import Built
from ragbench.records.question import Question
from ragbench.run.experiment import Experiment
from ragbench.run.session import Session

_GOLDS = 8


def gold_of(
    experiment: Experiment, session: Session, built: Built, questions: Sequence[Question], tokens: Sequence[int]
) -> Gold:
    """The questions' evidence over the chunk set as measures see it, with what only stages can tell of it; variants in
    which all of that is the same share it."""
    window = built.facts.get("index", {}).get("window")
    similarity, likeness = session.sentence_similarity(experiment), session.answer_likeness(experiment)

    def made() -> Gold:
        seen = WindowUse(**window) if window else None
        corpus = ChunkedCorpus(built.corpus.by_id(), built.chunks, tokens, seen, similarity, likeness)
        return Gold(questions, corpus, session.memory.keep, evidence)

    asked = (id(built.corpus), *map(id, questions))
    held = built.corpus, tuple(questions)  # whose identities are the key
    _, evidence = session.memory.of("evidence", _GOLDS).call(asked, lambda: (held, _evidence(session)))
    same = (id(built.chunks), id(similarity), id(likeness), *asked, *sorted((window or {}).items()))
    kept: Gold = session.memory.of("gold", _GOLDS).call(same, made)
    return kept


def _evidence(session: Session) -> Recent[Evidence]:
    return Recent(EVIDENCE if session.memory.keep else 0)
