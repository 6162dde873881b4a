"""Flows over the whole online half: several steps in everything that reads a trace, and models asked side by side."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragbench.core.codec import dumps, loads
from ragbench.core.store import Store
from ragbench.evaluate.diagnose import DiagnosisRules
from ragbench.evaluate.scorer import RunScorer
from ragbench.evaluate.stage_effect import Compared
from ragbench.evaluate.summary import How
from ragbench.llm.calls import ModelCalls
from ragbench.llm.settings import CallSettings
from ragbench.measure.corpus import ChunkedCorpus
from ragbench.pipeline.deepening import Deepening
from ragbench.pipeline.offline import build
from ragbench.pipeline.online import OnlineBench, open_bench
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question
from ragbench.records.trace import Trace
from ragbench.run_dir.traces import trace_from_row, trace_row
from tests.loopback import serving

from .words import Place, Words, corpus_of, pipeline_of

DOCUMENTS = {
    "zh/team.md": "结算组的负责人是王海宁。", "zh/wang.md": "王海宁的上级是赵文清。", "zh/zhao.md": "赵文清的部门是资金部。",
    "en/team.md": "The head of the Kestrel team is Ada Brook.", "en/ada.md": "The superior of Ada Brook is Finn Hale.",
    "mixed/team.md": "billing squad 的 owner 是 Amy 小陈。", "mixed/amy.md": "Amy 小陈 的上级是 Bob 老周。",
    **{f"{n}.md": f"无关的文件 {n}，与 {n} 楼有关。 An unrelated file about floor {n}." for n in range(30)},
}  # fmt: skip
CHAINS = {
    "zh": ("结算组的负责人的上级是谁？", ("zh/team.md", "zh/wang.md")),
    "en": ("Who is the superior of the head of the Kestrel team?", ("en/team.md", "en/ada.md")),
    "mixed": ("billing squad 的 owner 的上级是谁？", ("mixed/team.md", "mixed/amy.md")),
}
OVERRIDES = (
    "generator=extractive",
    "pipeline.generator.scorer=lexical",
    "pipeline.generator.refuse_below=0",
    "k=2",
    "recall_k=8",
    "pool_depth=20",
    "reranker=none",
)
FLOWS = ("one_shot", "adaptive_k", "adaptive", "sequential")


def asked() -> list[Question]:
    found = []
    for language, (text, docs) in CHAINS.items():
        groups = tuple(EvidenceGroup(doc, (EvidenceItem(doc, whole=True),)) for doc in docs)
        found.append(Question(f"q-{language}", text, "multi_hop", language=language, groups=groups, reference="x"))
    found.append(Question("q-vague", "那个怎么弄", "vague", language="zh", answerable=False))
    found.append(Question("q-pair", "结算组和资金部哪个楼层高", "comparison", language="zh", answerable=False))
    return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder: Path = tmp_path_factory.mktemp("flows")
    store = Store(folder / "store")
    return Place(corpus_of(folder / "corpus", DOCUMENTS, store), store)


def bench_of(place: Place, *overrides: str, models: ModelCalls | None = None) -> Any:
    from ragbench.embedder.cached import CachedEmbedder

    pipeline = pipeline_of(*OVERRIDES, *overrides)
    words = CachedEmbedder(Words(), place.store)  # type: ignore[arg-type]
    built = build(pipeline, place.corpus, place.store, lambda: words)
    return open_bench(pipeline, built, place.store, lambda: words, None, models)


def traces(bench: OnlineBench) -> list[Trace]:
    return list(bench.pipeline.flow.run(asked(), bench))


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("reranker", ["none", "mmr"])
def test_everything_that_reads_a_trace_is_right_with_several_steps(place: Place, flow: str, reranker: str) -> None:
    with bench_of(place, f"flow={flow}", f"reranker={reranker}") as bench:
        found = traces(bench)
        deepening = Deepening(bench, bench.chunk_tokens, 4000, bench.pipeline.flow.cuts.pool_depth)
        deeper = [deepening.of(trace) for trace in found]
        corpus = ChunkedCorpus(place.corpus.by_id(), bench.built.chunks, bench.chunk_tokens)
        pipeline, n_chunks = bench.pipeline, len(bench.built.chunks)
    assert [trace.error for trace in found] == [None] * 5
    for trace in found:
        numbers = [hit.chunk for hit in trace.fused]
        assert len(numbers) == len(set(numbers))
        assert set(numbers) == {number for one in trace.steps[-1].route_lists for number in one.chunks}
        assert {one.request for one in trace.steps[-1].route_lists} == set(range(len(trace.steps[-1].requests)))
        assert sorted(numbers) == sorted(hit.chunk for hit in trace.reranked)
        assert trace.usage["hops"] == len(trace.rounds)
        row = dumps(trace_row(trace))
        again = trace_from_row(loads(row))
        assert dumps(trace_row(again)) == row and (again.usage, again.k, again.recall_k) == (
            trace.usage,
            trace.k,
            trace.recall_k,
        )
        assert [step.requests for step in again.rounds] == [step.requests for step in trace.rounds]
    for trace, longer in zip(found, deeper, strict=True):
        everything = [*(hit.chunk for hit in trace.fused), *longer.steps[-1].deeper]
        assert len(everything) == len(set(everything)) == n_chunks, "continued to the end of the corpus"
        assert longer.steps[:-1] == trace.steps[:-1]
    cuts = pipeline.flow.cuts
    how = How(
        measures=None, judged=(), seed=0, rules=DiagnosisRules(recall_k=cuts.recall_k, k=cuts.k),
        compared=Compared(reranks=reranker != "none", routes=pipeline.routes, rrf_k=60.0),
    )  # fmt: skip
    scorer = RunScorer(asked(), corpus, how)
    for trace in deeper:
        scorer.add(trace)
    told = scorer.finish()
    assert len(told.diagnoses) == 5 and told.stages is not None
    outcome = {one.question_id: one.loss.value for one in told.diagnoses}
    assert outcome["q-vague"] == ("ok" if flow == "adaptive" else "false_answer")


@pytest.mark.parametrize("reranker", ["none", "mmr"])
@pytest.mark.parametrize("flow", ["oracle", "noisy", "closed_book"])
def test_references_are_stored_and_scored_like_any_other_flow(place: Place, flow: str, reranker: str) -> None:
    with bench_of(place, f"flow={flow}", f"reranker={reranker}") as bench:
        found = traces(bench)
        deepening = Deepening(bench, bench.chunk_tokens, 4000, bench.pipeline.flow.cuts.pool_depth)
        deeper = [deepening.of(trace) for trace in found]
        documents = [[bench.built.chunks[hit.chunk].doc_id for hit in trace.fused] for trace in found]
        corpus = ChunkedCorpus(place.corpus.by_id(), bench.built.chunks, bench.chunk_tokens)
    assert [trace.error for trace in found] == [None] * 5
    for trace in deeper:
        row = dumps(trace_row(trace))
        again = trace_from_row(loads(row))
        assert dumps(trace_row(again)) == row
        assert [(again.fused, again.reranked, again.context)] == [(trace.fused, trace.reranked, trace.context)]
    if flow == "oracle":
        assert documents == [*map(list, (docs for _, docs in CHAINS.values())), [], []]
    if flow == "closed_book":
        assert all(trace.answer is not None and trace.answer.refused for trace in found), "it can only quote"
    how = How(measures=None, judged=(), seed=0, rules=DiagnosisRules(recall_k=8, k=2))
    scorer = RunScorer(asked(), corpus, how)
    for trace in deeper:
        scorer.add(trace)
    assert len(scorer.finish().diagnoses) == 5


@pytest.mark.parametrize("language", CHAINS)
def test_a_chain_finds_what_one_round_does_not(place: Place, language: str) -> None:
    number = list(CHAINS).index(language)
    with bench_of(place, "flow=sequential") as bench:
        trace = traces(bench)[number]
        documents = [bench.built.chunks[hit.chunk].doc_id for hit in trace.fused[:6]]
        assert set(CHAINS[language][1]) <= set(documents)
        assert len(trace.rounds) == 3 and trace.rounds[1].answer is not None and not trace.rounds[1].note


def test_times_of_all_rounds_are_those_of_their_lists(place: Place) -> None:
    with bench_of(place, "flow=sequential") as bench:
        trace = traces(bench)[0]
    for route in ("dense", "sparse"):
        lists = [one for step in trace.rounds for one in step.route_lists if one.route == route]
        embedding = trace.timings_ms.get("embed", 0.0) if route == "dense" else 0.0
        assert trace.timings_ms[route] + embedding == pytest.approx(sum(one.ms for one in lists))


def answer(body: dict[str, Any]) -> Any:
    """A chat server that needs 0.2 s, and takes questions apart as it is told to."""
    time.sleep(0.2)
    text = body["messages"][-1]["content"]
    if "Kestrel" in text:
        said = {"queries": ["Who is the head of the Kestrel team?", "Who is the superior of #1?"]}
    elif "billing" in text:
        said = {"queries": ["who owns it", "#7"]}
    else:
        said = {"queries": []}
    content = json.dumps(said)
    usage = {"prompt_tokens": 20, "completion_tokens": 5}
    return {
        "choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
        "usage": usage,
    }


@pytest.fixture
def served() -> Iterator[str]:
    with serving(answer) as server:
        yield server.url


def test_models_are_asked_ahead_and_nothing_else_changes(place: Place, served: str, tmp_path: Path) -> None:
    """Eight questions at 0.2 s a call: serial, then with six at a time, each from an empty store of replies."""
    told: dict[int, tuple[list[Any], float]] = {}
    for concurrency in (1, 6):
        store = Store(tmp_path / str(concurrency))
        questions = [
            replace(one, id=f"{one.id}-{n}", question=one.question + " " * n) for n in range(2) for one in asked()
        ]
        model = ("llm=chat", f"llm.base_url={served}", "llm.model=m", "llm.api_key_env=''")
        with (
            ModelCalls(store, CallSettings(concurrency=concurrency)) as models,
            bench_of(place, "flow=sequential", *model, models=models) as bench,
        ):
            assert bench.ahead == concurrency
            started = time.perf_counter()
            rows = [trace_row(trace) for trace in bench.pipeline.flow.run(questions, bench)]
            seconds = time.perf_counter() - started
        for row in rows:
            spent = row["query"].usage
            row["query"] = replace(row["query"], usage={k: v for k, v in spent.items() if k != "ms"})
            row["timings_ms"] = sorted(row["timings_ms"])
        told[concurrency] = [dumps(strip(loads(dumps(row)))) for row in rows], seconds
    assert told[1][0] == told[6][0], "order, rankings, answers and counts, bit for bit"
    assert told[1][1] > 10 * 0.2 and told[6][1] < 0.75 * told[1][1], "the calls overlap"
    usage = [loads(row)["usage"] for row in told[6][0]]
    assert [one["calls"] for one in usage] == [1] * 10 and usage[1]["prompt_tokens"] == 20
    assert [one.get("fallbacks", 0) for one in usage][:5] == [0, 0, 1, 0, 0]
    assert [one["hops"] for one in usage][:5] == [1, 3, 3, 1, 1]


def strip(value: Any) -> Any:
    """Without what says how long something took or whether it was in the store."""
    if isinstance(value, dict):
        return {key: strip(one) for key, one in value.items() if key not in ("ms", "cached")}
    return [strip(one) for one in value] if isinstance(value, list) else value


def test_without_a_model_nothing_is_planned_ahead(place: Place, tmp_path: Path) -> None:
    models = ModelCalls(Store(tmp_path), CallSettings(concurrency=6))
    with models, bench_of(place, "flow=sequential", models=models) as bench:
        assert bench.ahead == 1
