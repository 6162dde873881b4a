"""The same grids by ragbench, by context-grid 0.9.5 and by a plain LangChain loop, each cold and warm.

The corpus and the questions are those of `sweep.py`. Two grids: BM25 at three chunk sizes, and the nine variants of
three chunk sizes × BM25, vectors, and both fused (weighted scores, α 0.7). All sides have the same embedder, a hashed
bag of words of 384 dimensions (`word_vectors.py`), so that no model is measured. Chunks are windows of 200, 500 and 800
words (ragbench), of its own tokens (context-grid), or what LangChain's recursive splitter makes of as many characters
as those words have on average. The loop is what one writes by hand: langchain-text-splitters, Chroma, rank_bm25, fusion
of the first 100 of each, recall@5 and nothing written; it splits, embeds and indexes once for each chunk size.

    python benchmarks/peers.py [--rounds 3] [--peer PYTHON] [--loop PYTHON]

`--peer` names the interpreter of an environment with context-grid, `--loop` that of one with langchain-text-splitters,
chromadb and rank-bm25. Each contestant starts in a new process with an empty folder of its own (cold) and then runs
once more in it (warm: context-grid with its cache on disk; the loop has none). Our second turn takes finished runs over
(`warm`); a third one does not (`stages`), as after a change of code: what it takes from the store are artifacts.
Counted are CPU seconds of the process from the end of imports, matrix libraries on one thread, rounds in turn.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import sweep as bm25_sweep
from sweep import SIZES, Clock

ALPHA = 0.7
RETRIEVERS = {"bm25": ["bm25"], "nine": ["bm25", "dense", "hybrid"]}


def ours(folder: Path, home: Path, grid: str, reuse: str = "true") -> dict[str, Any]:
    """`ragbench sweep` with its store and runs below `home`."""
    from word_stage import OVERRIDES, write_option

    write_option(home)
    os.chdir(home)
    os.environ |= {"RAGBENCH_STORE": str(home / "store"), "RAGBENCH_RUNS": str(home / "runs")}
    import bm25s  # noqa: F401 - imports are not counted
    import hydra  # noqa: F401

    from ragbench.core.store import Store
    from ragbench.run.session import Session
    from ragbench.run.sweep import plan_grid, sweep

    overrides = [
        f"variant={','.join(RETRIEVERS[grid])}", "splitter=fixed", "chunk_unit=words", "overlap=0", f"alpha={ALPHA}",
        f"chunk_size={','.join(map(str, SIZES))}", "pipeline.sparse.stop_words=none", *OVERRIDES, "generator=none",
        "judge=none", "eval_set=local", f"eval_set.path={folder}", "sink=files", f"reuse={reuse}",
    ]  # fmt: skip
    plan_grid(overrides)  # loads the modules that a configuration names
    clock = Clock()
    with Session(Store(home / "store")) as session:
        result = sweep(overrides, session)
    spent = clock.read()
    if result.failed:
        raise SystemExit(str(result.failed))
    means = [done.summary["metrics"]["retrieval/recall@5"]["mean"] for _, done in result.runs]
    return {**spent, "means": [round(mean, 3) for mean in means]}


def peer(folder: Path, home: Path, grid: str) -> dict[str, Any]:
    """context-grid with its cache on disk below `home`."""
    import yaml
    from contextgrid.cli import main

    os.chdir(home)
    names = {"bm25": "bm25", "dense": "dense", "hybrid": f"hybrid:weighted,alpha={ALPHA}"}
    config = {
        "name": "bench",
        "corpus": str(folder / "corpus"),
        "evalset": str(folder / "peer.jsonl"),
        "grid": {
            **{part: [None] for part in ("transform", "reranker", "generator")},
            **{"ingestion": ["plain"], "parser": ["text"], "retrieval": ["simple"], "candidates": [100]},
            "embedder": ["hash:384" if grid == "nine" else None],
            "chunker": [f"fixed:{size},overlap=0" for size in SIZES],
            "index": [names[one] for one in RETRIEVERS[grid]],
        },
        "run": {"mode": "factorial", "k": 10, "headline": "recall@5", "cache": "disk"},
        "report": {"out": str(home / "peer-out"), "formats": ["json"]},
    }
    (home / "peer.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    said = io.StringIO()
    clock = Clock()
    with contextlib.redirect_stdout(said):
        code = main(["run", str(home / "peer.yaml")])
    spent = clock.read()
    runs = json.loads((home / "peer-out" / "results.json").read_text(encoding="utf-8"))["runs"]
    if code or len(runs) != len(SIZES) * len(RETRIEVERS[grid]) or any(run["unresolved_gold"] for run in runs):
        raise SystemExit(f"context-grid: exit code {code}, {len(runs)} runs\n{said.getvalue()}")
    return {**spent, "means": [round(run["metrics"]["recall@5"], 3) for run in runs]}


def loop(folder: Path, home: Path, grid: str) -> dict[str, Any]:
    """Splitter, Chroma, rank_bm25 and a dictionary of scores, as one writes them in a notebook."""
    import chromadb
    import numpy as np
    import rank_bm25  # noqa: F401 - imports are not counted
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from word_vectors import vectors

    clock = Clock()
    texts = {p.name: p.read_text(encoding="utf-8") for p in sorted((folder / "corpus").glob("*.txt"))}
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    where = json.loads((folder / "where.json").read_text(encoding="utf-8"))
    rows = [row | {"where": where[row["id"]]} for row in rows]
    letters = sum(map(len, texts.values())) / sum(len(text.split()) for text in texts.values())
    client = chromadb.PersistentClient(str(home / "chroma"))
    asked = vectors([row["question"] for row in rows])
    means = []
    for size in SIZES:
        cutter = RecursiveCharacterTextSplitter(
            chunk_size=round(size * letters), chunk_overlap=0, add_start_index=True, strip_whitespace=False
        )
        chunks = cutter.create_documents(list(texts.values()), [{"doc": name} for name in texts])
        spans = [
            (one.metadata["doc"], one.metadata["start_index"], one.metadata["start_index"] + len(one.page_content))
            for one in chunks
        ]
        bodies = [one.page_content for one in chunks]
        sparse = keyword_lists(bodies, [row["question"] for row in rows])
        found = {"bm25": sparse}
        if grid == "nine":
            made = client.get_or_create_collection(f"c{size}", configuration={"hnsw": {"space": "cosine"}})
            for at in range(0, len(bodies), 5000):
                ids = [str(n) for n in range(at, min(at + 5000, len(bodies)))]
                made.add(ids=ids, embeddings=vectors(bodies[at : at + 5000]))
            answer = made.query(query_embeddings=asked, n_results=min(100, len(bodies)), include=["distances"])
            found["dense"] = [
                {int(n): 1 - distance for n, distance in zip(*pair, strict=True)}
                for pair in zip(answer["ids"], answer["distances"], strict=True)
            ]
            found["hybrid"] = [fused(*pair) for pair in zip(found["dense"], sparse, strict=True)]
        for name in RETRIEVERS[grid]:
            ranked = [sorted(scores, key=lambda n, own=scores: (-own[n], n)) for scores in found[name]]
            means.append(float(np.mean([hit_at(one, spans, row, 5) for one, row in zip(ranked, rows, strict=True)])))
    return {**clock.read(), "means": [round(mean, 3) for mean in means]}


def keyword_lists(bodies: list[str], questions: list[str]) -> list[dict[int, float]]:
    """The 100 best chunks of each question by rank_bm25."""
    import re

    import numpy as np
    from rank_bm25 import BM25Okapi

    word = re.compile(r"\w+")
    index = BM25Okapi([word.findall(body.lower()) for body in bodies])
    lists = []
    for question in questions:
        scores = index.get_scores(word.findall(question.lower()))
        top = np.argsort(-scores, kind="stable")[:100]
        lists.append({int(n): float(scores[n]) for n in top if scores[n] > 0})
    return lists


def fused(dense: dict[int, float], sparse: dict[int, float]) -> dict[int, float]:
    """α·dense + (1 − α)·sparse after min–max of each list."""
    scores: dict[int, float] = {}
    for weight, one in ((ALPHA, dense), (1 - ALPHA, sparse)):
        low, high = min(one.values(), default=0.0), max(one.values(), default=0.0)
        for n, score in one.items():
            scores[n] = scores.get(n, 0.0) + weight * ((score - low) / (high - low) if high > low else 1.0)
    return scores


def hit_at(ranked: list[int], spans: list[tuple[str, int, int]], row: dict[str, Any], k: int) -> bool:
    """Whether the first k chunks hold at least half of the sentence that was asked for."""
    item = row["evidence"][0]
    start, end = row["where"]
    held = 0
    for n in ranked[:k]:
        doc, low, high = spans[n]
        if doc == item["doc"]:
            held += max(0, min(end, high) - max(start, low))
    return held >= 0.5 * (end - start)


def prepare(folder: Path, questions: int) -> None:
    """Corpus and questions, and the questions as context-grid reads them."""
    bm25_sweep.generate(folder, questions)
    path = folder / "questions.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    with (folder / "peer.jsonl").open("w", encoding="utf-8") as handle:
        for row in rows:
            item = row["evidence"][0]
            anchor = {"source_id": item["doc"], "quote": item["quote"], "occurrence": 0, "grade": 1}
            handle.write(json.dumps({"id": row["id"], "question": row["question"], "anchors": [anchor]}) + "\n")
    where = {}
    for row in rows:
        item = row["evidence"][0]
        at = (folder / "corpus" / item["doc"]).read_text(encoding="utf-8").index(item["quote"])
        where[row["id"]] = [at, at + len(item["quote"])]
    (folder / "where.json").write_text(json.dumps(where), encoding="utf-8")


def in_process(python: str, *arguments: str) -> dict[str, Any]:
    """One turn of a contestant in a new interpreter."""
    command = [python, __file__, "--contestant", *arguments]
    # Threads of matrix libraries that wait for each other on a busy machine would count as work.
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | one)
    if done.returncode:
        raise SystemExit(f"{arguments[0]} failed:\n{done.stderr[-3000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """All grids, all contestants, rounds in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--peer", help="interpreter of an environment with context-grid")
    parser.add_argument(
        "--loop", help="interpreter of an environment with langchain-text-splitters, chromadb, rank-bm25"
    )
    parser.add_argument("--contestant", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contestant:
        name, folder, home, grid = options.contestant
        Path(home).mkdir(parents=True, exist_ok=True)
        made = {"ours": ours, "ours-stages": partial(ours, reuse="false"), "peer": peer, "loop": loop}[name]
        print(json.dumps(made(Path(folder), Path(home), grid)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        prepare(Path(temporary) / "set", options.questions)
        for grid, retrievers in RETRIEVERS.items():
            print(f"\n{len(SIZES) * len(retrievers)} variants: chunk sizes {SIZES} × {', '.join(retrievers)}")
            compare(Path(temporary), grid, options)


def compare(folder: Path, grid: str, options: argparse.Namespace) -> None:
    """One grid."""
    contestants = [
        ("ragbench", "ours", sys.executable, ("cold", "warm", "stages")),
        ("context-grid", "peer", options.peer, ("cold", "warm")),
        ("LangChain loop", "loop", options.loop, ("cold",)),
    ]
    cpu: dict[str, list[float]] = {}
    wall: dict[str, list[float]] = {}
    means: dict[str, Any] = {}
    for number in range(options.rounds):
        for title, name, python, turns in contestants:
            home = folder / f"{name}-{grid}-{number}"
            for state in turns if python else ():
                way = f"{name}-{state}" if state == "stages" else name
                found = in_process(str(python), way, str(folder / "set"), str(home), grid)
                cpu.setdefault(f"{title}, {state}", []).append(found["cpu"])
                wall.setdefault(f"{title}, {state}", []).append(found["wall"])
                means[title] = found["means"]
            shutil.rmtree(home, ignore_errors=True)
    base = cpu["ragbench, cold"], cpu["ragbench, warm"]
    print(f"{'':<22} {'CPU s, median (range)':<24} {'÷ our cold':>10} {'÷ our warm':>10} {'wall s':>7}")
    for name, times in cpu.items():
        spread = f"{statistics.median(times):.2f} ({min(times):.2f}–{max(times):.2f})"
        ratios = "".join(f" {bm25_sweep.ratio(times, own):10.1f}" for own in base)
        print(f"{name:<22} {spread:<24}{ratios} {statistics.median(wall[name]):7.2f}")
    for name, found in means.items():
        print(f"recall@5, {name:<16} {found}")


if __name__ == "__main__":
    main()
