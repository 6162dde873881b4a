"""A small run directory made by hand: Chinese, English and mixed, with everything a report must survive."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragbench.core.codec import read_json, write_json
from ragbench.records.document import Chunk
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir
from ragbench.run_dir.write import RunWriter
from tests.report_fixture.corpus import DOCUMENTS, chunk_documents, window_chunks
from tests.report_fixture.questions import questions, trace_of, verdict_of
from tests.report_fixture.scores import score_rows, summary_of

TEXTS: Mapping[str, str] = {document.doc_id: document.text for document in DOCUMENTS}


def make_run(
    root: Path,
    name: str = "abcd1234-1",
    *,
    n_filler: int = 24,
    shift: float = 0.0,
    chunks: Sequence[Chunk] = (),
    **variant: Any,
) -> RunDir:
    """Write a run below `root` and open it. `n_filler` plain questions are added to the hand-made ones; `shift` is added
    to the means, `chunks` stand in place of one a line, `variant` overrides choices."""
    folder = root / name
    folder.mkdir(parents=True)
    chunks = list(chunks) or chunk_documents()
    asked = questions(n_filler)
    traces = [trace_of(question, chunks, number) for number, question in enumerate(asked)]
    verdicts = [verdict_of(question, trace) for question, trace in zip(asked, traces)]
    rows = score_rows(asked, traces, chunks)
    with RunWriter(folder, manifest(len(asked)), CONFIG) as writer:
        for trace, verdict in zip(traces, verdicts):
            writer.add(trace, verdict)
        writer.add_corpus(asked, DOCUMENTS, chunks)
        summary = summary_of(name, asked, traces, rows, shift, chunks) | {"variant": VARIANT | variant}
        stages = {"reused": {"corpus": 1, "chunks": 1}, "computed": {"index": 1}, "embedded": {"texts": 240}}
        durations = {"build": 4.2, "query": 1.8, "evaluate": 0.3}
        writer.finish(rows, summary, {"durations_s": durations, "stages": stages})
    return RunDir(folder)


def make_sweep(root: Path, sizes: tuple[int, ...] = (200, 500, 800)) -> tuple[Path, list[RunDir]]:
    """A sweep over the chunk size with one failed variant."""
    runs = [
        make_run(root, f"size{size}-1", n_filler=4, shift=0.02 * number, chunk_size=size)
        for number, size in enumerate(sizes)
    ]
    folder = root / "sweep-0001-1"
    folder.mkdir()
    points: list[dict[str, Any]] = [
        {
            "label": f"chunk_size={size}",
            "overrides": [f"chunk_size={size}"],
            "run_id": run.run_id,
            "status": "finished",
            "stages": {
                "reused": {"corpus": 1},
                "computed": {"chunks": 1, "index": 1},
                "embedded": {"texts": 100 * size},
            },
        }
        for size, run in zip(sizes, runs)
    ]
    points.append(
        {
            "label": "chunk_size=1",
            "status": "failed",
            "error": "chunk_size: expected at least 20 <script>alert(1)</script>",
        }
    )
    sweep = {"sweep_id": folder.name, "status": "finished", "axes": ["chunk_size"], "points": points, "folded": []}
    write_json(folder / layout.SWEEP, sweep)
    return folder, runs


def make_cuts(root: Path) -> list[RunDir]:
    """Three runs on the same questions: a chunk a line, small windows that overlap, and the same windows in parents."""
    return [
        make_run(root, "lines-1", n_filler=0, splitter="lines"),
        make_run(root, "small-1", n_filler=0, splitter="small", chunks=window_chunks(30, 8)),
        make_run(root, "family-1", n_filler=0, splitter="family", chunks=window_chunks(30, 8, 90)),
    ]


def rewrite_summary(run: RunDir, **changes: Any) -> RunDir:
    """The run with top-level keys of its summary replaced; None removes one."""
    path = run.folder / layout.SUMMARY
    summary = {key: value for key, value in {**read_json(path), **changes}.items() if value is not None}
    write_json(path, summary)
    return RunDir(run.folder)


def shown(page: Path) -> str:
    """A page without the words that it shows only when its language is changed."""
    return re.sub(r"<template id=.*?</template>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def manifest(n_questions: int) -> dict[str, Any]:
    """What a run knows of itself."""
    return {
        "fingerprint": "sha256:" + "5e" * 32,
        "keys": {"chunks": "c" * 64},
        "eval_set": {"name": "policy_zh", "version": "v1", "lock": "sha256:" + "ab" * 32, "frozen": True, "text_differs": [], "split": "test", "path": "eval_sets/policy_zh/v1"},
        "corpus": {"documents": len(DOCUMENTS), "failures": [["scans/old<b>.pdf", "expected a text layer, found none"]], "skipped": [".DS_Store"], "empty": []},
        "provenance": {"ragbench": "0.1.0", "python": "3.11.7", "platform": "Linux x86_64", "git": {"commit": "0123456789abcdef", "dirty": True}, "libraries": {"numpy": "2.1"}, "cpu": {"model": "Example CPU", "count": 2}},
        "runtime": "onnxruntime int8",
        "facts": {"index": {"n": 12}, "sparse": {}},
        "n_questions": n_questions,
    }  # fmt: skip


VARIANT = {"variant": "hybrid_rerank", "splitter": "recursive", "embedder": "e5_small", "retriever": "hybrid", "reranker": "late_interaction", "generator": "extractive", "chunk_size": 500, "overlap": None, "alpha": 0.7, "k": 5, "recall_k": 20}  # fmt: skip
CONFIG = (
    "pipeline:\n  splitter:\n    _target_: ragbench.splitter.recursive.RecursiveSplitter\n    chunk_size: 500  # 字符\n"
)

__all__ = ["DOCUMENTS", "TEXTS", "Chunk", "make_cuts", "make_run", "make_sweep", "rewrite_summary", "shown"]
