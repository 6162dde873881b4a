"""Fits the calibration of a reranker's scores on questions for tuning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ragbench.errors import ConfigError, DataError
from ragbench.eval_set.coverage import Alignment
from ragbench.pipeline.offline import build
from ragbench.pipeline.online import open_bench
from ragbench.run.experiment import Experiment
from ragbench.run.session import Session
from ragbench.stats.platt import Bools, Floats, brier, cross_fitted, fit_platt

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5)
_FOLDS = 5


@dataclass(frozen=True)
class Scored:
    """The candidates of all questions, one entry each: score, whether relevant, and the number of its question."""

    scores: Floats
    relevant: Bools
    question: tuple[int, ...]


@dataclass(frozen=True)
class Effect:
    """What a threshold would do, by probabilities that were fitted on other questions: share of relevant chunks kept,
    share of the others dropped, questions that lose every relevant chunk they had, questions left without any."""

    threshold: float
    kept: float
    dropped: float
    lost: int
    emptied: int


@dataclass(frozen=True)
class Calibration:
    """`a` and `b` of all candidates; `brier` is that of probabilities fitted on other questions, `base` that of the
    share of relevant candidates for each."""

    a: float
    b: float
    n_questions: int
    n_chunks: int
    n_relevant: int
    brier: float
    base: float
    effects: tuple[Effect, ...]


def calibrate(experiment: Experiment, session: Session) -> Calibration:
    """Fit on the candidates of an experiment's questions; see `ragbench.stats.platt.fit_platt`.

    Raises ConfigError for a reranker without a calibration and for the split that figures are made of.
    """
    found = scored(experiment, session)
    a, b = fit_platt(found.scores, found.relevant)
    return summed_up(found, round(a, 6), round(b, 6))


def scored(experiment: Experiment, session: Session) -> Scored:
    """Scores as the model gives them, of the candidates of each question with evidence."""
    pipeline = experiment.pipeline
    if not hasattr(pipeline.reranker, "calibration"):
        found = type(pipeline.reranker).__name__
        expected = "one with a calibration: cross_encoder, api, or late_interaction"
        raise ConfigError("reranker", expected=expected, found=found)
    if (mix := getattr(pipeline.reranker, "mix", 1)) != 1:
        hint = "Set pipeline.reranker.mix=1."
        raise ConfigError("pipeline.reranker.mix", expected="1, whose scores have a scale", found=str(mix), hint=hint)
    if experiment.split != "dev":
        raise ConfigError("split", expected="dev, which is for tuning", found=experiment.split)
    plain = {"calibration": None, "threshold": None, "min_kept": 0}
    bare: Any = replace(
        pipeline.reranker, **{name: value for name, value in plain.items() if hasattr(pipeline.reranker, name)}
    )
    pipeline = replace(pipeline, reranker=bare)
    corpus = session.corpus(experiment)
    opener = session.embedder(pipeline.embedder)
    built = build(pipeline, corpus, session.store, opener)
    questions = [one for one in experiment.questions_of(session.eval_set(experiment)) if one.groups]
    grades = Alignment(questions, built.chunks, corpus.by_id()).grades
    rows: list[tuple[float, bool, int]] = []
    with open_bench(pipeline, built, session.store, opener, models=session.models(experiment)) as bench:
        for number, trace in enumerate(pipeline.flow.run(questions, bench)):
            if trace.error is not None:
                raise DataError(f"question {questions[number].id}", expected="a ranking", found=trace.error)
            head = [hit for hit in trace.reranked if hit.former is not None][: pipeline.flow.cuts.recall_k]
            rows += [(hit.score, hit.chunk in grades[number], number) for hit in head]
            session.progress.step("questions", number + 1, len(questions))
    columns: tuple[Sequence[Any], ...] = tuple(zip(*rows)) if rows else ((), (), ())
    return Scored(np.array(columns[0], np.float64), np.array(columns[1], bool), tuple(columns[2]))


def summed_up(found: Scored, a: float, b: float) -> Calibration:
    """The fit with what it is worth on questions that it was not fitted on."""
    apart = cross_fitted(found.scores, found.relevant, found.question, _FOLDS)
    share = np.full(len(apart), found.relevant.mean())
    return Calibration(
        a, b, len(set(found.question)), len(apart), int(found.relevant.sum()), brier(apart, found.relevant),
        brier(share, found.relevant), tuple(_effect(found, apart, threshold) for threshold in THRESHOLDS),
    )  # fmt: skip


def _effect(found: Scored, probability: Floats, threshold: float) -> Effect:
    stays, question = probability >= threshold, np.array(found.question)
    had, has = set(question[found.relevant]), set(question[found.relevant & stays])
    return Effect(
        threshold,
        kept=float(stays[found.relevant].mean()),
        dropped=float((~stays[~found.relevant]).mean()),
        lost=len(had - has),
        emptied=len(set(question) - set(question[stays])),
    )
