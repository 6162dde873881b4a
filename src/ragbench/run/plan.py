"""A dry run: every artifact key, whether it is in the store, and what would be computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragbench.core.store import Store
from ragbench.eval_set.load import load_eval_set
from ragbench.eval_set.source import CORPUS
from ragbench.pipeline import offline
from ragbench.run.experiment import Experiment


@dataclass(frozen=True)
class Plan:
    """What one variant needs.

    `texts_to_embed` and `lists_to_search` are None where they cannot be known before the chunks exist.
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
    questions = eval_set.of_split(experiment.split)
    keys = offline.artifact_keys(pipeline, corpus.key)
    stages = [
        _stage("corpus", keys.corpus, store, "loader and file hashes"),
        _stage("chunks", keys.chunks, store, "splitter and corpus"),
    ]
    if keys.sparse:
        stages.append(_stage("sparse", keys.sparse, store, "sparse index, context prefix and chunks"))
    if keys.index:
        stages.append(_stage("index", keys.index, store, "index, embedder, context prefix and chunks"))
    known = store.find("chunks", keys.chunks) is not None
    to_embed = _texts_to_embed(experiment, corpus, store) if known and keys.index else (None if keys.index else 0)
    lists = len(questions) * len(pipeline.routes)
    cached = all(stage["cached"] for stage in stages)
    return Plan(experiment.variant, tuple(stages), len(questions), to_embed, None if cached else lists, 0)


def _stage(kind: str, key: str, store: Store, made_of: str) -> dict[str, Any]:
    return {"stage": kind, "key": key, "cached": store.find(kind, key) is not None, "made_of": made_of}


def _texts_to_embed(experiment: Experiment, corpus: offline.Corpus, store: Store) -> int:
    from ragbench.embedder.cached import count_missing

    chunks = offline.split(experiment.pipeline, corpus, store)
    return count_missing(store, experiment.pipeline.embedder.fingerprint(), [chunk.index_text for chunk in chunks])
