"""The gold put in at one stage, in every flow; the other stages as configured."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragbench.core.store import Store
from ragbench.flow.gold import GoldChunks
from ragbench.pipeline.gold_bench import GoldBench, PutIn
from ragbench.pipeline.online import OnlineBench
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question

from .words import Place, corpus_of, pipeline_of

DOCUMENTS = {f"{n}.md": f"第{n}层 floor {n} 的办公室 office 由行政部管理，电话分机 80{n}。" for n in range(12)}
FAR = "11.md"


def asked(text: str, **more: object) -> Question:
    group = EvidenceGroup("g", (EvidenceItem(FAR, 0, len(DOCUMENTS[FAR])),))
    return Question("q", text, groups=(group,), reference="分机 8011", **more)  # type: ignore[arg-type]


TEXTS = {"zh": "第3层的办公室由谁管理？", "en": "office floor 3", "mixed": "floor 3 的办公室"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("gold")
    store = Store(folder / "store")
    return Place(corpus_of(folder / "corpus", DOCUMENTS, store), store)


@pytest.fixture(scope="module", params=["one_shot", "adaptive_k", "sequential"])
def bench(request: pytest.FixtureRequest, place: Place) -> Iterator[OnlineBench]:
    own = (
        "retriever=sparse", "generator=extractive", "pipeline.generator.scorer=lexical", "k=2", "recall_k=6",
        "pool_depth=12", "chunk_size=200", f"flow={request.param}", "pipeline.packer.budget=30",
    )  # fmt: skip
    with place.bench(pipeline_of(*own)) as opened:
        yield opened


def run(bench: OnlineBench, question: Question, stage: PutIn):
    gold = GoldChunks(bench.chunks)
    (trace,) = bench.pipeline.flow.run([question], GoldBench(bench, question, gold, stage))
    assert trace.error is None
    number = gold.of(question)[0]
    return trace, number


@pytest.mark.parametrize("language", TEXTS)
def test_each_stage_holds_the_evidence_from_there_on(bench: OnlineBench, language: str) -> None:
    question = asked(TEXTS[language])
    plain, number = run(bench, question, PutIn.NOTHING)
    assert number not in [hit.chunk for hit in plain.reranked[:2]]
    (same,) = bench.pipeline.flow.run([question], bench)
    assert (same.reranked, same.context, same.answer) == (plain.reranked, plain.context, plain.answer)
    found, _ = run(bench, question, PutIn.RETRIEVAL)
    assert found.fused[0].chunk == found.reranked[0].chunk == number
    ranked, _ = run(bench, question, PutIn.RERANK)
    recalled = number in [hit.chunk for hit in plain.fused[:6]]
    assert (ranked.reranked[0].chunk == number) == recalled, "a perfect reranker finds only what was recalled"
    beside, _ = run(bench, question, PutIn.PACKING)
    assert plain.context is not None and beside.context is not None
    packed = {chunk for block in beside.context.blocks for chunk in block.chunks}
    assert packed == {number} | {chunk for block in plain.context.blocks for chunk in block.chunks}
    alone, _ = run(bench, question, PutIn.CONTEXT)
    assert alone.context is not None and [block.chunks for block in alone.context.blocks] == [(number,)]
    assert alone.fused == plain.fused


def test_the_questions_own_words_are_searched(bench: OnlineBench) -> None:
    trace, _ = run(bench, asked("那里呢？", standalone="第11层的电话是多少？"), PutIn.QUERY)
    assert trace.steps[0].requests[0].text == "第11层的电话是多少？" == trace.query.text


def test_without_evidence_nothing_is_put_in(bench: OnlineBench) -> None:
    question = Question("q", TEXTS["zh"], answerable=False)
    (plain,) = bench.pipeline.flow.run([question], bench)
    for stage in (PutIn.RETRIEVAL, PutIn.RERANK, PutIn.PACKING, PutIn.CONTEXT):
        (trace,) = bench.pipeline.flow.run([question], GoldBench(bench, question, GoldChunks(bench.chunks), stage))
        assert (trace.reranked, trace.context, trace.answer) == (plain.reranked, plain.context, plain.answer)
