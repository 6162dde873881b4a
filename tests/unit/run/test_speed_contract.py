"""What a run may cost, counted and not timed: work that is shared is done once, memory does not follow the questions."""

from __future__ import annotations

import json
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from ragbench.core.store import Store
from ragbench.evaluate.scorer import RunScorer
from ragbench.evaluate.summary import Evaluation
from ragbench.measure.chunks import borders
from ragbench.pipeline.offline import build
from ragbench.pipeline.online import open_bench
from ragbench.run.build import experiment
from ragbench.run.runner import run
from ragbench.run.session import Session
from ragbench.run.sweep import sweep
from ragbench.splitter import length

FEW, MANY = 60, 240


def overrides(folder: Path, *more: str) -> list[str]:
    return [
        "variant=bm25", "splitter=fixed", "chunk_unit=words", "chunk_size=12", "overlap=0",
        "generator=none", "judge=none", "eval_set=local", f"eval_set.path={folder}", "sink=files", "sink.mlflow=false",
        f"paths.store={folder / 'store'}", f"paths.runs={folder / 'runs'}", *more,
    ]  # fmt: skip


def write_set(folder: Path, n_questions: int) -> Path:
    """Twenty documents of forty sentences that share their words, and questions about one sentence each."""
    rows = []
    (folder / "corpus").mkdir(parents=True)
    for doc in range(20):
        sentences = [f"Node {doc} keeps backup {at} of the shared ledger for {at} days." for at in range(40)]
        (folder / "corpus" / f"d{doc}.txt").write_text("\n\n".join(sentences), encoding="utf-8")
        rows += [
            {
                "id": f"q{doc}-{at}", "question": f"How long does node {doc} keep backup {at} of the shared ledger?",
                "category": "lookup", "language": "en", "evidence": [{"doc": f"d{doc}.txt", "quote": sentences[at]}],
            }
            for at in range(0, 40, 2)
        ]  # fmt: skip
    lines = "".join(json.dumps(row) + "\n" for row in rows[:n_questions])
    (folder / "questions.jsonl").write_text(lines, encoding="utf-8")
    return folder


def peak_of_asking(folder: Path) -> int:
    """Bytes held at most from the first question to the last, scored one; what the session holds is not counted.

    The resampling that follows takes blocks of a fixed size, which are larger than these few questions.
    """
    asked = experiment(overrides(folder))
    peaks: list[int] = []
    finish = RunScorer.finish

    def noted(scorer: RunScorer) -> Evaluation:
        peaks.append(tracemalloc.get_traced_memory()[1])
        return finish(scorer)

    with Session(Store(asked.places.store)) as session, pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunScorer, "finish", noted)
        session.eval_set(asked)
        tracemalloc.start()
        run(asked, session)
        tracemalloc.stop()
    return peaks[0]


def bytes_of_traces(folder: Path) -> int:
    """Bytes of the traces of all questions, were they kept."""
    asked = experiment(overrides(folder))
    with Session(Store(asked.places.store)) as session:
        corpus, questions = session.corpus(asked), session.eval_set(asked).questions
        opener = session.embedder(asked.pipeline.embedder)
        built = build(asked.pipeline, corpus, session.store, opener)
        with open_bench(asked.pipeline, built, session.store, opener) as bench:
            next(iter(asked.pipeline.flow.run(questions[:1], bench)))
            tracemalloc.start()
            kept = list(asked.pipeline.flow.run(questions, bench))
            size = tracemalloc.get_traced_memory()[0]
            tracemalloc.stop()
    assert len(kept) == len(questions)
    return size


def test_memory_of_a_run_does_not_follow_the_number_of_questions(tmp_path):
    few, many = write_set(tmp_path / "few", FEW), write_set(tmp_path / "many", MANY)
    for folder in (few, many):
        peak_of_asking(folder)  # what is made once a process is there before anything is counted
    traces = bytes_of_traces(many) - bytes_of_traces(few)
    assert traces > (MANY - FEW) * 10_000, "the traces are too small for this test to say anything"
    assert peak_of_asking(many) - peak_of_asking(few) < traces / 4


@pytest.fixture
def counted(monkeypatch):
    """Calls of the functions whose work the variants of a sweep share."""
    calls: Counter[str] = Counter()

    def count(module, name):
        real = getattr(module, name)

        def counting(*args, **kwargs):
            calls[name] += 1
            return real(*args, **kwargs)

        monkeypatch.setattr(module, name, counting)

    import ragbench.corpus.loader as loader
    import ragbench.run.compose as compose
    from ragbench.run import composed_cache

    for module, name in (
        (loader, "load_file"),
        (compose, "_composed"),
        (length, "_word_starts"),
        (borders, "lines_of"),
    ):
        count(module, name)
    borders.borders.cache_clear()
    length._memory.clear()
    composed_cache.forget()
    return calls


def test_a_sweep_does_what_its_variants_share_once(tmp_path, counted):
    folder = write_set(tmp_path / "set", 10)
    grid = [*overrides(folder), "k=5,10"]
    grid[grid.index("chunk_size=12")] = "chunk_size=12,24,36"
    with Session(Store(folder / "store")) as session:
        result = sweep(grid, session)
        stages = {
            name: sum(done.stages["computed"].get(name, 0) for _, done in result.runs) for name in ("chunks", "sparse")
        }
    assert not result.failed and len(result.runs) == 6
    assert counted == {"load_file": 20, "_composed": 1, "_word_starts": 20, "lines_of": 20}
    assert stages == {"chunks": 3, "sparse": 3}

    counted.clear()
    borders.borders.cache_clear()
    with Session(Store(folder / "store")) as session:
        again = sweep(grid, session)
    assert counted == {"lines_of": 20}
    assert not any(done.stages["computed"] for _, done in again.runs)
