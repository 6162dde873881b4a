"""Configurations drawn at random from the options that run offline, and what must hold of every run of one."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragbench.core.codec import read_json, read_jsonl
from ragbench.measure.registry import measure

SPLITTERS = [
    "cascade", "clause", "code", "dialogue", "fixed", "html", "markdown", "parent_child", "qa", "recursive",
    "semantic", "sentence", "whole",
]  # fmt: skip
SLOTS: dict[str, list[str]] = {
    "splitter": SPLITTERS,
    "context": ["none", "none", "headings", "title", "summary"],
    "classifier": ["none", "rules", "model", "tiered"],
    "rewriter": ["none", "rules"],
    "query": [
        "none", "none", "all_turns", "decompose_parallel", "expand", "hyde", "language", "multi_query", "rag_fusion",
        "rewrite", "standalone", "step_back",
    ],
    "retriever": ["dense", "sparse", "hybrid", "hybrid"],
    "reranker": ["none", "none", "late_interaction", "logistic_fusion", "mmr"],
    "packer": ["adaptive", "document", "edges", "relevance", "summaries"],
    "generator": ["none", "extractive", "extractive"],
    "flow": ["one_shot", "one_shot", "one_shot", "adaptive", "adaptive_k", "closed_book", "noisy", "oracle", "sequential"],
    "judge": ["none", "offline", "offline_vectors"],
    "split": ["test", "dev", "all"],
    "seed": ["0", "7"],
}  # fmt: skip
KNOBS: dict[str, list[Any]] = {
    "pipeline.packer.budget": [1, 40, 400, 4000],
    "pipeline.packer.truncate": ["true", "false"],
    "pipeline.packer.show_headings": ["none", "trail", "title"],
    "pipeline.packer.merge_neighbours": ["true", "false"],
}


def drawn(seed: int) -> list[str]:
    """The overrides of one configuration; knobs that nothing in it reads are left out, as they would be refused."""
    dice = random.Random(seed)
    chosen = {slot: dice.choice(options) for slot, options in SLOTS.items()}
    chosen |= _sizes(dice, chosen["splitter"]) | _searched(dice, chosen) | _answered(dice, chosen)
    chosen |= {key: dice.choice(values) for key, values in KNOBS.items() if dice.random() < 0.5}
    return [f"{key}={value}" for key, value in chosen.items()]


def _sizes(dice: random.Random, splitter: str) -> dict[str, Any]:
    k = dice.choice([1, 3, 5, 50])
    recall_k = dice.choice([factor * k for factor in (3, 5, 20)])
    depths = {"k": k, "recall_k": recall_k, "pool_depth": dice.choice([recall_k, 10 * recall_k])}
    if splitter == "whole":
        return depths
    overlap = dice.choice(["0", "5", "10%", "auto", "null"])
    unit = dice.choice(["tokens", "chars", "words"])
    return depths | {"chunk_size": dice.choice([20, 80, 200, 800]), "overlap": overlap, "chunk_unit": unit}


def _searched(dice: random.Random, chosen: dict[str, str]) -> dict[str, Any]:
    """Knobs of the routes that are searched."""
    found: dict[str, Any] = {}
    if chosen["retriever"] != "sparse":
        found["index"] = dice.choice(["exact", "exact", "exact", "chroma"])
    if chosen["retriever"] != "dense":
        found["pipeline.sparse.analyser"] = dice.choice(["jieba", "bigram"])
        found["pipeline.sparse.method"] = dice.choice(["lucene", "robertson", "atire"])
    if chosen["retriever"] == "hybrid":
        found["pipeline.retriever.fusion"] = dice.choice(["alpha", "rrf", "weighted_rrf"])
        if found["pipeline.retriever.fusion"] == "alpha":
            found["alpha"] = dice.choice([0, 0.3, 0.7, 1])
    return found


def _answered(dice: random.Random, chosen: dict[str, str]) -> dict[str, Any]:
    if chosen["generator"] != "extractive":
        return {}
    return {
        "pipeline.generator.scorer": dice.choice(["maxsim", "lexical"]),
        "pipeline.generator.max_sentences": dice.choice([1, 2, 5]),
        "pipeline.generator.refuse_below": dice.choice([0, 0.3, 1]),
    }


def check_run(run: Path, asked: list[str]) -> None:
    """Populations are whole, groups are a partition, values lie in their bounds, each question has one outcome."""
    summary = read_json(run / "summary.json")
    n = summary["n_questions"]
    _check_questions(run, n)
    for name, cell in summary["metrics"].items():
        assert cell["n_scored"] + cell["n_na"] + cell["n_failed"] == n or not _by_question(name), (name, asked)
        assert not cell["n_failed"], (name, asked)
        _check_cell(name, cell)
    for axis in ("category", "difficulty", "language", "answerability", "split", "turn"):
        groups = summary[f"by_{axis}"]
        assert sum(summary["counts"][axis].values()) == n, (axis, asked)
        for name, cell in summary["metrics"].items():
            if _by_question(name):
                assert sum(group[name]["n_scored"] for group in groups.values()) == cell["n_scored"], (axis, name)
    outcomes = {key: value for key, value in summary["diagnosis"].items() if isinstance(value, int)}
    assert sum(outcomes.values()) == n == len(summary["diagnosis_by_question"]), asked
    assert all(set(group) == set(summary["diagnosis"]) for group in summary["diagnosis_by_category"].values())


def _check_questions(run: Path, n: int) -> None:
    traces = list(read_jsonl(run / "traces.jsonl"))
    assert len(traces) == len({row["question_id"] for row in traces}) == n
    assert not [row["error"] for row in traces if row["error"]]


def _by_question(name: str) -> bool:
    return measure(name).subject == "question"


def _check_cell(name: str, cell: Mapping[str, Any]) -> None:
    low, high = measure(name).bounds
    if cell["mean"] is not None:
        assert low - 1e-9 <= cell["low"] <= cell["mean"] + 1e-9, (name, cell)
        assert cell["mean"] - 1e-9 <= cell["high"] <= high + 1e-9, (name, cell)
