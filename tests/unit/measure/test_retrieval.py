"""Set-level measures of a ranking, through cases."""

import pytest

from ragbench.measure.registry import measure
from ragbench.records.score import Status
from ragbench.testing.cases import corpus, group, one_case, question, routes, trace, windows

SENTENCES = {
    "zh": "年假为十五天，可以结转到次年三月底。",
    "en": "Paid leave is 15 days and carries over. ",
    "mixed": "年假 annual leave 15 天 carries over。",
}


def value(name, case):
    finding = measure(name).find(case)
    assert finding.status is Status.SCORED, finding
    return finding.value


@pytest.mark.parametrize("language", SENTENCES)
def test_evidence_split_over_two_retrieved_chunks_is_recalled_in_full_and_shown_as_split(language):
    text = SENTENCES[language] * 10
    chunked = corpus({"d": text}, windows("d", text, 50))
    case = one_case(question(groups=[group(("d", 20, 80))]), chunked, trace(fused=[1, 0]))
    assert value("retrieval/recall@5", case) == 1.0
    assert value("retrieval/recall_full@5", case) == 1.0
    assert value("retrieval/recall_full@1", case) == 0.0
    assert value("chunks/evidence_intact", case) == 0.0
    assert value("chunks/evidence_reachable", case) == 1.0


def attrition(size):
    """Twenty questions, ten of them with evidence of 600 characters, retrieved perfectly within five chunks."""
    text = "".join(chr(0x4E00 + at % 500) for at in range(20_000))
    spans = windows("d", text, size)
    chunked = corpus({"d": text}, spans)
    values = []
    for number in range(20):
        length = 600 if number < 10 else 10
        start = 997 * number + 3
        case = one_case(
            question(groups=[group(("d", start, start + length))]),
            chunked,
            trace(fused=[at for at, (_, low, high) in enumerate(spans) if low < start + length and high > start][:5]),
        )
        values.append(value("retrieval/recall@5", case))
    return sum(values) / len(values), len(values)


def test_small_chunks_do_not_win_by_attrition():
    small, n_small = attrition(16)
    large, n_large = attrition(512)
    assert n_small == n_large == 20
    assert large > small
    assert small == 0.5


def test_unanswerable_questions_are_not_applicable_before_and_after_reranking():
    chunked = corpus({"d": "x" * 100}, windows("d", "x" * 100, 10))
    case = one_case(question(), chunked, trace(fused=[0, 1]))
    for name in ("retrieval/recall@5", "retrieval/mrr", "ranking/ndcg@10", "ranking/map", "retrieval/only_dense@5"):
        assert measure(name).find(case).status is Status.NOT_APPLICABLE


def test_a_question_absent_from_the_run_counts_0_and_a_failed_one_is_failed():
    chunked = corpus({"d": "x" * 100}, windows("d", "x" * 100, 10))
    asked = question(groups=[group(("d", 0, 5))])
    assert measure("retrieval/recall@5").find(one_case(asked, chunked, None))[:2] == (Status.SCORED, 0.0)
    broken = measure("retrieval/recall@5").find(one_case(asked, chunked, trace(error="TimeoutError: dense")))
    assert broken.status is Status.FAILED and "TimeoutError" in broken.evidence
    later = trace(fused=[0], error="generator down")
    assert measure("retrieval/recall@5").find(one_case(asked, chunked, later)).value == 1.0


def test_a_duplicate_in_the_ranking_never_lifts_a_value_above_one():
    chunked = corpus({"d": "x" * 100}, windows("d", "x" * 100, 10))
    case = one_case(question(groups=[group(("d", 0, 10))]), chunked, trace(fused=[0, 0, 0, 5]))
    assert case.fused.n_duplicates == 2
    assert value("retrieval/precision@5", case) == pytest.approx(0.2)
    for name in ("recall@5", "ndcg@10", "map", "mrr"):
        assert value(f"retrieval/{name}", case) == 1.0


def test_a_ranking_with_a_number_that_is_no_chunk_is_failed_not_wrong():
    chunked = corpus({"d": "x" * 100}, windows("d", "x" * 100, 10))
    for number in (-1, 10):
        case = one_case(question(groups=[group(("d", 0, 10))]), chunked, trace(fused=[number]))
        finding = measure("retrieval/recall@5").find(case)
        assert finding.status is Status.FAILED and "chunk numbers from 0 to 9" in finding.evidence


def test_ranks_count_documents_where_the_evidence_is_whole_documents():
    texts = {"a": "x" * 50, "b": "y" * 50, "c": "z" * 50}
    chunked = corpus(texts, [span for doc, text in texts.items() for span in windows(doc, text, 10)])
    case = one_case(question(groups=[group("b"), group("c")]), chunked, trace(fused=[0, 1, 2, 7, 5, 12]))
    assert case.fused.ranks == (2, 3)
    assert value("retrieval/mrr", case) == 0.5
    assert value("retrieval/precision@5", case) == pytest.approx(0.4)
    assert measure("chunks/evidence_intact").find(case).status is Status.NOT_APPLICABLE
    assert measure("chunks/token_iou@5").find(case).status is Status.NOT_APPLICABLE


def test_recall_at_a_budget_adds_whole_chunks_and_skips_what_does_not_fit():
    text = "x" * 5000
    chunked = corpus({"d": text}, [("d", 0, 600), ("d", 600, 1200), ("d", 1200, 1500)])
    case = one_case(
        question(groups=[group(("d", 1250, 1300)), group(("d", 700, 720))]), chunked, trace(fused=[0, 1, 2])
    )
    assert value("retrieval/recall_budget@1000", case) == 0.5
    assert value("retrieval/recall_budget@2000", case) == 1.0
    assert value("retrieval/recall_budget@100", case) == 0.0


def test_rankings_before_and_after_reranking_are_told_apart():
    text = "x" * 100
    chunked = corpus({"d": text}, windows("d", text, 10))
    case = one_case(question(groups=[group(("d", 0, 10))]), chunked, trace(fused=[3, 2, 0], reranked=[0, 3, 2]))
    assert value("retrieval/mrr", case) == pytest.approx(1 / 3)
    assert value("ranking/mrr", case) == 1.0


def test_route_shares_sum_to_one():
    text = "x" * 100
    chunked = corpus({"d": text}, windows("d", text, 10))
    groups = [group(("d", at * 10, at * 10 + 10)) for at in range(4)]
    lists = routes(dense=[0, 1], sparse=[1, 2])
    case = one_case(question(groups=groups), chunked, trace(fused=[0, 1, 2], route_lists=lists))
    shares = {name: value(f"retrieval/{name}@5", case) for name in ("only_dense", "only_sparse", "both", "neither")}
    assert shares == {"only_dense": 0.25, "only_sparse": 0.25, "both": 0.25, "neither": 0.25}
    assert value("retrieval/both@1", case) == 0.0
    assert value("retrieval/neither@1", case) == 0.5
    dense_only = one_case(question(groups=groups), chunked, trace(fused=[0], route_lists=routes(dense=[0])))
    assert measure("retrieval/both@5").find(dense_only).status is Status.NOT_APPLICABLE


def test_an_empty_ranking_of_a_sound_trace_scores_0():
    chunked = corpus({"d": "x" * 100}, windows("d", "x" * 100, 10))
    case = one_case(question(groups=[group(("d", 0, 5))]), chunked, trace())
    for name in ("recall@5", "mrr", "map", "ndcg@5", "precision@5", "hit@5", "recall_budget@1000"):
        assert value(f"retrieval/{name}", case) == 0.0


def test_token_overlap_makes_overlapping_chunks_pay():
    text = "x" * 100
    chunked = corpus({"d": text}, [("d", 0, 20), ("d", 10, 30)])
    case = one_case(question(groups=[group(("d", 0, 20))]), chunked, trace(fused=[0, 1]))
    assert value("chunks/token_recall@5", case) == 1.0
    assert value("chunks/token_precision@5", case) == pytest.approx(20 / 40)
    assert value("chunks/token_iou@5", case) == pytest.approx(20 / 40)
    assert value("chunks/token_iou@1", case) == 1.0
    wider = one_case(question(groups=[group(("d", 0, 30))]), chunked, trace(fused=[0, 1]))
    assert value("chunks/token_recall@1", wider) == pytest.approx(2 / 3)
    assert value("chunks/token_recall@2", wider) == 1.0
