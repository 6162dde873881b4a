"""The open online half: what is remembered, how a reranked head meets the rest, what cannot be opened."""

import gc
import weakref
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from ragbench.core.store import Store
from ragbench.corpus.loader import CorpusLoader
from ragbench.errors import CannotOpen, ConfigError
from ragbench.generator.base import Generator
from ragbench.pipeline.offline import build, load
from ragbench.pipeline.online import open_bench
from ragbench.pipeline.pipeline import Pipeline
from ragbench.records.question import Question
from ragbench.records.trace import Answer
from ragbench.reranker.base import Reranker
from ragbench.run.build import experiment

QUESTION = Question(id="q", question="年假 leave backup 端口")


@dataclass(frozen=True, kw_only=True)
class Backwards(Reranker):
    """Turns the head round and drops what scores least; `calls` counts."""

    drop: int
    calls: list[str] = field(default_factory=list, compare=False)

    @contextmanager
    def open(self, tools):
        yield self

    def rerank(self, question, ranking, chunks):
        self.calls.append(question)
        kept = list(reversed(ranking))[: len(ranking) - self.drop]
        return tuple(item._replace(score=1 / rank, rank=rank, former=item.rank) for rank, item in enumerate(kept, 1))


@dataclass(frozen=True, kw_only=True)
class Echo(Generator):
    """Answers with the number of blocks; `calls` counts, `unwilling` raises."""

    calls: list[str] = field(default_factory=list, compare=False)
    unwilling: list[str] = field(default_factory=list, compare=False)

    @contextmanager
    def open(self, tools):
        yield self

    def answer(self, question, context):
        self.calls.append(question.id)
        if question.question in self.unwilling:
            raise ValueError("no")
        return Answer(f"{len(context.blocks)} blocks")


@dataclass(frozen=True, kw_only=True)
class Locked(Reranker):
    """Cannot be opened."""

    error: str

    @contextmanager
    def open(self, tools):
        raise ConfigError("reranker.model", found="nothing") if self.error == "ours" else OSError("gone")
        yield


def no_embedder():
    raise RuntimeError("no model here")


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def corpus(tmp_path, store):
    folder = tmp_path / "corpus"
    folder.mkdir()
    texts = ("年假 十天", "leave of absence", "backup at two", "端口 8443", "年假 leave", "backup 端口 年假")
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return load(folder, CorpusLoader(), store)


def variant(**stages) -> Pipeline:
    base = experiment(
        ["variant=bm25", "generator=none", "splitter=whole", "k=3", "recall_k=3", "pool_depth=6"]
    ).pipeline
    return replace(base, **stages)


def ask(pipeline, corpus, store, embedder=no_embedder, question=QUESTION):
    built = build(pipeline, corpus, store, embedder)
    with open_bench(pipeline, built, store, embedder) as bench:
        (trace,) = pipeline.flow.run([question], bench)
    return trace


def test_a_closed_bench_is_freed_at_once(corpus, store):
    pipeline = variant()
    built = build(pipeline, corpus, store, no_embedder)
    gc.collect()
    gc.disable()
    try:
        with open_bench(pipeline, built, store, no_embedder) as bench:
            list(pipeline.flow.run([QUESTION], bench))
        gone = weakref.ref(bench)
        del bench
        assert gone() is None
    finally:
        gc.enable()


def test_a_reranked_head_stands_before_the_rest_in_one_falling_list(corpus, store):
    trace = ask(variant(reranker=Backwards(drop=0)), corpus, store)
    fused = [item.chunk for item in trace.fused]
    assert len(fused) == 6
    assert [item.chunk for item in trace.reranked] == [*reversed(fused[:3]), *fused[3:]]
    assert [item.rank for item in trace.reranked] == [1, 2, 3, 4, 5, 6]
    assert [item.former for item in trace.reranked] == [3, 2, 1, 4, 5, 6]
    scores = [item.score for item in trace.reranked]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 6


def test_what_a_reranker_drops_stays_out_and_so_does_what_it_did_not_read(corpus, store):
    trace = ask(variant(reranker=Backwards(drop=2)), corpus, store)
    fused = [item.chunk for item in trace.fused]
    assert [(item.chunk, item.rank, item.former) for item in trace.reranked] == [(fused[2], 1, 3)]


def test_reranking_and_answers_are_remembered_and_failures_are_not(corpus, store):
    reranker, generator = Backwards(drop=0), Echo(unwilling=[QUESTION.question])
    pipeline = variant(reranker=reranker, generator=generator)
    first = ask(pipeline, corpus, store)
    assert first.error == "ValueError: no"
    assert first.answer is None
    generator.unwilling.clear()
    second, third = (ask(pipeline, corpus, store) for _ in range(2))
    assert second.answer == third.answer
    assert second.reranked == third.reranked == first.reranked
    assert second.timings_ms["generate"] == third.timings_ms["generate"] > 0
    assert len(reranker.calls) == 1
    assert len(generator.calls) == 2
    ask(pipeline, corpus, store, question=Question(id="q", question="another 年假"))
    assert len(generator.calls) == 3


@pytest.mark.parametrize(
    ("error", "words"),
    [("ours", "reranker.model: found nothing"), ("theirs", r"reranker: cannot be opened \(OSError: gone\)")],
)
def test_a_stage_that_cannot_be_opened_is_not_the_questions_fault(corpus, store, error, words):
    with pytest.raises(CannotOpen, match=words):
        ask(variant(reranker=Locked(error=error)), corpus, store)


def test_an_embedder_that_cannot_be_opened_is_not_the_questions_fault(corpus, store):
    pipeline = experiment(["variant=dense", "generator=none", "splitter=whole"]).pipeline
    built = build(variant(), corpus, store, no_embedder)
    built = replace(built, keys=replace(built.keys, index="f" * 64), index_folder=Path("nowhere"))
    with pytest.raises(CannotOpen), open_bench(pipeline, built, store, no_embedder) as bench:
        list(pipeline.flow.run([QUESTION], bench))


@dataclass(frozen=True, kw_only=True)
class Embedding(Echo):
    """Answers after an embedder that says what its cached queries took."""

    uses_embedder = True

    def answer(self, question, context):
        CLOCK.correction_ms += 700.0
        return super().answer(question, context)


class Clock:
    """Stands for an open embedder: only its correction is read."""

    correction_ms = 0.0


CLOCK = Clock()


def test_the_time_of_a_stage_is_corrected_by_its_embedder(corpus, store):
    trace = ask(variant(generator=Embedding()), corpus, store, embedder=lambda: CLOCK)
    assert trace.error is None
    assert 700.0 <= trace.timings_ms["generate"] < 1400.0
    plain = ask(variant(generator=Echo()), corpus, store)
    assert plain.timings_ms["generate"] < 700.0
