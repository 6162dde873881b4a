"""One layer replaced by the gold: which chunks come first, which stand alone, and what stays as found."""

import pytest

from ragbench.errors import ConfigError
from ragbench.flow.gold import GoldChunks, ranking_of
from ragbench.flow.oracle import OracleFlow
from ragbench.records.document import Chunk
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question
from tests.unit.flow.test_one_shot import N_CHUNKS, TEXTS, SmallBench

SIZE = 10
CHUNKS = tuple(
    Chunk(f"c{n}", n, f"{'ab'[n % 2]}.md", n // 2 * SIZE, (n // 2 + 1) * SIZE, "ten chars!", "")
    for n in range(N_CHUNKS)
)
"""Fifty chunks of ten characters, by turns of two documents."""


class GoldBench(SmallBench):
    chunks = CHUNKS


def asked(text, *items):
    groups = tuple(EvidenceGroup(f"g{n}", (EvidenceItem(*item),)) for n, item in enumerate(items))
    return Question("q", text, groups=groups, answerable=bool(items))


def run(layer, question):
    bench = GoldBench()
    [trace] = OracleFlow(k=3, recall_k=8, pool_depth=20, layer=layer).run([question], bench)
    assert trace.error is None
    return trace, next(seen for name, seen in bench.asked if name == "pack")


@pytest.mark.parametrize("language", TEXTS)
def test_each_layer_puts_the_gold_where_that_layer_could(language):
    question = asked(TEXTS[language], ("a.md", 12, 18), ("b.md", 200, 210))  # chunk 2, which is found; chunk 41, not
    trace, packed = run("ranking", question)
    assert packed == (2, 7, 6), "of the eight found the one that holds evidence comes first"
    assert [hit.chunk for hit in trace.fused] == list(range(20)), "what was found stays"
    trace, packed = run("retrieval", question)
    assert packed == (41, 2, 7), "also what was not found; the one that holds more of the evidence first"
    assert [hit.rank for hit in trace.fused] == list(range(1, 22))
    _, packed = run("context", question)
    assert packed == (41, 2), "nothing that distracts"


def test_scores_fall_with_the_rank():
    found = ranking_of([5, 3], ranking_of([3, 9]))
    assert [(hit.chunk, hit.rank, hit.score) for hit in found] == [(5, 1, 3.0), (3, 2, 2.0), (9, 3, 1.0)]


def test_without_evidence_the_ranking_stays_and_the_context_is_empty():
    for layer in ("ranking", "retrieval"):
        assert run(layer, asked("how?"))[1] == (7, 6, 5)
    assert run("context", asked("how?"))[1] == ()


def test_evidence_cut_in_two_needs_both_chunks_and_overlapping_chunks_are_not_taken_twice():
    gold = GoldChunks(CHUNKS)
    assert gold.of(asked("x", ("a.md", 5, 18))) == [2, 0], "eight characters before five"
    twice = GoldChunks((*CHUNKS, Chunk("wide", N_CHUNKS, "a.md", 0, 40, "x" * 40, "")))
    assert twice.of(asked("x", ("a.md", 5, 18))) == [N_CHUNKS]
    assert twice.touching(asked("x", ("a.md", 5, 18))) == [0, 2, N_CHUNKS]


def test_of_alternatives_the_one_held_best_and_of_whole_documents_every_chunk():
    either = Question("q", "x", groups=(EvidenceGroup("g", (EvidenceItem("a.md", 0, 4), EvidenceItem("b.md", 0, 9))),))
    assert GoldChunks(CHUNKS).of(either) == [1]
    whole = Question("q", "x", groups=(EvidenceGroup("g", (EvidenceItem("b.md", whole=True),)),))
    assert GoldChunks(CHUNKS[:6]).of(whole) == [1, 3, 5]
    both = (EvidenceGroup("g", (EvidenceItem("a.md", 0, 4),)), EvidenceGroup("h", (EvidenceItem("b.md", whole=True),)))
    assert GoldChunks(CHUNKS[:6]).of(Question("q", "x", groups=both)) == [0, 1], "one chunk satisfies a whole document"
    assert GoldChunks(CHUNKS).of(asked("x", ("gone.md", 0, 4))) == []


def test_it_says_that_it_is_an_oracle_and_knows_its_layers():
    assert OracleFlow(k=3, recall_k=8, pool_depth=20, layer="context").reads_gold
    with pytest.raises(ConfigError, match=r"pipeline\.flow\.layer: expected ranking or retrieval or context"):
        OracleFlow(k=3, recall_k=8, pool_depth=20, layer="query")
