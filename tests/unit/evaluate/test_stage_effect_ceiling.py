"""The ceiling against every order there is, and what must hold for any run at all."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.evaluate.diagnose import DiagnosisRules
from ragbench.evaluate.stage_effect import Compared, StageEffects
from ragbench.evaluate.stage_effect_ceiling import ideal_ranks
from ragbench.evaluate.stage_effect_ranks import chunk_ranks, values
from ragbench.measure.case import make_cases
from ragbench.testing.cases import corpus, group, one_case, question, routes, trace, windows

TEXTS = {"年假.md": "入职满一年享有十天年假，满五年十五天。" * 4, "guide.md": "Backups start at 02:00 on Sunday. " * 3}
CHUNKED = corpus(TEXTS, [span for name, text in TEXTS.items() for span in windows(name, text, 8)])
N = len(CHUNKED.chunks)
NAMES = ("mrr", "map", "ndcg@10", "recall@2", "hit@1")


def spans(draw, doc):
    start = draw(st.integers(0, len(TEXTS[doc]) - 2))
    return doc, start, draw(st.integers(start + 1, min(len(TEXTS[doc]), start + 20)))


@st.composite
def gold(draw):
    """Evidence of one to four groups: short, split over chunks, shared, or whole documents."""
    items = st.one_of(st.just("年假.md"), st.just("guide.md"), st.builds(lambda: None))
    groups = []
    for _ in range(draw(st.integers(1, 4))):
        item = draw(items) if draw(st.booleans()) else None
        groups.append(group(item or spans(draw, draw(st.sampled_from(sorted(TEXTS))))))
    return question("q", groups)


def ceiling(case, recall_k):
    return values(ideal_ranks(case, chunk_ranks(case), recall_k), NAMES)


@settings(max_examples=60, deadline=None)
@given(gold(), st.permutations(range(N)), st.integers(1, 4), st.integers(4, N))
def test_no_order_of_the_head_is_better_than_the_ceiling(asked, order, recall_k, depth):
    pool = order[:depth]
    case = one_case(asked, CHUNKED, trace("q", pool))
    top = ceiling(case, recall_k)
    reached = [
        values(one_case(asked, CHUNKED, trace("q", pool, [*head, *pool[recall_k:]])).reranked.ranks, NAMES)
        for head in permutations(pool[:recall_k])
    ]
    best = np.max(reached, axis=0)
    assert (np.array(top) >= best - 1e-12).all()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, N - 1), min_size=1, max_size=4, unique=True), st.permutations(range(N)), st.integers(1, 5)
)
def test_with_a_chunk_a_group_the_ceiling_is_reached_by_some_order(chosen, order, recall_k):
    marked = [CHUNKED.chunks[number] for number in chosen]
    asked = question("q", [group((one.doc_id, one.start, one.end)) for one in marked])
    case = one_case(asked, CHUNKED, trace("q", order))
    head = sorted(order[:recall_k], key=lambda number: number not in chosen)
    ideal = one_case(asked, CHUNKED, trace("q", order, [*head, *order[recall_k:]]))
    assert ceiling(case, recall_k) == pytest.approx(values(ideal.reranked.ranks, NAMES))


def test_two_groups_in_one_chunk_count_as_two_ranks_at_best_and_split_evidence_needs_its_pieces():
    shared = question("q", [group(("年假.md", 0, 3)), group(("年假.md", 4, 7))])
    case = one_case(shared, CHUNKED, trace("q", [9, 8, 0]))
    assert ideal_ranks(case, chunk_ranks(case), 3) == (1, 1)
    split = question("q", [group(("年假.md", 0, 24))])
    case = one_case(split, CHUNKED, trace("q", [9, 0, 8, 1]))
    assert ideal_ranks(case, chunk_ranks(case), 4) == (2,), "half of it takes two chunks"
    assert ideal_ranks(case, chunk_ranks(case), 3) == (4,), "the second lies behind the head and stays there"


def test_what_was_reached_is_never_above_the_ceiling_also_where_chunks_were_dropped():
    case = one_case(question("q", [group(("年假.md", 0, 8))]), CHUNKED, trace("q", [9, 8, 0], [0]))
    assert ideal_ranks(case, chunk_ranks(case), 2) == (1,)


def test_many_relevant_documents_cannot_all_stand_first():
    texts = {f"d{at}": "正文 text" for at in range(6)}
    many = corpus(texts, [(name, 0, len(text)) for name, text in texts.items()])
    case = one_case(question("q", [group(name) for name in texts]), many, trace("q", range(6)))
    assert ideal_ranks(case, chunk_ranks(case), 6) == (1, 2, 3, 4, 5, 6)


@st.composite
def runs(draw):
    asked, made = [], []
    for at in range(draw(st.integers(1, 12))):
        one = question(f"q{at}", draw(gold()).groups if draw(st.integers(0, 5)) else [], category="abc"[at % 3])
        asked.append(one)
        order = draw(st.permutations(range(N)))[: draw(st.integers(0, N))]
        head = draw(st.permutations(order[:5]))
        kept = [number for number in head if draw(st.integers(0, 9))]
        after = [*kept, *order[5:]] if len(kept) == len(head) else kept
        error = None if draw(st.integers(0, 8)) else "refused"
        found = routes(dense=draw(st.permutations(order)), sparse=order[::2])
        if draw(st.integers(0, 8)):
            made.append(trace(one.id, order, after, route_lists=found, error=error))
    return asked, made


@settings(max_examples=40, deadline=None)
@given(runs())
def test_what_must_hold_for_any_run(run):
    asked, made = run
    effects = StageEffects(
        asked, DiagnosisRules(recall_k=5, k=2), Compared(reranks=True, routes=("dense", "sparse"), rrf_k=60)
    )
    for row, case in enumerate(make_cases(asked, made, CHUNKED)):
        effects.add(row, case)
    stages = effects.tell(0, None)
    found = stages["rerank"]
    n, pairs = found["n"], effects.rerank
    assert n + sum(found["excluded"].values()) == len(asked)
    compared = pairs.compared
    assert len(found["rescued"]) - len(found["lost"]) == int(pairs.turned.sum())
    assert not set(found["rescued"]) & set(found["lost"])
    before, after, top = pairs.before[compared], pairs.after[compared], pairs.ceiling[compared]
    assert (top >= after - 1e-12).all() and (top >= 0).all() and (top <= 1 + 1e-12).all()
    assert (top >= before - 1e-12).all()
    if n:
        regret = found["regret"]
        parts = regret["found"] + regret["behind_k"] + regret["behind_recall_k"]
        assert regret["pool"] == pytest.approx(parts, abs=4e-12), "four means of twelve decimals"
        assert regret["found"] == pytest.approx(found["measures"]["recall@2"]["after"], abs=4e-12)
        groups = effects.cuts[compared]
        assert (groups[:, 1] - groups[:, 2] - groups[:, 3] == np.rint(after[:, 3] * groups[:, 0])).all()
    by = found["by_category"].values()
    assert sum(row["n"] for row in by) == n
    assert sum(row["rescued"] for row in by) == len(found["rescued"])
    for table in (*stages["fusion"]["routes"].values(), found):
        for cell in table["measures"].values():
            assert cell["better"] + cell["equal"] + cell["worse"] == table["n"]
            assert cell["low"] is None or cell["low"] <= cell["gain"] <= cell["high"]
