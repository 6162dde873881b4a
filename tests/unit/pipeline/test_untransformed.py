"""The twin of a transformed question: what its own words find in the same variant."""

from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest

from ragbench.core.store import Store
from ragbench.errors import StoreError
from ragbench.pipeline.untransformed import Untransformed, as_typed, transforms
from ragbench.query.base import Query
from ragbench.records.question import Question
from ragbench.records.search import SearchRequest
from ragbench.records.trace import QueryView, Trace

from .words import QUESTIONS, TEXTS, Place, corpus_of, document, pipeline_of


@dataclass(frozen=True, kw_only=True)
class Forms(Query):
    """Searches these texts; `None` is the question as typed, `deep` how deep it goes."""

    texts: tuple[str | None, ...]
    deep: int | None = None

    @contextmanager
    def open(self, tools):
        """Needs nothing."""
        yield self

    def plan(self, question):
        """One request a text."""
        requests = [replace(SearchRequest.of(question, text), depth=self.deep, form="variant") for text in self.texts]
        return QueryView(), tuple(requests)


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Place:
    root = tmp_path_factory.mktemp("twin")
    store = Store(root / "store")
    texts = {f"{language}.md": document(language, number) for number, language in enumerate(TEXTS, 1)}
    return Place(corpus_of(root / "corpus", texts, store), store)


def ranking(place, query, question, retriever):
    pipeline = replace(pipeline_of(f"retriever={retriever}", "pool_depth=20"), query=query)
    with place.bench(pipeline) as bench:
        (trace,) = pipeline.flow.run([question], bench)
        return Untransformed(bench, pipeline.flow.cuts.pool_depth).of(question, trace)


@pytest.mark.parametrize("retriever", ["dense", "sparse", "hybrid"])
@pytest.mark.parametrize("language", QUESTIONS)
@pytest.mark.parametrize(
    "forms", [("完全不同 other words",), (None, "quota 12"), ("x", None), (None,)], ids=["lost", "first", "second", "same"]
)  # fmt: skip
def test_the_twin_is_what_a_run_without_the_transform_ranks(place, language, retriever, forms):
    asked = Question("q", QUESTIONS[language])
    plain = pipeline_of(f"retriever={retriever}", "pool_depth=20")
    with place.bench(plain) as bench:
        (alone,) = plain.flow.run([asked], bench)
    made = ranking(place, Forms(texts=forms), asked, retriever)
    assert alone.fused
    assert made.untransformed == tuple(hit.chunk for hit in alone.fused)
    assert (made.fused == alone.fused) is (forms == (None,))


def test_a_form_that_searches_less_deep_is_not_the_twin(place):
    asked = Question("q", QUESTIONS["en"])
    made = ranking(place, Forms(texts=(None,), deep=2), asked, "sparse")
    assert len(made.fused) == 2 < len(made.untransformed)


def test_only_what_is_equal_but_for_the_name_of_its_form_is_typed():
    typed = SearchRequest("年假 quota?", tenant="acme", filter={"a": 1})
    assert as_typed((replace(typed, form="rewrite"),), typed)
    for other in ({"text": "年假 quota"}, {"role": "passage"}, {"routes": ("dense",)}, {"depth": 3}, {"weight": 0.5}):
        assert not as_typed((replace(typed, **other),), typed)
    assert not as_typed((typed, typed), typed)


class Broken:
    def __init__(self, error):
        self.error = error

    def retrieve(self, *_):
        raise self.error


def test_what_cannot_be_searched_is_left_out_and_what_is_broken_is_told():
    asked, made = Question("q", "年假"), ranking_step()
    assert Untransformed(Broken(ValueError("no")), 20).of(asked, made) is made
    with pytest.raises(StoreError):
        Untransformed(Broken(StoreError("disk full")), 20).of(asked, made)
    failed = Trace("q", error="refused")
    assert Untransformed(Broken(ValueError("never asked")), 20).of(asked, failed) is failed


def ranking_step():
    from ragbench.testing.cases import trace

    return trace("q", [1, 2], requests=(SearchRequest("other", tenant=None),))


def test_a_variant_that_searches_as_typed_needs_none():
    assert not transforms(pipeline_of("query=none"))
    assert transforms(pipeline_of("query=all_turns")) and transforms(pipeline_of("query=language"))
