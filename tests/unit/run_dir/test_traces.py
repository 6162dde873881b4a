"""Traces survive their line of traces.jsonl."""

from hypothesis import given
from hypothesis import strategies as st

from ragbench.core.codec import dumps, loads
from ragbench.core.recent import Memory
from ragbench.records.search import Ranked, RouteList, SearchRequest
from ragbench.records.trace import (
    Answer,
    Citation,
    ContextBlock,
    DroppedChunk,
    PackedContext,
    QueryView,
    Trace,
    TraceStep,
)
from ragbench.run_dir.traces import TraceLines, trace_from_row, trace_row

TEXTS = st.sampled_from(["", "年假几天？", "How long?", "Kubernetes 集群\n版本", "🦄 “x”"])
SCORES = st.floats(-1e6, 1e6, allow_nan=False)
MS = st.integers(0, 10**8).map(lambda n: n / 10_000)


@st.composite
def rankings(draw, reranked):
    n = draw(st.integers(0, 6))
    former = draw(st.permutations(range(1, n + 1))) if reranked else [None] * n
    return tuple(Ranked(draw(st.integers(0, 999)), draw(SCORES), rank, former[rank - 1]) for rank in range(1, n + 1))


@st.composite
def lists(draw):
    scores = draw(st.lists(SCORES, max_size=6))
    chunks = draw(st.lists(st.integers(0, 999), min_size=len(scores), max_size=len(scores)))
    return RouteList(
        draw(st.sampled_from(["dense", "sparse"])), draw(st.integers(0, 3)), tuple(chunks), tuple(scores),
        draw(st.sampled_from([0.5, 1.0])), draw(MS), draw(st.booleans()),
    )  # fmt: skip


REQUESTS = st.builds(
    SearchRequest,
    text=TEXTS,
    role=st.sampled_from(["query", "passage"]),
    routes=st.sampled_from([(), ("dense",), ("dense", "sparse")]),
    depth=st.none() | st.integers(1, 9),
    filter=st.none() | st.just({"year": {"$gte": 2023}, "地点": "苏州"}),
    tenant=st.none() | TEXTS,
    allowed_docs=st.sampled_from([None, (), ("假期.md", "b.md")]),
    languages=st.sampled_from([(), ("zh", "mixed")]),
)
STEPS = st.builds(
    TraceStep,
    requests=st.lists(REQUESTS, max_size=2).map(tuple),
    route_lists=st.lists(lists(), max_size=2).map(tuple),
    fused=rankings(False),
    reranked=rankings(True),
    deeper=st.sampled_from([(), (7, 3)]),
    more=st.booleans(),
)
CONTEXTS = st.builds(
    PackedContext,
    blocks=st.lists(
        st.builds(ContextBlock, st.just(1), TEXTS, st.just(0), st.just(9), st.just((3, 4)), TEXTS, st.just(5), st.none() | SCORES),
        max_size=2,
    ).map(tuple),
    tokens=st.integers(0, 99),
    budget=st.integers(0, 99),
    dropped=st.lists(st.builds(DroppedChunk, st.integers(0, 9), st.just("budget")), max_size=2).map(tuple),
)  # fmt: skip
ANSWERS = st.builds(
    Answer,
    text=TEXTS,
    refused=st.booleans(),
    reason=TEXTS,
    citations=st.sampled_from([(), (Citation(0, 3, None), Citation(3, 5, 1, "d.md", 7, 9))]),
    confidence=st.none() | st.floats(0, 1),
)
TRACES = st.builds(
    Trace,
    question_id=TEXTS,
    query=st.builds(QueryView, st.none() | st.just("simple_lookup"), TEXTS, st.none() | st.floats(0, 1)),
    steps=st.lists(STEPS, max_size=2).map(tuple),
    context=st.none() | CONTEXTS,
    answer=st.none() | ANSWERS,
    timings_ms=st.dictionaries(st.sampled_from(["embed", "dense", "fuse"]), MS),
    usage=st.dictionaries(st.just("tokens"), st.integers(0, 99)),
    error=st.none() | TEXTS,
)


@given(TRACES)
def test_a_trace_survives_its_line(trace):
    line = dumps(trace_row(trace))
    for memory in (Memory(), Memory(keep=False)):
        lines = TraceLines(memory)
        assert [lines.line(trace), lines.line(trace)] == [line + b"\n"] * 2
    assert b"\n" not in line
    again = trace_from_row(loads(line))
    assert again == trace
    assert dumps(trace_row(again)) == line


def test_no_reranker_is_written_once_and_read_as_the_same_list():
    fused = (Ranked(3, 0.5, 1), Ranked(1, 0.25, 2))
    row = trace_row(Trace("q", steps=(TraceStep(fused=fused, reranked=fused),)))
    assert row["steps"][0]["reranked"] is None
    assert "former" not in row["steps"][0]["fused"]
    step = trace_from_row(loads(dumps(row))).steps[0]
    assert step.reranked is step.fused
    assert step.fused == fused


def test_a_ranking_that_was_never_reached_stays_empty():
    step = TraceStep(fused=(Ranked(3, 0.5, 1),), reranked=())
    again = trace_from_row(loads(dumps(trace_row(Trace("q", steps=(step,), error="boom")))))
    assert again.fused == step.fused
    assert again.reranked == ()


def test_a_line_written_before_lists_were_continued_is_read() -> None:
    row = loads(dumps(trace_row(Trace("q", steps=(TraceStep(),)))))
    del row["steps"][0]["deeper"], row["steps"][0]["more"]
    assert trace_from_row(row).steps == (TraceStep(),)


def test_times_are_rounded_to_a_tenth_of_a_microsecond():
    row = trace_row(Trace("q", timings_ms={"embed": 1.23456789}))
    assert row["timings_ms"] == {"embed": 1.2346}


def test_half_a_surrogate_pair_ends_no_run():
    step = TraceStep((SearchRequest("bad \ud83d rule", tenant=None),), (), (), ())
    trace = Trace("q", QueryView(text="坏\ud83d的", fallback="why \udc00"), (step,), None, None, {}, {}, "boom \ud800")
    row = loads(TraceLines(Memory()).line(trace))
    assert (row["query"]["text"], row["query"]["fallback"], row["error"]) == ("坏\ufffd的", "why \ufffd", "boom \ufffd")
    assert row["steps"][0]["requests"][0]["text"] == "bad \ufffd rule"
