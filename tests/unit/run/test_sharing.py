"""Variants of a sweep take results over from each other, and are what they would be alone."""

import json
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from ragbench.core.recent import Recent
from ragbench.core.store import Store
from ragbench.embedder.base import Embedder
from ragbench.evaluate import aggregate
from ragbench.retriever.hybrid import HybridRetriever
from ragbench.run.build import experiment
from ragbench.run.runner import run
from ragbench.run.session import Session
from ragbench.run.sweep import sweep
from ragbench.run_dir.read import RunDir
from ragbench.stats import bootstrap
from tests.unit.pipeline.words import QUESTIONS, TEXTS, Words

N = 12


@dataclass(frozen=True, kw_only=True)
class WordsEmbedder(Embedder):
    """Hashed words."""

    @contextmanager
    def open(self):
        worker = Words()
        worker.space = self.fingerprint()
        yield worker


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Questions in three languages, one without evidence, some asked under a filter."""
    (tmp_path / "set" / "corpus").mkdir(parents=True)
    rows = []
    for name, text in TEXTS.items():
        lines = [text.replace("{n}", str(n)) for n in range(N)]
        (tmp_path / "set" / "corpus" / f"{name}.md").write_text("\n\n".join(lines), encoding="utf-8")
        for n in range(0, N, 3):
            row = {"id": f"{name}{n}", "question": f"{n} {QUESTIONS[name]}", "category": "lookup"}
            row |= {"language": "zh" if name == "zh" else "en", "evidence": [{"doc": f"{name}.md", "quote": lines[n]}]}
            rows.append(row)
    rows.append({"id": "none", "question": "量子?", "category": "negative", "language": "zh", "answerable": False})
    rows[0]["filter"] = {"encoding": {"$ne": "none"}}
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / "set" / "questions.jsonl").write_text(lines, encoding="utf-8")
    option = tmp_path / "configs" / "embedder" / "words.yaml"
    option.parent.mkdir(parents=True)
    option.write_text(f"# @package pipeline.embedder\n_target_: {__name__}.WordsEmbedder\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def overrides(folder, *more):
    return [
        "embedder=words", f"allowed_targets=[{__name__}]", "splitter=fixed", "chunk_unit=chars", "chunk_size=50",
        "overlap=0", "split=all", "judge=none", "eval_set=local", f"eval_set.path={folder / 'set'}", "sink=files",
        f"paths.store={folder / 'store'}", f"paths.runs={folder / 'runs'}", *more,
    ]  # fmt: skip


def timeless(value):
    """Without times, names of runs, and whether a list was stored."""
    if isinstance(value, dict):
        dropped = ("run_id", "timings_ms", "latency_ms", "ms", "cached", "cost_ms")
        return {
            key: timeless(one)
            for key, one in value.items()
            if key not in dropped and not (key.startswith("cost/") and key.endswith("_ms"))
        }
    return [timeless(one) for one in value] if isinstance(value, list) else value


def content(folder):
    found = RunDir(folder)
    scores = [row for row in found.scores() if not row["measure"].endswith("_ms")]
    traces = [json.loads(line) for line in (folder / "traces.jsonl").read_bytes().splitlines()]
    return timeless([found.summary, scores, traces, found.chunk_rows(), found.documents()])


GRIDS = {
    "fusion": ["variant=hybrid", "generator=none", "alpha=0,0.5", "k=1,3",
               "pipeline.retriever=choice({fusion:alpha,scale:zscore},{fusion:rrf})"],
    "chunks": ["variant=bm25,hybrid", "chunk_size=30,60", "generator=extractive", "k=2,4"],
    "understood": ["variant=hybrid", "generator=none", "classifier=none,rules", "query=none,language,rewrite", "k=1,3"],
    "reranked": ["variant=hybrid", "generator=none", "reranker=none,mmr", "k=2,3", "pool_depth=5,6", "recall_k=4"],
}  # fmt: skip


@pytest.mark.parametrize("grid", GRIDS.values(), ids=list(GRIDS))
def test_a_variant_of_a_sweep_is_what_it_is_alone(folder, grid, monkeypatch):
    with Session(Store(folder / "store")) as session:
        result = sweep(overrides(folder, *grid), session)
    assert not result.failed and len(result.runs) >= 6
    monkeypatch.setattr(aggregate, "_INTERVALS", Recent(0))
    monkeypatch.setattr(bootstrap, "_DRAWN", Recent(0))
    for point, done in result.runs:
        with Session(Store(folder / "alone")) as session:
            alone = run(point.experiment, session)
        assert content(done.folder) == content(alone.folder), point.label


def test_what_a_cut_does_not_change_is_fused_once(folder, monkeypatch):
    real, fused = HybridRetriever.fuse, []

    def counted(self, lists):
        fused.append((self.alpha, tuple(map(id, lists))))
        return real(self, lists)

    monkeypatch.setattr(HybridRetriever, "fuse", counted)
    grid = overrides(folder, "variant=hybrid", "generator=none", "alpha=0.3,0.7", "k=1,2,3,4,5")
    with Session(Store(folder / "store")) as session:
        result = sweep(grid, session)
        questions = len(session.eval_set(result.runs[0][0].experiment).questions)
    first_lists_are_new = 2  # the lists of the first variant are not those that come from the store
    assert len(result.runs) == 10
    assert len(fused) == questions * (2 + first_lists_are_new - 1)


def test_a_single_run_keeps_nothing(folder):
    asked = experiment(overrides(folder, "variant=hybrid", "generator=none"))
    with Session(Store(folder / "store")) as session:
        run(asked, session)
        assert not session.memory.keep
        assert all(len(part) == 0 for part in session.memory._parts.values())
