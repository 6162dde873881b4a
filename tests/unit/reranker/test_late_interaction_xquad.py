"""What late interaction gains over the same first stage on public questions, and what storing its vectors costs."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from ragbench.core.scale import minmax
from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.embedder.cached import CachedEmbedder
from ragbench.records.document import Chunk
from ragbench.reranker.fusion_model import load_model
from ragbench.reranker.late_interaction import LateInteractionReranker
from ragbench.reranker.maxsim import maxsim
from ragbench.stats.paired import paired_difference

pytestmark = [pytest.mark.slow, pytest.mark.data]
SHIPPED_MIX = 0.5


@pytest.fixture(scope="module")
def bench(repo: Path, data_dir: Path) -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("benchmark_of_the_embedder", repo / "benchmarks" / "embedder.py")
    assert spec and spec.loader
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGBENCH_DATA", str(data_dir))
        yield module
    del sys.modules[spec.name]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_gain_over_the_first_stage_lies_above_zero(bench: ModuleType, language: str, tmp_path: Path) -> None:
    task = bench.xquad(language)
    chunks = [Chunk(str(n), n, "x", 0, len(text), text=text, index_text=text) for n, text in enumerate(task.chunks)]
    store = Store(tmp_path)
    with bench.embedder("auto") as worker:
        cached = CachedEmbedder(worker, store)
        dense = cached.embed_queries(task.questions) @ cached.embed_documents(task.chunks).T
        first = np.array(
            [0.6 * minmax(d) + 0.4 * minmax(s) for d, s in zip(dense, bench.bm25(task, language), strict=True)]
        )
        with LateInteractionReranker(mix=SHIPPED_MIX, calibration=None).open(Tools(store, cached)) as reranker:
            ranks = [
                bench.rank_after(reranker.rerank(question, bench.candidates(row), chunks), gold)
                for question, row, gold in zip(task.questions, first, task.gold, strict=True)
            ]
        assert reranker.counts() == {"pairs": bench.POOL * len(task.questions)}
        gains = bench.reciprocal(np.array(ranks)) - bench.reciprocal(bench.gold_ranks(first, task.gold))
        found = paired_difference(gains, seed=0)
        assert found.n == len(task.questions) > 800
        assert found.low is not None and found.low > 0, found
        stored_vectors_change_little(worker, cached, task)
    store.close()


def stored_vectors_change_little(worker: object, cached: CachedEmbedder, task: object) -> None:
    """A byte a component instead of a float: MaxSim moves by thousandths of what parts candidates."""
    questions, texts = task.questions[:20], task.chunks[:20]  # type: ignore[attr-defined]
    stored, bare = (
        np.array(
            [
                [maxsim(asked, passage) for passage in source.token_vectors(texts, "passage")]
                for asked in source.token_vectors(questions, "query")
            ]
        )
        for source in (cached, worker)  # type: ignore[attr-defined]
    )
    assert np.abs(stored - bare).max() < 2e-3
    assert np.abs(stored - bare).mean() < 0.02 * bare.std()


def test_the_shipped_fusion_gains_on_articles_it_was_not_fitted_on(
    repo: Path, bench: ModuleType, tmp_path: Path
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(repo / "benchmarks"))
        patch.delitem(sys.modules, "embedder", raising=False)  # tests of the embedders may go by that name
        patch.chdir(repo)
        import train_fusion

        with bench.embedder("auto") as worker:
            cached = CachedEmbedder(worker, Store(tmp_path))
            for name in ("xquad zh", "xquad en"):
                held = [case for case in train_fusion.cases(name, cached)["hybrid"] if not case.for_fitting]
                ranks = train_fusion.compared(held, load_model("builtin"))
                for other in ("first stage", "late_interaction"):
                    found = paired_difference(ranks["logistic_fusion"] - ranks[other], seed=0)
                    assert found.low is not None and found.low > 0, (name, other, found)
            cached.store.close()
