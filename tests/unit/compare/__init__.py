"""Small run directories with scores that are given, not measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ragbench.core.codec import write_json, write_jsonl
from ragbench.core.rows import to_row
from ragbench.records.question import CATEGORIES, Question
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir

NDCG, RECALL, F1, FAITHFUL = "ranking/ndcg@10", "ranking/recall@5", "answer/correctness_f1", "answer/faithfulness"
TOKENS, TIME = "cost/context_tokens", "cost/total_ms"
TEXTS = {"zh": "年假有多少天？", "en": "How many days of leave?", "mixed": "API 的 timeout 是多少？"}
VARIANT = {
    "variant": "hybrid",
    "splitter": "recursive",
    "retriever": "hybrid",
    "reranker": "none",
    "chunk_size": 500,
    "alpha": 0.7,
    "k": 5,
}
ROOTS = {"chunk_size": None, "alpha": None, "k": 5}
Values = Sequence[float | str | None]
"""A score, `failed`, or None for n/a."""


def write_run(
    root: Path,
    name: str,
    scores: Mapping[str, Values],
    *,
    variant: Mapping[str, Any] = {},
    roots: Mapping[str, Any] = {},
    pipeline: Mapping[str, Any] = {},
    summary: Mapping[str, Any] = {},
    manifest: Mapping[str, Any] = {},
    rankings: Sequence[Sequence[int]] | None = None,
    answers: Sequence[str] | None = None,
    contexts: Sequence[Sequence[str]] = (),
    spans: int = 100,
) -> RunDir:
    """A finished run of as many questions as the first measure has values: four categories, three languages.

    Without `rankings` and `answers` each run ranks and says what no other does; `contexts` are the texts of blocks.
    """
    n = len(next(iter(scores.values())))
    folder = root / name
    folder.mkdir(parents=True)
    ids = [f"q{at:03}" for at in range(n)]
    languages = list(TEXTS)
    questions = [
        Question(one, TEXTS[languages[at % 3]], category=CATEGORIES[at % 4], language=languages[at % 3])
        for at, one in enumerate(ids)
    ]
    rows = [
        {"measure": metric, "kind": "question", "subject": one, **_cell(value)}
        for metric, values in scores.items()
        for one, value in zip(ids, values, strict=True)
    ]
    metrics = {metric: _aggregate(values) for metric, values in scores.items()}
    order = [[len(name) + sum(map(ord, name)) % 40, at % 50] for at in range(n)] if rankings is None else rankings
    said = [f"{name} {at}" for at in range(n)] if answers is None else answers
    traces = [
        {"question_id": one, "steps": [{"fused": {"chunks": [0]}, "reranked": {"chunks": order[at]}}], "context": {"blocks": [{"text": text} for text in (contexts[at] if contexts else ())]},
         "answer": {"text": said[at], "refused": False}, "error": None}
        for at, one in enumerate(ids)
    ]  # fmt: skip
    choices = VARIANT | dict(variant)
    recipe = {slot: {"choice": choices.get(slot), **fields} for slot, fields in pipeline.items()}
    write_json(
        folder / layout.MANIFEST,
        {
            "status": "finished",
            "judge": {"name": "offline"},
            "pipeline": {"fields": recipe},
            "n_questions": n,
            "eval_set": {"path": str(folder / "no corpus at hand")},
        }
        | dict(manifest),
    )
    config = ROOTS | {"paths": {"store": f"/{name}"}} | dict(roots) | {"pipeline": dict(pipeline)}
    (folder / layout.CONFIG).write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    write_jsonl(folder / layout.QUESTIONS, map(to_row, questions))
    write_jsonl(folder / layout.TRACES, traces)
    write_jsonl(folder / layout.CHUNKS, ({"doc_id": "手册.md", "start": at, "end": at + spans} for at in range(60)))
    write_jsonl(folder / layout.DOCUMENTS, [])
    write_jsonl(folder / layout.VERDICTS, [])
    write_jsonl(folder / layout.SCORES, rows)
    facts = {
        "run_id": name,
        "variant": choices,
        "eval_set": {"name": "policy_zh", "version": "v1", "lock": "sha256:" + "ab" * 8, "split": "test", "questions": None},
        "judge": {"faithfulness": "offline-4"},
        "metrics": metrics,
    }  # fmt: skip
    write_json(folder / layout.SUMMARY, facts | dict(summary))
    return RunDir(folder)


def _cell(value: float | str | None) -> dict[str, Any]:
    if isinstance(value, str) or value is None:
        return {"status": "failed" if value == "failed" else "n/a", "value": None}
    return {"status": "scored", "value": value}


def _aggregate(values: Values) -> dict[str, Any]:
    kept = [value for value in values if isinstance(value, int | float)]
    mean = sum(kept) / len(kept) if kept else None
    failed = sum(value == "failed" for value in values)
    return {
        "mean": mean,
        "low": mean,
        "high": mean,
        "n_scored": len(kept),
        "n_failed": failed,
        "n_na": len(values) - len(kept) - failed,
    }
