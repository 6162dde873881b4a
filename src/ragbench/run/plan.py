"""A dry run: every artifact key, whether it is in the store, and what would be computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.eval_set.load import load_eval_set
from ragbench.eval_set.source import CORPUS
from ragbench.flow.one_shot import OneShotFlow
from ragbench.pipeline import offline
from ragbench.pipeline.pipeline import Pipeline
from ragbench.records.question import Question
from ragbench.run.experiment import Experiment
from ragbench.run.sentence_similarity import sentence_texts


@dataclass(frozen=True)
class Plan:
    """What one variant needs.

    `texts_to_embed` and `lists_to_search` are None where they cannot be known before the chunks exist, or a model is
    asked. `llm_calls` is what an empty store would take.
    """

    variant: Mapping[str, Any]
    stages: tuple[Mapping[str, Any], ...]
    n_questions: int
    texts_to_embed: int | None
    lists_to_search: int | None
    llm_calls: int


def plan_one(experiment: Experiment, store: Store) -> Plan:
    """The plan of one experiment. The corpus is read (and cached), nothing is embedded, searched or asked."""
    pipeline = experiment.pipeline
    corpus = offline.load(experiment.source.folder() / CORPUS, experiment.loader, store)
    eval_set = load_eval_set(experiment.source.title(), experiment.source.folder(), corpus.documents)
    questions = experiment.questions_of(eval_set)
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
    asked = len(questions) * pipeline.reranker.llm_calls(pipeline.flow.cuts.recall_k)
    asked += len(questions) * experiment.judge.llm_calls(pipeline.flow.largest_k)
    asked += sum(pipeline.query.llm_calls(question) + pipeline.flow.llm_calls for question in questions)
    asked += len(questions) * pipeline.flow.answers * pipeline.generator.asks
    return Plan(experiment.variant, tuple(stages), len(questions), to_embed, None if cached else lists, asked)


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
