"""BM25 at three chunk sizes: our sweep against a bare script and against context-grid, in one run.

The corpus is generated: 200 documents of 150 sentences of about 14 tokens, and 200 questions with one piece of
evidence. Every contestant reads the same files, cuts windows of 200, 500 and 800 words without overlap (context-grid:
of its own tokens), ranks with BM25 and scores the rankings against the evidence spans. Counted are CPU seconds from the
end of imports, and beside them seconds on the clock, which other work on the machine lengthens; each round in a new
process, rounds in turn.

    python benchmarks/sweep.py [--rounds 5] [--questions 200] [--peer PYTHON]

`--peer` names the interpreter of an environment with context-grid (see `make bench`); without it the peer is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = (200, 500, 800)
DOCUMENTS, SENTENCES = 200, 150


class Clock:
    """Seconds since it was made: `cpu` of this process and `wall`."""

    def __init__(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def read(self) -> dict[str, object]:
        """Both."""
        return {"cpu": time.process_time() - self._cpu, "wall": time.perf_counter() - self._wall}


def generate(folder: Path, questions: int) -> None:
    """Write the corpus and the questions, the same on every machine."""
    rng = random.Random(20240301)
    letters = "etaoinshrdlucmfwypvbgkqjxz"
    words = list(letters) + [a + b for a in letters for b in letters[:20]]
    words += [a + b + c for a in letters for b in letters[:18] for c in letters[:16]]
    weights = [1 / (rank + 2.7) for rank in range(len(words))]
    corpus = folder / "corpus"
    corpus.mkdir(parents=True)
    sentences: list[tuple[str, str]] = []
    for number in range(DOCUMENTS):
        lines = []
        for _ in range(SENTENCES // 5):
            paragraph = []
            for _ in range(5):
                picked = rng.choices(words, weights, k=rng.randint(11, 17))
                paragraph.append(" ".join(picked) + ".")
                sentences.append((f"d{number:03d}.txt", paragraph[-1]))
            lines.append(" ".join(paragraph))
        (corpus / f"d{number:03d}.txt").write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as handle:
        for number, (doc, sentence) in enumerate(rng.sample(sentences, questions)):
            asked = sentence.rstrip(".").split()
            rng.shuffle(asked)
            row = {
                "id": f"q{number:03d}",
                "question": " ".join(asked[:6]) + "?",
                "category": "lookup",
                "language": "en",
                "evidence": [{"doc": doc, "quote": sentence, "group": "g1"}],
            }
            handle.write(json.dumps(row) + "\n")


def bare(folder: Path) -> dict[str, object]:
    """A hand-written loop: bm25s, numpy, and the same span measures."""
    import re

    import bm25s
    import numpy as np

    clock = Clock()
    texts = {p.name: p.read_text(encoding="utf-8") for p in sorted((folder / "corpus").glob("*.txt"))}
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    gold = []
    for row in rows:
        item = row["evidence"][0]
        at = texts[item["doc"]].index(item["quote"])
        gold.append((item["doc"], at, at + len(item["quote"])))
    token = re.compile(r"\w+")
    word = re.compile(r"\S+")
    means = {}
    for size in SIZES:
        spans, tokens = [], []
        for doc, text in texts.items():
            starts = [m.start() for m in word.finditer(text)]
            for first in range(0, len(starts), size):
                end = starts[first + size] if first + size < len(starts) else len(text)
                spans.append((doc, starts[first], end))
                tokens.append(token.findall(text[starts[first] : end].lower()))
        index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        index.index(tokens, show_progress=False)
        recalls, rrs = [], []
        for row, (doc, start, end) in zip(rows, gold, strict=True):
            known = [t for t in token.findall(row["question"].lower()) if t in index.vocab_dict]
            scores = index.get_scores(known)
            top = np.lexsort((np.arange(len(scores)), -scores))[:100]
            covered, rank = [], 0
            for position, n in enumerate(top, 1):
                if scores[n] <= 0 or spans[n][0] != doc:
                    continue
                low, high = max(start, spans[n][1]), min(end, spans[n][2])
                if low < high:
                    covered.append((low, high))
                    if not rank and sum(b - a for a, b in covered) >= 0.5 * (end - start):
                        rank = position
            recalls.append(0 < rank <= 5)
            rrs.append(1 / rank if rank else 0.0)
        means[size] = {"recall@5": float(np.mean(recalls)), "mrr": float(np.mean(rrs))}
    return {**clock.read(), "means": means}


def ours(folder: Path, home: Path, tracked: bool = False, reuse: bool = True) -> dict[str, object]:
    """`ragbench sweep` with its store and runs below `home`: cold when `home` is new, warm when it is not. Without
    `reuse` a warm one takes artifacts from the store and makes its runs anew."""
    os.environ |= {"RAGBENCH_STORE": str(home / "store"), "RAGBENCH_RUNS": str(home / "runs")}
    os.environ |= {"MLFLOW_TRACKING_URI": f"sqlite:///{home / 'mlflow.db'}"}
    import bm25s  # noqa: F401 - imports are not counted
    import hydra  # noqa: F401

    from ragbench.core.store import Store
    from ragbench.run.session import Session
    from ragbench.run.sweep import plan_grid, sweep

    if tracked:
        import mlflow  # noqa: F401
    overrides = [
        "variant=bm25", "splitter=fixed", "chunk_unit=words", f"chunk_size={','.join(map(str, SIZES))}", "overlap=0",
        "pipeline.sparse.stop_words=none", "generator=none", "judge=none", "eval_set=local", f"eval_set.path={folder}",
        "sink=files", f"sink.mlflow={'true' if tracked else 'false'}", f"reuse={'true' if reuse else 'false'}",
    ]  # fmt: skip
    plan_grid(overrides[:3])  # loads the modules that a configuration names
    clock = Clock()
    with Session(Store(home / "store")) as session:
        result = sweep(overrides, session)
    spent = clock.read()
    means = {
        point.experiment.variant["chunk_size"]: {
            name: done.summary["metrics"][f"retrieval/{name}"]["mean"] for name in ("recall@5", "mrr")
        }
        for point, done in result.runs
    }
    return {**spent, "means": means, "failed": result.failed}


def peer(folder: Path) -> dict[str, object]:
    """context-grid on the same corpus: its fixed chunker and BM25."""
    import yaml
    from contextgrid.cli import main

    config = {
        "name": "bench",
        "corpus": str(folder / "corpus"),
        "evalset": str(folder / "peer.jsonl"),
        "grid": {
            **{part: [None] for part in ("embedder", "transform", "reranker", "generator")},
            **{"ingestion": ["plain"], "parser": ["text"], "retrieval": ["simple"], "candidates": [100]},
            **{"chunker": [f"fixed:{size},overlap=0" for size in SIZES], "index": ["bm25"]},
        },
        "run": {"mode": "factorial", "k": 10, "headline": "recall@5", "cache": "none"},
        "report": {"out": str(folder / "peer-out"), "formats": ["json"]},
    }
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    with (folder / "peer.jsonl").open("w", encoding="utf-8") as handle:
        for row in rows:
            item = row["evidence"][0]
            anchor = {"source_id": item["doc"], "quote": item["quote"], "occurrence": 0, "grade": 1}
            handle.write(json.dumps({"id": row["id"], "question": row["question"], "anchors": [anchor]}) + "\n")
    (folder / "peer.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    said = io.StringIO()
    clock = Clock()
    with contextlib.redirect_stdout(said):
        code = main(["run", str(folder / "peer.yaml")])
    spent = clock.read()
    runs = json.loads((folder / "peer-out" / "results.json").read_text(encoding="utf-8"))["runs"]
    lost = sum(run["unresolved_gold"] for run in runs)
    if code or lost:
        raise SystemExit(f"context-grid: exit code {code}, {lost} pieces of evidence not located\n{said.getvalue()}")
    means = {
        size: {"recall@5": run["metrics"]["recall@5"], "mrr": run["metrics"]["mrr@10"]}
        for size, run in zip(SIZES, runs, strict=True)
    }
    return {**spent, "means": means}


def in_process(python: str, what: str, *arguments: str) -> dict[str, object]:
    """One round of a contestant in a new interpreter."""
    command = [python, __file__, "--contestant", what, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{what} failed:\n{done.stderr[-3000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Run all contestants in turn and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--peer", help="interpreter of an environment with context-grid")
    parser.add_argument("--contestant", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contestant:
        name, *rest = options.contestant
        made = {"bare": bare, "peer": peer}.get(name)
        folder = Path(rest[0])
        result = made(folder) if made else ours(folder, Path(rest[1]), name == "tracked", name != "stages")
        print(json.dumps(result))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "set"
        generate(folder, options.questions)
        size = sum(p.stat().st_size for p in (folder / "corpus").iterdir())
        print(f"{DOCUMENTS} documents, {size / 1e6:.2f} MB, {options.questions} questions; chunk sizes {SIZES} words")
        compare(folder, options)


def compare(folder: Path, options: argparse.Namespace) -> None:
    """Rounds in turn, then one line a contestant."""
    cpu: dict[str, list[float]] = {}
    wall: dict[str, list[float]] = {}
    means: dict[str, object] = {}
    for number in range(options.rounds):
        home = folder.parent / f"home{number}"
        tracked = folder.parent / f"tracked{number}"
        contestants = [
            ("bare script", sys.executable, "bare", [folder]),
            ("ragbench, cold", sys.executable, "ours", [folder, home]),
            ("ragbench, warm", sys.executable, "ours", [folder, home]),
            ("ragbench, warm, reuse=false", sys.executable, "stages", [folder, home]),
            ("ragbench, cold, with MLflow", sys.executable, "tracked", [folder, tracked]),
        ]
        if options.peer:
            contestants.append(("context-grid", options.peer, "peer", [folder]))
        for name, python, what, arguments in contestants:
            found = in_process(python, what, *map(str, arguments))
            means[name] = found["means"]
            cpu.setdefault(name, []).append(float(str(found["cpu"])))
            wall.setdefault(name, []).append(float(str(found["wall"])))
        for used in (home, tracked):
            shutil.rmtree(used, ignore_errors=True)
    print(f"{'':<28} {'CPU s, median (range)':<24} {'÷ bare':>7} {'wall s':>7} {'÷ bare':>7}")
    for name, times in cpu.items():
        spread = f"{statistics.median(times):.2f} ({min(times):.2f}–{max(times):.2f})"
        by_cpu, by_wall = ratio(times, cpu["bare script"]), ratio(wall[name], wall["bare script"])
        print(f"{name:<28} {spread:<24} {by_cpu:7.2f} {statistics.median(wall[name]):7.2f} {by_wall:7.2f}")
    for name in ("ragbench, cold", "ragbench, warm"):
        if options.peer:
            print(f"context-grid ÷ {name}: {ratio(cpu['context-grid'], cpu[name]):.1f} CPU")
    for name, found in means.items():
        print(f"{name:<28} {json.dumps(found)}")


def ratio(times: list[float], others: list[float]) -> float:
    """Median over the rounds of one contestant's time to another's."""
    return statistics.median(time / other for time, other in zip(times, others, strict=True))


if __name__ == "__main__":
    main()
