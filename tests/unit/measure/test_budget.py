"""Recall at a context budget over lists that were continued beyond the pool."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragbench.measure.registry import measure
from ragbench.measure.retrieval.budget import filling
from ragbench.records.score import Status
from ragbench.testing.cases import corpus, group, one_case, question, trace, windows

TEXTS = {"zh": "年假为十五天可以结转" * 10, "en": "leave days" * 10, "mixed": "年假 leave 5" * 10}


def case(text: str, deeper=(), more=False, reranked=None):
    """Ten chunks of ten tokens; three ranked, the evidence in chunk 7."""
    chunked = corpus({"d": text}, windows("d", text, 10))
    made = trace(fused=[0, 1, 2], reranked=reranked)
    made = replace(made, steps=(replace(made.steps[0], deeper=tuple(deeper), more=more),))
    return one_case(question(groups=[group(("d", 70, 80))]), chunked, made)


def find(layer: str, budget: int, given):
    return measure(f"{layer}/recall_budget@{budget}").find(given)


@pytest.mark.parametrize("layer", ["retrieval", "ranking"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_budget_is_filled_from_beyond_the_pool(text: str, layer: str) -> None:
    given = case(text[:100], deeper=[5, 7, 9], more=True, reranked=[2, 1, 0])
    assert [find(layer, budget, given).value for budget in (30, 40, 49, 50, 60)] == [0.0, 0.0, 0.0, 1.0, 1.0]


def test_without_more_to_be_found_a_short_list_is_what_there_is() -> None:
    assert find("retrieval", 1000, case(TEXTS["en"])).value == 0.0
    assert find("retrieval", 1000, case(TEXTS["en"], deeper=[7])).value == 1.0


def test_a_list_that_was_not_continued_far_enough_has_no_value() -> None:
    given = case(TEXTS["en"], deeper=[5, 7], more=True)
    assert find("retrieval", 50, given).value == 1.0
    short = find("retrieval", 51, given)
    assert short.status is Status.FAILED
    assert "holds less than 51 tokens" in short.evidence


def test_nothing_is_put_behind_a_list_from_which_a_reranker_left_chunks_out() -> None:
    given = case(TEXTS["en"], deeper=[5, 7], more=True, reranked=[2])
    assert find("ranking", 50, given).value == 0.0
    assert find("retrieval", 50, given).value == 1.0


def test_only_budgets_look_beyond_the_pool() -> None:
    given = case(TEXTS["en"], deeper=[7], more=True)
    for name in ("recall@20", "mrr", "map", "ndcg@10", "hit@20"):
        finding = measure(f"retrieval/{name.replace('hit@20', 'hit@5')}").find(given)
        assert finding.value == 0.0


@pytest.mark.parametrize(
    ("ranked", "deeper", "budget", "count"),
    [
        ([], [], 1, None),
        ([0], [], 10, 0),
        ([0], [], 11, None),
        ([0, 1, 2], [3, 4], 1, 0),
        ([0, 1], [3, 4], 20, 0),
        ([0, 1], [3, 4], 21, 1),
        ([0, 1], [3, 4], 40, 2),
        ([0, 1], [3, 4], 41, None),
        ([], [3, 4], 10, 1),
    ],
)
def test_filling(ranked: list[int], deeper: list[int], budget: int, count: int | None) -> None:
    assert filling(ranked, deeper, [10] * 9, budget) == count
