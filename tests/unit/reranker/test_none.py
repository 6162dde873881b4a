from __future__ import annotations

from pathlib import Path

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.reranker.none import NoneReranker

from .doubles import chunk, ranking


def test_the_ranking_stays_and_says_that_nothing_reranked(tmp_path: Path) -> None:
    given = ranking((1, 0.9), (0, 0.9))
    with NoneReranker().open(Tools(Store(tmp_path))) as worker:
        assert worker.rerank("年假？", given, [chunk(0, "a"), chunk(1, "b")]) == given
        assert all(hit.former is None for hit in given)
        assert worker.rerank("", (), []) == ()
