"""A dry run: every artifact key, whether it is in the store, and what would be computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.flow.one_shot import OneShotFlow
from ragbench.pipeline import offline
from ragbench.pipeline.pipeline import Pipeline
from ragbench.records.question import Question
from ragbench.run.experiment import Experiment
from ragbench.run.plan_cost import Cost, Row, cost_of
from ragbench.run.reuse import is_known
from ragbench.run.sentence_similarity import sentence_texts
from ragbench.run.session import Session


@dataclass(frozen=True)
class Plan:
    """What one variant needs.

    `texts_to_embed` and `lists_to_search` are None where they cannot be known before the chunks exist, or a model is
    asked. `llm_calls` is what an empty store would take, as is `cost`. `taken_over`: a finished run stands for it, and
    nothing is computed. `seconds` is what finished runs let expect, None where they do not tell.
    """

    variant: Mapping[str, Any]
    stages: tuple[Mapping[str, Any], ...]
    n_questions: int
    texts_to_embed: int | None
    lists_to_search: int | None
    llm_calls: int
    cost: Cost
    taken_over: bool
    seconds: float | None


def plan_one(experiment: Experiment, session: Session, stored: Sequence[tuple[Row, Row]] = ()) -> Plan:
    """The plan of one experiment; `stored` are finished runs from which time and tokens are told. The corpus is read
    (and cached), nothing is embedded, searched or asked."""
    pipeline, store = experiment.pipeline, session.store
    corpus = session.corpus(experiment)
    questions = experiment.questions_of(session.eval_set(experiment))
    keys = offline.artifact_keys(pipeline, corpus.key)
    stages = [
        _stage("corpus", keys.corpus, store, "loader and file hashes"),
        _stage("chunks", keys.chunks, store, "splitter and corpus"),
    ]
    if keys.sparse:
        stages.append(_stage("sparse", keys.sparse, store, "sparse index, context prefix and chunks"))
    if keys.index:
        stages.append(_stage("index", keys.index, store, "index, embedder, context prefix and chunks"))
    known = store.find("chunks", keys.chunks) is not None or not keys.index
    to_embed = _texts_to_embed(experiment, corpus, store, bool(keys.index)) if known else None
    lists = _n_lists(pipeline, questions, store)
    cached = all(stage["cached"] for stage in stages)
    cost = cost_of(experiment, questions, stored)
    over = is_known(experiment, session)
    seconds = 0.0 if over else _seconds(cost, len(questions), cached, to_embed)
    texts = 0 if over else to_embed
    lists = 0 if over else None if cached else lists
    calls = sum(cost.calls.values())
    return Plan(experiment.variant, tuple(stages), len(questions), texts, lists, calls, cost, over, seconds)


def _seconds(cost: Cost, questions: int, cached: bool, to_embed: int | None) -> float | None:
    """Time of the build and of the questions; None where either is not known."""
    if cost.question_s is None:
        return None
    if cached or to_embed == 0:
        return round(cost.question_s * questions, 1)
    if cost.build_s is None or to_embed is None:
        return None
    return round(cost.build_s * to_embed + cost.question_s * questions, 1)


def _n_lists(pipeline: Pipeline, questions: Sequence[Question], store: Store) -> int | None:
    """Lists that the query stage asks for; None where that takes a model, a search or an answer."""
    if (
        not isinstance(pipeline.flow, OneShotFlow)
        or pipeline.query.uses_embedder
        or pipeline.query.searches
        or pipeline.query.llm_calls()
    ):
        return None
    with pipeline.query.open(Tools(store)) as query:
        routes = [one.routes or pipeline.routes for question in questions for one in query.plan(question)[1]]
    return sum(len(set(named) & set(pipeline.routes)) for named in routes)


def _stage(kind: str, key: str, store: Store, made_of: str) -> dict[str, Any]:
    return {"stage": kind, "key": key, "cached": store.find(kind, key) is not None, "made_of": made_of}


def _texts_to_embed(experiment: Experiment, corpus: offline.Corpus, store: Store, indexed: bool) -> int:
    """Chunks of an index and sentences that are compared, as far as their vectors are not stored."""
    from ragbench.embedder.cached import count_missing

    texts = [chunk.index_text for chunk in offline.split(experiment.pipeline, corpus, store)] if indexed else []
    if experiment.compares_sentences and experiment.pipeline.embedder.installed:
        texts += [text for document in corpus.documents for text in sentence_texts(document.text)]
    return count_missing(store, experiment.pipeline.embedder.fingerprint(), texts) if texts else 0
