"""Tenants on one store and one bench: nobody sees another's chunks, whichever thread asks, stage works or cache answers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Barrier

import pytest

from ragbench.core.store import Store
from ragbench.query.base import Query
from ragbench.records.question import Question
from ragbench.records.search import SearchRequest
from ragbench.records.trace import QueryView, Trace

from .words import QUESTIONS, TEXTS, Place, corpus_of, document, pipeline_of

TENANTS = ("甲公司", "acme")
OWN = {"甲公司": ("甲公司/", "both/"), "acme": ("acme/", "both/"), None: ("open/",)}


def owned(tenant: str) -> str:
    return f"---\ntenant: {tenant}\nyear: 2024\n---\n"


def documents() -> dict[str, str]:
    """For each tenant the same texts as for the other, and one of its own; one of both; one of nobody."""
    found = {}
    for language, (number, tenant) in itertools.product(TEXTS, enumerate(TENANTS)):
        found[f"{tenant}/{language}.md"] = document(language, 3, owned(tenant))
        found[f"{tenant}/{language}-own.md"] = document(language, 5 + number, owned(tenant))
    found["both/all.md"] = document("mixed", 8, owned("[甲公司, acme]"))
    found["open/all.md"] = document("mixed", 9)
    return found


@pytest.fixture
def place(tmp_path: Path) -> Place:
    store = Store(tmp_path / "store")
    return Place(corpus_of(tmp_path / "corpus", documents(), store), store)


def seen(trace: Trace, bench) -> set[str]:
    """Folders of every document that any part of a trace speaks of."""
    (step,) = trace.steps
    assert trace.error is None
    assert step.fused
    assert trace.context is not None
    numbers = {number for one in step.route_lists for number in one.chunks}
    numbers |= {hit.chunk for hit in (*step.fused, *step.reranked)}
    numbers |= {number for block in trace.context.blocks for number in block.chunks}
    names = {bench.built.chunks[number].doc_id for number in numbers} | {block.doc_id for block in trace.context.blocks}
    names |= {citation.doc_id for citation in (trace.answer.citations if trace.answer else ())}
    return {f"{name.partition('/')[0]}/" for name in names}


@pytest.mark.parametrize("index", ["exact", "chroma"])
@pytest.mark.parametrize("query", ["none", "language"])
def test_two_threads_with_two_tenants_on_one_bench(place: Place, index: str, query: str) -> None:
    """The same questions at the same time, cold and then from the caches, with and without a filter of their own."""
    pipeline = pipeline_of("retriever=hybrid", f"index={index}", f"query={query}", "reranker=mmr")
    filters = [None, {"year": 2024}, {"tenant": {"$in": list(TENANTS)}}]
    barrier = Barrier(2)

    def ask(tenant: str) -> list[set[str]]:
        barrier.wait()
        questions = [
            Question(f"{tenant} {number} {language}", f"{text} {number}", principal=tenant, filter=condition)
            for number, (language, text), condition in itertools.product(range(4), QUESTIONS.items(), filters)
        ]
        return [seen(trace, bench) for trace in pipeline.flow.run([*questions, *questions], bench)]

    with place.bench(pipeline) as bench, ThreadPoolExecutor(2) as pool:
        for tenant, found in zip(TENANTS, pool.map(ask, TENANTS), strict=True):
            assert len(found) == 72
            assert set().union(*found) == set(OWN[tenant])


@pytest.mark.parametrize("retriever", ["dense", "sparse", "hybrid"])
@pytest.mark.parametrize("first", [0, 1])
def test_what_one_tenant_left_in_the_caches_is_no_answer_for_the_other(
    place: Place, retriever: str, first: int
) -> None:
    """Rerankings and answers are kept by what they read. The texts of both tenants are equal, so that their keys could
    meet; each still ranks, packs and cites its own documents."""
    pipeline = pipeline_of(
        f"retriever={retriever}",
        "reranker=late_interaction",
        "generator=extractive",
        "pipeline.generator.scorer=lexical",
    )
    for tenant in (TENANTS[first], TENANTS[1 - first], None):
        with place.bench(pipeline) as bench:
            questions = [Question(language, text, principal=tenant) for language, text in QUESTIONS.items()]
            for trace in pipeline.flow.run(questions, bench):
                assert seen(trace, bench) <= set(OWN[tenant])


def test_who_asks_in_no_name_sees_what_is_nobodys(place: Place) -> None:
    pipeline = pipeline_of("retriever=hybrid")
    with place.bench(pipeline) as bench:
        (trace,) = pipeline.flow.run([Question("q", QUESTIONS["mixed"])], bench)
        assert seen(trace, bench) == {"open/"}
        (stranger,) = pipeline.flow.run([Question("q", QUESTIONS["mixed"], principal="else")], bench)
        assert stranger.error is None
        assert stranger.fused == ()


@dataclass(frozen=True, kw_only=True)
class Careless(Query):
    """Asks in a name that it was told, whoever's question it is."""

    tenant: str | None

    @contextmanager
    def open(self, tools) -> Iterator[Careless]:
        yield self

    def plan(self, question: Question):
        return QueryView(), (SearchRequest.of(question), SearchRequest("more", tenant=self.tenant))


@pytest.mark.parametrize(
    ("stage", "asked", "words"),
    [
        (None, "acme", "expected one in the name of acme, found one in no name"),
        ("甲公司", "acme", "expected one in the name of acme, found one in the name of 甲公司"),
        ("acme", None, "expected one in no name, found one in the name of acme"),
    ],
)
def test_a_query_stage_that_asks_in_another_name_is_refused(place: Place, stage, asked, words: str) -> None:
    pipeline = replace(pipeline_of("retriever=sparse"), query=Careless(tenant=stage))
    (trace,) = place.ask(pipeline, [Question("q1", "年假", principal=asked)])
    assert trace.error is not None
    assert words in trace.error
    assert trace.steps == ()


def test_a_request_cannot_be_written_without_saying_in_whose_name() -> None:
    with pytest.raises(TypeError, match="tenant"):
        SearchRequest("年假")  # type: ignore[call-arg]
    asked = Question("q", "年假", principal="acme", filter={"year": 2024})
    assert SearchRequest.of(asked) == SearchRequest("年假", filter={"year": 2024}, tenant="acme")
    assert SearchRequest.of(asked, "leave").tenant == "acme"
