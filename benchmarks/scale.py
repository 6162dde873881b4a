"""A run from files to summary at 1 000 to 100 000 chunks: CPU seconds by stage, memory, and how both grow.

The corpus is that of `sweep.py`, more documents of it; chunks are 40 words, questions 1 000. Vectors are hashed bags
of words (`word_vectors.py`): computing them counts as `vectors`, and no model is measured. Everything is
stored, indexed, searched on both routes, fused, packed, scored and written as in any run; no answer is generated.

    python benchmarks/scale.py [--chunks 1000,10000,100000] [--questions 1000] [--plot docs/scale.svg]

Each size runs in a new process, first from an empty store and then from the full one. The time of a function that is
part of another one is counted in its own line only.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

WORDS, WORDS_A_DOCUMENT = 40, 2100


class Clock:
    """CPU seconds by label; what runs inside something else is taken off that."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self._labels = ["other"]
        self._at = time.process_time()

    def _switch(self) -> None:
        now = time.process_time()
        self.spent[self._labels[-1]] += now - self._at
        self._at = now

    def watch(self, owner: Any, name: str, label: str | Callable[..., str]) -> None:
        """Count every call of `owner.name`; a label may be made of its arguments."""
        real = getattr(owner, name)

        @functools.wraps(real)
        def timed(*args: Any, **kwargs: Any) -> Any:
            self._switch()
            self._labels.append(label if isinstance(label, str) else label(*args))
            try:
                return real(*args, **kwargs)
            finally:
                self._switch()
                self._labels.pop()

        setattr(owner, name, timed)

    def stop(self) -> dict[str, float]:
        """Seconds by label."""
        self._switch()
        return dict(self.spent)


def watched() -> Clock:
    """A clock on the stages of a run."""
    from word_vectors import Words

    from ragbench.core.store import Store
    from ragbench.embedder.cached import CachedEmbedder
    from ragbench.evaluate.scorer import RunScorer
    from ragbench.pipeline import offline
    from ragbench.pipeline.deepening import Deepening
    from ragbench.pipeline.first_stage import FirstStage
    from ragbench.pipeline.online import OnlineBench
    from ragbench.run import runner, session
    from ragbench.run_dir.write import RunWriter

    names = {"sparse": "keyword index", "index": "vector index", "chunks": "cutting", "corpus": "reading the corpus"}
    clock = Clock()
    clock.watch(Store, "get_or_build", lambda _, kind, *rest: names[kind])
    for owner, name, label in (
        (Words, "embed_documents", "vectors"),
        (Words, "embed_queries", "vectors"),
        (CachedEmbedder, "_blobs", "vector cache"),
        (offline, "load", "loading the corpus"),
        (session, "load_eval_set", "eval set"),
        (offline, "split", "loading chunks"),
        (FirstStage, "retrieve", "search"),
        (FirstStage, "fuse", "fusing"),
        (OnlineBench, "pack", "packing"),
        (Deepening, "of", "budget lists"),
        (RunScorer, "__init__", "scoring"),
        (RunScorer, "add", "scoring"),
        (RunScorer, "finish", "summary"),
        (RunWriter, "add", "traces"),
        (RunWriter, "add_corpus", "chunks of the run"),
        (RunWriter, "finish", "scores of the run"),
        (runner, "_summary", "summary"),
    ):
        clock.watch(owner, name, label)
    return clock


def contestant(folder: Path, home: Path) -> dict[str, Any]:
    """One run with its store below `home`."""
    home.mkdir(exist_ok=True)
    from word_stage import OVERRIDES, write_option

    write_option(home)
    os.chdir(home)
    from ragbench.core.store import Store
    from ragbench.run.build import experiment
    from ragbench.run.runner import run
    from ragbench.run.session import Session

    asked = experiment(
        [
            "variant=hybrid", *OVERRIDES, "reuse=false", "splitter=fixed", "chunk_unit=words",
            f"chunk_size={WORDS}", "overlap=0", "generator=none", "judge=none", "eval_set=local", "split=all",
            f'eval_set.path="{folder}"', f'paths.store="{home / "store"}"', f'paths.runs="{home / "runs"}"',
        ]
    )  # fmt: skip
    clock = watched()
    wall = time.perf_counter()
    with Session(Store(home / "store")) as session:
        done = run(asked, session)
    return {
        "cpu": clock.stop(),
        "wall": time.perf_counter() - wall,
        "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "chunks": done.summary["cost"]["n_chunks"],
        "recall": done.summary["metrics"]["retrieval/recall@5"]["mean"],
        "latency": {name: one["p50"] for name, one in done.summary["cost"]["latency_ms"].items()},
    }


def measure(chunks: int, questions: int, folder: Path) -> list[dict[str, Any]]:
    """A cold and a warm run on a corpus of about so many chunks."""
    import sweep

    sweep.DOCUMENTS = max(1, round(chunks * WORDS / WORDS_A_DOCUMENT))
    sweep.generate(folder / "set", questions)
    found = []
    for _ in range(2):
        command = [sys.executable, __file__, "--contestant", str(folder / "set"), str(folder / "home")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr[-3000:])
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return found


def main() -> None:
    """Measure each size, print a table, and plot it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", default="1000,10000,100000")
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--contestant", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contestant:
        print(json.dumps(contestant(*options.contestant)))
        return
    found: list[list[dict[str, Any]]] = []
    for size in map(int, options.chunks.split(",")):
        with tempfile.TemporaryDirectory() as temporary:
            found.append(measure(size, options.questions, Path(temporary)))
    for at, title in enumerate(("from an empty store", "from a full store")):
        table(title, [pair[at] for pair in found])
    if options.plot:
        plot([pair[0] for pair in found], options.questions, options.plot)


def table(title: str, runs: list[dict[str, Any]]) -> None:
    """CPU seconds by stage, one column a size."""
    print(f"\n{title:<26}" + "".join(f"{one['chunks']:>12,}" for one in runs) + "  chunks")
    labels = sorted({label for one in runs for label in one["cpu"]}, key=lambda label: -runs[-1]["cpu"].get(label, 0))
    for label in labels:
        print(f"{label:<26}" + "".join(f"{one['cpu'].get(label, 0.0):12.2f}" for one in runs))
    print(f"{'CPU s in all':<26}" + "".join(f"{sum(one['cpu'].values()):12.2f}" for one in runs))
    print(f"{'wall s':<26}" + "".join(f"{one['wall']:12.1f}" for one in runs))
    print(f"{'peak memory, MB':<26}" + "".join(f"{one['rss']:12.0f}" for one in runs))
    print(f"{'recall@5':<26}" + "".join(f"{one['recall']:12.3f}" for one in runs))
    for stage in ("dense", "sparse", "pack"):
        print(f"{f'{stage}, median ms':<26}" + "".join(f"{one['latency'][stage]:12.2f}" for one in runs))


def plot(runs: list[dict[str, Any]], questions: int, path: Path) -> None:
    """Growth of the largest stages and of memory, on logarithmic axes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    sizes = [one["chunks"] for one in runs]
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5))
    largest = sorted(runs[-1]["cpu"], key=lambda label: -runs[-1]["cpu"][label])[:8]
    for label in largest:
        left.loglog(sizes, [max(one["cpu"].get(label, 0), 1e-3) for one in runs], marker="o", label=label)
    left.loglog(sizes, [sum(one["cpu"].values()) for one in runs], "k--", marker="o", label="all")
    left.set(xlabel="chunks", ylabel="CPU seconds", title=f"A run of {questions} questions, empty store")
    left.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    right.loglog(sizes, [one["rss"] for one in runs], "k", marker="o")
    right.set(xlabel="chunks", ylabel="MB", title="Peak memory")
    for axes in (left, right):
        axes.grid(True, which="both", alpha=0.25)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    main()
