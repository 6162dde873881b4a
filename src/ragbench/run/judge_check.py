"""The judge of a configuration, checked with the session's models and kept in its store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragbench.agreement.check import Check, Plan
from ragbench.agreement.planted_answers import planted_answers
from ragbench.agreement.records import LabelledSet
from ragbench.assets import shipped
from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.corpus.loader import CorpusLoader
from ragbench.errors import DataError
from ragbench.eval_set.source import CORPUS
from ragbench.judge.card import PLANTED, read_card, write_card
from ragbench.llm.within import models_within
from ragbench.pipeline import offline
from ragbench.run.experiment import Experiment
from ragbench.run.progress import Progress
from ragbench.run.session import EmbedderFellBack, Session

Asked = tuple[int, int | None]
"""How often the planted answers are judged, and at most how many answers of each set."""


def check_judge(
    experiment: Experiment, people: Sequence[LabelledSet], asked: Asked, quiet: bool = False
) -> tuple[dict[str, Any], Path | None]:
    """The card of an experiment's judge, and where it is kept.

    A card of a part (`sample`) is not kept (None): nothing may rest on it. Raises DataError where the judge failed at
    every answer.
    """
    store = Store(experiment.places.store)
    with Session(store, Progress(quiet=quiet)) as session:
        try:
            card = _card(experiment, session, people, asked)
        except EmbedderFellBack:
            card = _card(experiment, session, people, asked)
        session.progress.close()
        return card, None if asked[1] is not None else write_card(card, experiment.places.store)


def _card(experiment: Experiment, session: Session, people: Sequence[LabelledSet], asked: Asked) -> dict[str, Any]:
    judge = experiment.judge
    embedder = session.open_embedder(experiment.pipeline.embedder) if judge.uses_embedder else None
    models = session.models(experiment)
    threads = models.concurrency if models_within(judge) else 1
    planted = planted_answers(lambda name: shipped_texts(name, session.store))
    repeats, sample = asked
    check = Check(judge, Tools(session.store, embedder, models), Plan(repeats, sample, threads), session.progress.step)
    known = read_card(judge, experiment.places.store)
    card = check.card(planted, people, known)
    _refuse_failed(card, judge.title)
    return card


def shipped_texts(name: str, store: Store) -> Mapping[str, str]:
    """Texts of a shipped set's documents by id."""
    folder = shipped("eval_sets") / name / "v1" / CORPUS
    corpus = offline.load(folder, CorpusLoader(), store)
    return {document.doc_id: document.text for document in corpus.documents}


def _refuse_failed(card: Mapping[str, Any], title: str) -> None:
    parts = [one for part in PLANTED for one in card[part]["by_language"].values()]
    if parts and all(one["n_errors"] == one["n"] for one in parts):
        hint = "A run with this judge names the reason: ragbench run judge=… questions=1."
        raise DataError(f"judge {title}", expected="verdicts", found="none: it failed at every answer", hint=hint)
