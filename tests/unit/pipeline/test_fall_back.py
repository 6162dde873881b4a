"""What an embedder says when the bench opens it reaches the run as it was said."""

from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest

from ragbench.core.store import Store
from ragbench.corpus.loader import CorpusLoader
from ragbench.errors import CannotOpen, RagbenchError, StartAgain, StoreError
from ragbench.pipeline.offline import build, load
from ragbench.pipeline.online import open_bench
from ragbench.records.question import Question
from ragbench.reranker.base import Reranker
from ragbench.run.build import experiment

QUESTION = Question(id="q", question="年假 leave")


@dataclass(frozen=True, kw_only=True)
class Comparing(Reranker):
    """A reranker that works with the embedder."""

    @property
    def uses_embedder(self):
        return True

    @contextmanager
    def open(self, tools):
        raise AssertionError("the embedder is opened first")
        yield


def ends_with(tmp_path, error: Exception, **stages) -> RagbenchError:
    """What ends the questions of a variant whose chunks are in the store and whose embedder raises `error`."""
    store = Store(tmp_path / "store")
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_text("年假 leave", encoding="utf-8")
    corpus = load(tmp_path / "corpus", CorpusLoader(), store)
    asked = ["variant=bm25", "generator=none", "splitter=whole"]

    def unwilling():
        raise error

    pipeline = replace(experiment(asked).pipeline, **stages)
    built = build(replace(pipeline, reranker=experiment(asked).pipeline.reranker), corpus, store, unwilling)
    with pytest.raises(RagbenchError) as caught, open_bench(pipeline, built, store, unwilling) as bench:
        list(pipeline.flow.run([QUESTION], bench))
    return caught.value


@pytest.mark.parametrize("error", [StartAgain("now runs as another"), StoreError("disk full")], ids=str)
def test_it_passes_through_a_stage_that_is_opened_with_it(tmp_path, error):
    assert ends_with(tmp_path, error, reranker=Comparing()) is error


def test_a_fault_of_the_embedder_is_not_the_rerankers(tmp_path):
    found = ends_with(tmp_path, OSError("gone"), reranker=Comparing())
    assert isinstance(found, CannotOpen)
    assert str(found) == "embedder: cannot be opened (OSError: gone)"
