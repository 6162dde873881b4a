"""Three questions through every variant before a long sweep begins, so that what cannot work is seen at once.

Nothing is computed for it alone: the artifacts, vectors, lists and replies lie in the store when the run itself comes
to them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack

from ragbench.errors import RagbenchError
from ragbench.eval_set.source import CORPUS, QUESTIONS
from ragbench.llm.within import models_within
from ragbench.pipeline.offline import build
from ragbench.records.question import Question
from ragbench.reranker.none import NoneReranker
from ragbench.run.experiment import Experiment
from ragbench.run.judging import Judging
from ragbench.run.points import Point
from ragbench.run.reuse import is_known
from ragbench.run.session import Ahead, EmbedderFellBack, Session

ASKED = 3
_LARGE = 200_000
"""Bytes of a corpus above which embedding it takes longer than a person wants to wait for a slip to show."""
_MANY = 10_000
"""Questions over all variants above which even keywords take minutes."""


def worth_it(points: Sequence[Point]) -> bool:
    """Whether a sweep takes long enough: several variants, of which one asks a model, or embeds or reranks much, or
    very many questions altogether."""
    if len(points) < 2:
        return False
    if any(models_within(one.experiment.pipeline, one.experiment.judge) for one in points):
        return True
    heavy = [one.experiment for one in points if _is_heavy(one.experiment)]
    if any(_corpus_bytes(one) > _LARGE for one in heavy[:1]):
        return True
    return len(points) * _n_rows(points[0].experiment) > _MANY


def rehearse(experiment: Experiment, session: Session) -> str | None:
    """Build a variant and put three questions through it; what went wrong in a line, None where nothing did.

    A variant of which a finished run is known is left alone. What was computed counts as the run's own.
    """
    if is_known(experiment, session):
        return None
    try:
        return _rehearsed(experiment, session)
    except EmbedderFellBack:
        return _rehearsed(experiment, session)


def _rehearsed(experiment: Experiment, session: Session) -> str | None:
    store = session.store
    before, embedded, started = store.computed.copy(), session.texts_embedded(), time.perf_counter()
    try:
        questions = _few(experiment.questions_of(session.eval_set(experiment)))
        opener = session.embedder(experiment.pipeline.embedder)
        built = build(experiment.pipeline, session.corpus(experiment), store, opener, session.memory)
        seconds = time.perf_counter() - started
        with session.bench(experiment, built) as bench, ExitStack() as stack:
            judge = Judging(experiment, session, stack)
            traces = zip(questions, experiment.pipeline.flow.run(questions, bench), strict=True)
            errors = [trace.error for trace, _ in judge.each(traces)]
            judge.memo.flush()
    except EmbedderFellBack:
        raise
    except Exception as error:  # told beside the others' errors
        return line_of(error)
    session.made_ahead[experiment.fingerprint()] = Ahead(
        store.computed - before, session.texts_embedded() - embedded, seconds
    )
    return f"each of {len(errors)} questions failed; the first: {errors[0]}" if errors and all(errors) else None


def line_of(error: Exception) -> str:
    """An error in one line."""
    return str(error) if isinstance(error, RagbenchError) else " ".join(f"{type(error).__name__}: {error}".split())


def _few(questions: Sequence[Question]) -> list[Question]:
    """The first question, the last, and the one in the middle."""
    places = dict.fromkeys([0, len(questions) // 2, len(questions) - 1])
    return [questions[at] for at in list(places)[:ASKED]]


def _n_rows(experiment: Experiment) -> int:
    """Questions of the whole set; 0 where it cannot be read, which the runs tell."""
    try:
        with (experiment.source.folder() / QUESTIONS).open("rb") as rows:
            return sum(1 for _ in rows)
    except (OSError, RagbenchError):
        return 0


def _is_heavy(experiment: Experiment) -> bool:
    return experiment.needs_embedder or not isinstance(experiment.pipeline.reranker, NoneReranker)


def _corpus_bytes(experiment: Experiment) -> int:
    return sum(path.stat().st_size for path in (experiment.source.folder() / CORPUS).rglob("*") if path.is_file())
