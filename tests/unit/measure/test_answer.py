"""Answers: faithfulness and its impostors, agreement with the reference, refusals, citations."""

from dataclasses import replace

import pytest

from ragbench.measure.answer.text import f1, rouge_l, units, words
from ragbench.measure.registry import measure
from ragbench.records.score import ClaimState, ClaimVerdict, Status, Verdict
from ragbench.records.trace import Answer, Citation, PackedContext
from ragbench.testing.cases import claims, corpus, group, one_case, packed, question, trace, windows

S, C, N, E = ClaimState.SUPPORTED, ClaimState.CONTRADICTED, ClaimState.NOT_ENOUGH, ClaimState.ERROR
TEXT = "年假为十五天。Paid leave is 15 days. 报销上限 500 元。" * 3
CHUNKED = corpus({"d": TEXT}, windows("d", TEXT, 20))
REFUSAL = Answer("资料中没有答案。", refused=True, reason="no_contexts")


def case(answer, verdict=None, *, answerable=True, reference="十五天", context=(0, 1), **more):
    asked = question(groups=[group(("d", 0, 7))] if answerable else [], reference=reference)
    made = trace(fused=[0, 1], answer=answer, context=packed(CHUNKED, context), **more)
    return one_case(asked, CHUNKED, made, verdict)


def verdict(*states, **more):
    return Verdict("q", "offline-1", claims=claims(*states), **more)


def finding(name, *args, **more):
    return measure(f"answer/{name}").find(case(*args, **more))


@pytest.mark.parametrize(
    ("states", "expected"), [((S, N), 0.5), ((S, S), 1.0), ((N, N), 0.0), ((C,), 0.0), ((S, S, S, C), 0.75)]
)
def test_faithfulness_is_supported_claims_over_claims(states, expected):
    assert finding("faithfulness", Answer("答案。"), verdict(*states))[:2] == (Status.SCORED, expected)


@pytest.mark.parametrize(
    ("answer", "judged", "status"),
    [
        (Answer("答案。"), verdict(), Status.NOT_APPLICABLE),
        (REFUSAL, verdict(S), Status.NOT_APPLICABLE),
        (Answer("  "), verdict(S), Status.NOT_APPLICABLE),
        (Answer("答案。"), None, Status.FAILED),
        (Answer("答案。"), verdict(S, E), Status.FAILED),
        (Answer("答案。"), Verdict("q", "j", error="timed out"), Status.FAILED),
        (Answer("答案。"), Verdict("q", "j", claims=(ClaimVerdict("a", "probably"),)), Status.FAILED),
    ],
)
def test_what_is_no_verdict_is_never_a_number(answer, judged, status):
    found = finding("faithfulness", answer, judged)
    assert found.status is status and found.value is None and found.evidence


@pytest.mark.parametrize("context", [PackedContext(), None])
def test_support_in_an_empty_context_is_failed(context):
    made = trace(fused=[0], answer=Answer("答案。"), context=context)
    one = one_case(question(groups=[group(("d", 0, 7))]), CHUNKED, made, verdict(S))
    assert measure("answer/faithfulness").find(one).status is Status.FAILED


def test_completeness_and_context_recall_read_the_claims_of_the_reference():
    judged = verdict(S, reference_in_answer=claims(S, N), reference_in_context=claims(S, S))
    assert finding("completeness", Answer("答。"), judged).value == 0.5
    assert finding("context_recall", Answer("答。"), judged).value == 1.0
    assert finding("completeness", REFUSAL).value == 0.0
    assert finding("completeness", Answer("答。"), verdict(S)).status is Status.FAILED
    assert finding("context_recall", Answer("答。"), judged, context=()).value == 0.0
    assert finding("completeness", Answer("答。"), judged, reference="").status is Status.NOT_APPLICABLE


@pytest.mark.parametrize("name", ["completeness", "context_recall"])
@pytest.mark.parametrize(
    ("reference", "status"),
    [(bare, Status.NOT_APPLICABLE) for bare in ("Yes", "No.", "是。", "不是", "“没有”", "true")]
    + [(said, Status.FAILED) for said in ("Yes, on Monday.", "是的，周一。", "VPN 是")],
)
def test_a_bare_yes_or_no_states_nothing_to_look_for(name, reference, status):
    assert finding(name, Answer("答。"), verdict(S), reference=reference).status is status
    judged = verdict(S, reference_in_answer=claims(S), reference_in_context=claims(S))
    assert finding(name, Answer("答。"), judged, reference=reference).value == 1.0, "a judge that reads it is believed"


@pytest.mark.parametrize(
    ("relevancy", "status"),
    [(0.8, Status.SCORED), (None, Status.FAILED), (1.2, Status.FAILED), (float("nan"), Status.FAILED)],
)
def test_relevancy_comes_from_the_judge_or_is_failed(relevancy, status):
    assert finding("relevancy", Answer("答。"), verdict(S, relevancy=relevancy)).status is status


@pytest.mark.parametrize(
    ("name", "of"), [("relevancy", "relevancy"), ("completeness", "reference"), ("context_recall", "reference")]
)
@pytest.mark.parametrize("error", [None, "status 500"])
def test_what_a_judge_was_not_asked_is_missing_and_not_failed(name, of, error):
    found = finding(name, Answer("答。"), verdict(S, omitted=(of,), error=error))
    assert found.status is Status.NOT_APPLICABLE
    assert "was not asked" in found.evidence
    other = {"relevancy": "reference", "reference": "relevancy"}[of]
    assert finding(name, Answer("答。"), verdict(S, omitted=(other,), error=error)).status is Status.FAILED


def test_a_score_names_its_judge():
    one = case(Answer("答。"), verdict(S))
    assert measure("answer/faithfulness").compute(one).judge == "offline-1"
    assert measure("answer/correctness_f1").compute(one).judge == ""


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("年假十五天", "十五天", 2 * 3 / (5 + 3)),
        ("Paid leave is 15 days.", "15 days", 2 * 2 / (5 + 2)),
        ("年假 15 days", "15 days，年假", 1.0),
        ("ＡＢＣ １２３", "abc 123", 1.0),
        ("The answer", "an answer", 1.0),
        ("1,000 元", "1000元", 1.0),
        ("3.5", "35", 0.0),
        ("C++", "C", 0.0),
        ("AI-2024-03", "AI-2024-04", 0.0),
        ("甲", "乙", 0.0),
    ],
)
def test_correctness_counts_characters_of_chinese_and_words_of_the_rest(answer, reference, expected):
    assert finding("correctness_f1", Answer(answer), reference=reference).value == pytest.approx(expected)


def test_units_of_a_mixed_text():
    assert units("按 HR-2024-03 号文，the limit 是 1,500.50 元。") == (
        "按",
        "hr-2024-03",
        "号",
        "文",
        "limit",
        "是",
        "1500.50",
        "元",
    )
    assert units(" 。，!") == () and f1((), ()) == 1.0 and f1((), ("a",)) == 0.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("员工签订合同。解除须书面通知", ("员工", "签订合同", "解除", "须", "书面通知")),
        ("The paid leave is 1,500 hours.", ("paid", "leave", "is", "1500", "hours")),
        ("按 HR-2024-03 号 carry over 合同", ("按", "hr-2024-03", "号", "carry", "over", "合同")),
        (" 。！", ()),
    ],
    ids=["zh", "en", "mixed", "blank"],
)
def test_words_of_chinese_are_those_of_a_dictionary(text, expected):
    assert words(text) == expected
    assert "".join(expected) == "".join(units(text))


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("police killed the gunman", "police kill the gunman", 2 * 2 / (3 + 3)),
        ("the gunman kill police", "police kill the gunman", 2 * 1 / (3 + 3)),
        ("合同可以解除", "解除可以合同", 2 * 1 / (3 + 3)),
        ("合同 15 days", "15 days 合同", 2 * 2 / (3 + 3)),
        ("同样的话。", "同样的话", 1.0),
    ],
)
def test_rouge_l_keeps_the_order_of_words(answer, reference, expected):
    found = finding("correctness_rouge_l", Answer(answer), reference=reference)
    assert found.value == pytest.approx(expected)
    assert found.value == pytest.approx(by_table(words(answer), words(reference)))


def by_table(found, wanted):
    """ROUGE-L by the textbook's table."""
    rows = [[0] * (len(wanted) + 1) for _ in range(len(found) + 1)]
    for i, one in enumerate(found):
        for j, other in enumerate(wanted):
            rows[i + 1][j + 1] = rows[i][j] + 1 if one == other else max(rows[i][j + 1], rows[i + 1][j])
    longest = rows[-1][-1]
    precision, recall = longest / len(found), longest / len(wanted)
    return 2 * precision * recall / (precision + recall) if longest else 0.0


def test_rouge_l_of_nothing():
    assert rouge_l((), ()) == 1.0 and rouge_l((), ("a",)) == rouge_l(("a",), ()) == 0.0
    assert finding("correctness_rouge_l", REFUSAL).value == 0.0


def test_likeness_with_the_reference_needs_an_embedder():
    assert finding("correctness_semantic", Answer("十五天")).status is Status.NOT_APPLICABLE
    seen = []

    def likeness(text, other):
        seen.append((text, other))
        return 0.25

    chunked = replace(CHUNKED, likeness=likeness)
    asked = question(groups=[group(("d", 0, 7))], reference="十五天")
    for answer, expected in ((Answer("半个月"), 0.25), (REFUSAL, 0.0)):
        made = trace(fused=[0, 1], answer=answer, context=packed(CHUNKED, (0, 1)))
        found = measure("answer/correctness_semantic").find(one_case(asked, chunked, made, None))
        assert found[:2] == (Status.SCORED, expected)
    assert seen == [("半个月", "十五天")]


@pytest.mark.parametrize(
    ("states", "relevancy", "expected"),
    [((S, N), 0.5, 1.0), ((S, S), 0.9, 0.0), ((N,), 0.49, 0.0), ((S, S, S, S, N), 0.9, 0.0), ((S, S, S, C), 1.0, 1.0)],
)
def test_an_answer_on_topic_that_nothing_supports_is_the_dangerous_one(states, relevancy, expected):
    judged = verdict(*states, relevancy=relevancy)
    assert finding("relevant_unfaithful", Answer("答案。"), judged)[:2] == (Status.SCORED, expected)


def test_where_one_of_both_is_missing_there_is_no_corner():
    assert finding("relevant_unfaithful", REFUSAL, verdict(S)).status is Status.NOT_APPLICABLE
    assert finding("relevant_unfaithful", Answer("答。"), verdict(relevancy=0.5)).status is Status.NOT_APPLICABLE
    assert finding("relevant_unfaithful", Answer("答。"), verdict(S, E, relevancy=0.5)).status is Status.FAILED
    assert finding("relevant_unfaithful", Answer("答。"), verdict(S, relevancy=None)).status is Status.FAILED
    assert finding("relevant_unfaithful", Answer("答。"), None).status is Status.FAILED


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [("十五天。", "十五天", 1.0), ("15 Days", "15 days!", 1.0), ("天十五", "十五天", 0.0)],
)
def test_exact_match_keeps_the_order(answer, reference, expected):
    assert finding("exact_match", Answer(answer), reference=reference).value == expected


def test_a_refusal_never_wins_on_an_answerable_question():
    expected = {
        "correctness_f1": 0.0,
        "exact_match": 0.0,
        "refusal_accuracy": 0.0,
        "answered": 0.0,
        "false_refusal": 1.0,
        "citation_recall": 0.0,
    }
    for name, worst in expected.items():
        assert finding(name, REFUSAL).value == worst, name
    assert finding("correctness_f1", Answer(REFUSAL.text, refused=True), reference=REFUSAL.text).value == 0.0


def test_unanswerable_questions_should_be_refused():
    assert finding("false_answer", Answer("十五天"), answerable=False).value == 1.0
    assert finding("false_answer", REFUSAL, answerable=False).value == 0.0
    assert finding("false_answer", Answer(" "), answerable=False).value == 0.0
    assert finding("refusal_accuracy", REFUSAL, answerable=False).value == 1.0
    for name in ("correctness_f1", "false_refusal", "answered", "citation_recall", "evidence_in_context"):
        assert finding(name, REFUSAL, answerable=False).status is Status.NOT_APPLICABLE
    assert finding("false_answer", REFUSAL).status is Status.NOT_APPLICABLE


def test_citations_are_checked_against_the_evidence():
    right = Citation(0, 4, 1, "d", 0, 7)
    wrong = Citation(0, 4, 2)
    nowhere = Citation(0, 4, None)
    unknown = Citation(0, 4, 9, "d", 0, 7)
    assert finding("citation_precision", Answer("答。", citations=(right, wrong))).value == 0.5
    assert finding("citation_precision", Answer("答。", citations=(right, nowhere, unknown))).value == pytest.approx(
        1 / 3
    )
    assert finding("citation_precision", Answer("答。")).status is Status.NOT_APPLICABLE
    assert finding("citation_recall", Answer("答。", citations=(right,))).value == 1.0
    assert finding("citation_recall", Answer("答。", citations=(Citation(0, 4, 1),))).value == 1.0
    assert finding("citation_recall", Answer("答。")).value == 0.0


def test_evidence_in_context_reads_the_blocks():
    assert finding("evidence_in_context", Answer("答。")).value == 1.0
    assert finding("evidence_in_context", Answer("答。"), context=(2,)).value == 0.0


def test_a_variant_without_a_generator_has_no_answer_measures():
    one = one_case(question(groups=[group(("d", 0, 7))], reference="十五天"), CHUNKED, trace(fused=[0]))
    for name in ("faithfulness", "correctness_f1", "answered", "evidence_in_context"):
        assert measure(f"answer/{name}").find(one).status is Status.NOT_APPLICABLE


def test_a_failed_trace_is_failed_in_every_answer_measure():
    one = one_case(question(groups=[group(("d", 0, 7))], reference="十五天"), CHUNKED, trace(fused=[0], error="boom"))
    for name in (
        "faithfulness",
        "correctness_f1",
        "answered",
        "false_refusal",
        "refusal_accuracy",
        "evidence_in_context",
    ):
        assert measure(f"answer/{name}").find(one).status is Status.FAILED


BACK = Answer("您指哪一种？", clarifies=True)


def replied(name, answer, *, category, answerable):
    asked = question(groups=[group(("d", 0, 7))] if answerable else [], reference="十五天", category=category)
    made = trace(fused=[0, 1], answer=answer, context=packed(CHUNKED, (0, 1)))
    return measure(f"answer/{name}").find(one_case(asked, CHUNKED, made, None))[:2]


@pytest.mark.parametrize(
    ("category", "answerable", "expected"),
    [
        # answered, false_refusal, false_answer, refusal_accuracy, clarified, false_clarification
        ("lookup", True, (0.0, 0.0, None, 0.0, None, 1.0)),
        ("vague", True, (0.0, 0.0, None, 0.0, None, 1.0)),
        ("negative", False, (None, None, 0.0, 0.0, None, 1.0)),
        ("vague", False, (None, None, 0.0, 1.0, 1.0, None)),
    ],
)
def test_a_question_back_is_neither_answer_nor_refusal(category, answerable, expected):
    names = ("answered", "false_refusal", "false_answer", "refusal_accuracy", "clarified", "false_clarification")
    found = [replied(name, BACK, category=category, answerable=answerable) for name in names]
    assert [value for _, value in found] == list(expected)
    assert [status is Status.NOT_APPLICABLE for status, _ in found] == [value is None for value in expected]


def test_nobody_wins_by_asking_back():
    assert finding("correctness_f1", BACK)[:2] == finding("exact_match", BACK)[:2] == (Status.SCORED, 0.0)
    assert finding("completeness", BACK) == (Status.SCORED, 0.0, "asked back")
    for name in ("faithfulness", "relevancy"):
        assert finding(name, BACK, verdict(S)) == (Status.NOT_APPLICABLE, None, "asked back")
    assert finding("context_recall", BACK).status is Status.NOT_APPLICABLE
    assert finding("citation_precision", BACK).status is Status.NOT_APPLICABLE


def test_other_replies_to_an_underspecified_question():
    for answer, right, clarified in (
        (REFUSAL, 1.0, 0.0),
        (Answer("十五天"), 0.0, 0.0),
        (Answer(" ", clarifies=True), 1.0, 0.0),
    ):
        assert replied("refusal_accuracy", answer, category="vague", answerable=False)[1] == right
        assert replied("clarified", answer, category="vague", answerable=False)[1] == clarified
