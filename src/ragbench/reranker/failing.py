"""What becomes of a question that a remote reranker could not rank."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ragbench.errors import ConfigError, UserError
from ragbench.reranker.base import RerankFailed

ON_FAILURE = ("keep", "raise")


def check_on_failure(value: str) -> None:
    """Raises ConfigError for a word that is none of `keep` and `raise`."""
    if value not in ON_FAILURE:
        raise ConfigError("pipeline.reranker.on_failure", expected=" or ".join(ON_FAILURE), found=repr(value))


@contextmanager
def failing(on_failure: str) -> Iterator[None]:
    """With `keep`, what went wrong with one question becomes RerankFailed: it keeps the order it has and is counted.
    A wrong key or address meets every question and always passes through."""
    try:
        yield
    except ConfigError:
        raise
    except UserError as error:
        if on_failure == "keep":
            raise RerankFailed(str(error)) from error
        raise
