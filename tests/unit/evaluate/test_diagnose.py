"""One class a question, the first layer that lost it."""

import itertools

import pytest
import yaml

from ragbench.evaluate.advice import ADVICE, changes
from ragbench.evaluate.diagnose import DiagnosisRules, _fault, diagnose, diagnose_all, tally, tally_by_category
from ragbench.evaluate.knobs import Knobs
from ragbench.evaluate.losses import Loss
from ragbench.measure.answer.text import f1, units
from ragbench.measure.case import make_cases
from ragbench.records.score import ClaimState, ClaimVerdict, Verdict
from ragbench.records.search import SearchRequest
from ragbench.records.trace import Answer
from ragbench.run.build import experiment
from ragbench.testing.cases import claims, corpus, group, one_case, packed, question, routes, trace, windows

S, N, E = ClaimState.SUPPORTED, ClaimState.NOT_ENOUGH, ClaimState.ERROR
TEXTS = {"zh": "年假为十五天。" * 40, "en": "Leave is 15 days. " * 16, "mixed": "年假 is 15 天。" * 30}
REWRITTEN = SearchRequest("something else", tenant=None)
RULES = DiagnosisRules(recall_k=5, k=2)
ANSWERED = Answer("十五天。")
REFUSED = Answer("不知道。", refused=True, reason="no_contexts")
GOOD = Verdict("q", "j", claims(S), 0.9, claims(S), claims(S))
WRONG = Verdict("q", "j", claims(N), 0.9, claims(N), claims(N))


@pytest.fixture(params=TEXTS)
def chunked(request):
    text = TEXTS[request.param]
    return corpus({"d": text}, windows("d", text, 20))


def loss(
    chunked, *, fused=(0, 1, 2, 3), reranked=None, context=None, answer=ANSWERED, verdict=WRONG, span=(0, 10), **more
):
    asked = question(groups=[group(("d", *span))] if span else [], **more.pop("asked", {}))
    made = trace(
        fused=fused,
        reranked=reranked,
        answer=answer,
        context=packed(chunked, context) if context is not None else None,
        **more,
    )
    return diagnose(one_case(asked, chunked, made, verdict), RULES)


def test_a_right_answer_is_ok_even_without_the_gold_evidence(chunked):
    assert loss(chunked, fused=[4], context=[4], verdict=GOOD).loss is Loss.OK


def test_failed_and_absent(chunked):
    assert loss(chunked, error="boom").loss is Loss.FAILED
    assert diagnose(one_case(question(groups=[group(("d", 0, 5))]), chunked, None), RULES).loss is Loss.FAILED


def test_unanswerable_questions(chunked):
    assert loss(chunked, span=None).loss is Loss.FALSE_ANSWER
    assert loss(chunked, span=None, answer=REFUSED).loss is Loss.OK
    assert loss(chunked, span=None, answer=None).loss is Loss.OK


def test_cut_by_the_chunking(chunked):
    assert loss(chunked, span=(15, 65), fused=[1], context=[1]).loss is Loss.CHUNK_CUT
    gaps = corpus({"d": TEXTS["zh"]}, [("d", 0, 20), ("d", 60, 80)])
    found = loss(gaps, span=(30, 40), fused=[0, 1], context=[0])
    assert found.loss is Loss.CHUNK_CUT and "no chunks cover it" in found.why


def test_cut_evidence_that_was_recalled_whole_is_not_the_chunkings_fault(chunked):
    assert loss(chunked, span=(15, 65), fused=[0, 1, 2, 3], context=[0]).loss is not Loss.CHUNK_CUT


def test_not_recalled_names_the_depth_or_the_route(chunked):
    deep = loss(chunked, fused=[2, 3, 4, 5, 6, 0], context=[2])
    assert deep.loss is Loss.NOT_RECALLED and "rank 6" in deep.why
    listed = loss(chunked, fused=[2, 3], context=[2], route_lists=routes(dense=[2, 3], sparse=[7, 0]))
    assert listed.loss is Loss.NOT_RECALLED and "sparse" in listed.why
    assert loss(chunked, fused=[2], context=[2]).loss is Loss.NOT_RECALLED


def test_lost_by_the_query(chunked):
    requests = (SearchRequest("question q", tenant=None), SearchRequest("something else", tenant=None))
    lists = routes(sparse=[0, 3])
    found = loss(chunked, fused=[4, 5, 6, 7, 8, 0], context=[4], requests=requests, route_lists=lists)
    assert found.loss is Loss.QUERY
    deep = routes(sparse=[9, 8, 7, 6, 5, 0])
    found = loss(chunked, fused=[4, 5, 6, 7, 8, 0], context=[4], requests=requests, route_lists=deep)
    assert found.loss is Loss.NOT_RECALLED
    asked = {"question": "HR-2024-03 号文 what is it"}
    rewritten = (SearchRequest("文件 what is it", tenant=None),)
    found = loss(chunked, fused=[4], context=[4], requests=rewritten, asked=asked)
    assert found.loss is Loss.QUERY and "HR-2024-03" in found.why
    kept = (SearchRequest("文件 HR-2024-03", tenant=None),)
    assert loss(chunked, fused=[4], context=[4], requests=kept, asked=asked).loss is Loss.NOT_RECALLED


def test_ranked_out_and_packed_out(chunked):
    assert loss(chunked, fused=[2, 3, 0], context=[2]).loss is Loss.RANKED_OUT
    assert loss(chunked, fused=[0, 1, 2], reranked=[2, 1, 0], context=[2, 1]).loss is Loss.RANKED_OUT
    dropped = loss(chunked, fused=[0, 1, 2], reranked=[2, 1], context=[2, 1])
    assert dropped.loss is Loss.RANKED_OUT and "dropped by the reranker" in dropped.why
    assert loss(chunked, fused=[0, 1], context=[1]).loss is Loss.PACKED_OUT


def judged(answer_claims, relevancy, reference):
    return Verdict("q", "j", answer_claims, relevancy, reference, claims(S))


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (judged(claims(S, N), 0.1, claims(N)), Loss.UNFAITHFUL),
        (judged(claims(S), 0.1, claims(N)), Loss.OFF_TOPIC),
        (judged(claims(S), 0.9, claims(N, N)), Loss.UNUSED),
        (judged(claims(S), 0.9, claims(S, N)), Loss.INCOMPLETE),
        (judged(claims(S), 0.9, claims(S, S, S, N)), Loss.OK),
        (judged(claims(S, E), 0.9, claims(S)), Loss.UNJUDGED),
        (judged(claims(S), 0.9, claims(E)), Loss.UNJUDGED),
        (judged((), None, ()), Loss.UNJUDGED),
        (judged(claims(S), 0.9, ()), Loss.UNJUDGED),
        (Verdict("q", "j", error="time-out"), Loss.UNJUDGED),
        (None, Loss.UNJUDGED),
    ],
)
def test_all_evidence_in_the_context(chunked, verdict, expected):
    assert loss(chunked, context=[0], verdict=verdict).loss is expected


def test_a_refusal_is_false_only_when_the_evidence_was_there(chunked):
    assert loss(chunked, context=[0], answer=REFUSED, verdict=None).loss is Loss.FALSE_REFUSAL
    assert loss(chunked, fused=[5], context=[5], answer=REFUSED, verdict=None).loss is Loss.NOT_RECALLED


def test_an_unjudged_answer_stays_unjudged_where_evidence_is_missing(chunked):
    found = loss(chunked, fused=[5], context=[5], verdict=None)
    assert found.loss is Loss.UNJUDGED and found.lost


def test_without_a_generator_only_the_evidence_counts(chunked):
    assert loss(chunked, answer=None, verdict=None).loss is Loss.OK
    assert loss(chunked, fused=[2, 3, 0], answer=None, verdict=None).loss is Loss.RANKED_OUT


def test_the_earliest_layer_of_several_missing_groups_decides(chunked):
    groups = [group(("d", 0, 10)), group(("d", 100, 110))]
    made = trace(fused=[2, 3, 0], answer=ANSWERED, context=packed(chunked, [2]))
    found = diagnose(one_case(question(groups=groups), chunked, made, WRONG), RULES)
    assert [one.loss for one in found.lost] == [Loss.RANKED_OUT, Loss.NOT_RECALLED]
    assert found.loss is Loss.NOT_RECALLED and found.why.startswith("g1")


def test_classes_partition_the_population_whatever_happens(chunked):
    answers = [None, ANSWERED, REFUSED, Answer(" ")]
    verdicts = [None, GOOD, WRONG, Verdict("q", "j", error="x")]
    contexts = [None, [], [0], [5]]
    groups = [[], [group(("d", 0, 10))], [group(("d", 15, 65)), group("d")]]
    asked, traces, judgements = [], [], []
    for at, (answer, verdict, context, gold) in enumerate(itertools.product(answers, verdicts, contexts, groups)):
        name = f"q{at}"
        asked.append(question(name, gold, category="lookup" if at % 2 else "vague"))
        if at % 17:
            traces.append(
                trace(
                    name,
                    [0, 3] if at % 3 else [],
                    answer=answer,
                    context=None if context is None else packed(chunked, context),
                    error="x" if at % 13 == 0 else None,
                )
            )
        if verdict:
            judgements.append(
                Verdict(
                    name,
                    verdict.judge,
                    verdict.claims,
                    verdict.relevancy,
                    verdict.reference_in_answer,
                    error=verdict.error,
                )
            )
    found = diagnose_all(make_cases(asked, traces, chunked, judgements), RULES)
    counts = tally(found)
    assert list(counts) == [loss.value for loss in Loss]
    assert sum(counts.values()) == len(asked)
    by_category = tally_by_category(found)
    assert {name: sum(by[name] for by in by_category.values()) for name in counts} == counts


def test_a_question_back_is_a_class_of_its_own(chunked):
    back = Answer("哪一种？", clarifies=True)
    found = loss(chunked, fused=[4], context=[4], answer=back, verdict=None)
    assert found.loss is Loss.CLARIFIED and found.lost, "whatever was retrieved"
    assert loss(chunked, span=None, answer=back, asked={"category": "vague"}).loss is Loss.OK
    assert loss(chunked, span=None, answer=back, asked={"category": "negative"}).loss is Loss.CLARIFIED
    assert loss(chunked, span=None, answer=ANSWERED, asked={"category": "vague"}).loss is Loss.FALSE_ANSWER
    assert loss(chunked, span=None, answer=REFUSED, asked={"category": "vague"}).loss is Loss.OK


def test_cut_offs_of_the_trace_go_before_those_of_the_variant(chunked):
    ranked = {"fused": (5, 6, 0, 7), "context": [5, 6]}
    assert loss(chunked, **ranked).why.endswith("beyond k 2")
    assert loss(chunked, **ranked, k=3).loss is Loss.PACKED_OUT
    assert loss(chunked, **ranked, k=1).why.endswith("beyond k 1")
    far = {"fused": (5, 6, 7, 8, 9, 10, 0), "context": [5]}
    assert loss(chunked, **far).loss is Loss.NOT_RECALLED
    assert loss(chunked, **far, recall_k=7).loss is Loss.RANKED_OUT


def test_the_classes_are_those_of_the_summary_file():
    names = "ok chunk_cut query not_recalled ranked_out packed_out unused incomplete off_topic unfaithful false_answer false_refusal clarified failed unjudged"
    assert list(tally([])) == names.split()
    assert set(ADVICE) == set(Loss) - {Loss.OK}


def test_cut_evidence_whose_pieces_are_found_is_the_chunkings_fault_unless_a_later_layer_had_it(chunked):
    pieces = {"span": (15, 65), "fused": (9, 8, 1, 2, 3), "context": [9, 8]}
    found = loss(chunked, **pieces)
    assert found.loss is Loss.CHUNK_CUT and "40%" in found.why
    assert loss(chunked, **pieces | {"fused": (1, 2, 9, 8), "reranked": (9, 8, 1, 2)}).loss is Loss.RANKED_OUT
    typed = loss(chunked, **pieces | {"fused": (9, 8)}, untransformed=(0, 1, 2, 3), requests=(REWRITTEN,))
    assert typed.loss is Loss.QUERY


def test_evidence_that_is_there_in_part_only_is_lost_before_the_answer(chunked):
    half = loss(chunked, span=(10, 30), fused=(1, 7, 8, 9, 10, 0), context=[1])
    assert half.loss is Loss.CHUNK_CUT and "50%" in half.why
    over = corpus({"d": TEXTS["zh"]}, [("d", 0, 20), ("d", 10, 30), ("d", 40, 60)])
    part = loss(over, span=(8, 20), fused=(1, 2), context=[1, 2])
    assert part.loss is Loss.NOT_RECALLED, "one chunk holds all of it, the context has another"
    assert loss(over, span=(10, 20), fused=(1, 2), context=[1, 2]).loss is Loss.UNFAITHFUL
    assert loss(over, span=(8, 20), fused=(1, 2), context=[1, 2], answer=None).loss is Loss.OK


def test_what_the_typed_question_would_have_found_is_lost_by_the_query(chunked):
    asked = {"fused": (4, 5), "context": [4, 5], "requests": (REWRITTEN,)}
    assert loss(chunked, **asked, untransformed=(6, 0)).loss is Loss.QUERY
    assert loss(chunked, **asked, untransformed=(6, 7)).loss is Loss.NOT_RECALLED
    assert loss(chunked, **asked, untransformed=(6, 7, 8, 9, 10, 0)).loss is Loss.NOT_RECALLED, "beyond recall_k"


@pytest.mark.parametrize("variant", ["bm25", "hybrid_rerank"])
def test_every_change_fits_the_variant_it_is_proposed_for(variant):
    made = experiment([f"variant={variant}", "eval_set=policy_zh"])
    knobs = Knobs(made.variant, yaml.safe_load(made.config)["pipeline"])
    proposed = {change for loss in Loss for change in changes(loss, knobs)}
    assert len(proposed) > 10
    for change in proposed:
        other = experiment([f"variant={variant}", "eval_set=policy_zh", *change])
        assert other.fingerprint() != made.fingerprint(), change


def test_a_change_that_the_run_has_already_is_not_proposed():
    at_one = Knobs({"retriever": "hybrid"}, {"generator": {"refuse_below": 1}})
    assert changes(Loss.FALSE_ANSWER, at_one) == ()
    assert changes(Loss.FALSE_REFUSAL, at_one) == (("pipeline.generator.refuse_below=0.8",),)
    assert ("retriever=hybrid",) not in changes(Loss.NOT_RECALLED, at_one)
    assert changes(Loss.OK, at_one) == changes(Loss.FAILED, at_one) == changes(Loss.PACKED_OUT, Knobs()) == ()


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("员工每年享有五天年假。", "员工每年有五天年假。"),
        ("Staff have five days of leave a year.", "Staff have five days of leave each year."),
        ("年假 carry over 最多 3 天。", "年假最多 carry over 3 天。"),
    ],
)
def test_an_answer_in_the_words_of_the_reference_is_not_unused_whatever_the_judge_finds(reference, answer):
    missed = ClaimVerdict(reference, ClaimState.NOT_ENOUGH, 0.1)
    supported = ClaimVerdict(answer, ClaimState.SUPPORTED, 1.0)
    verdict = Verdict("q", "j", (supported,), 0.9, reference_in_answer=(missed,))
    rules = DiagnosisRules(recall_k=20, k=5)
    overlap = f1(units(answer), units(reference))
    assert _fault(Answer(answer), verdict, overlap, rules)[0] is Loss.INCOMPLETE
    assert _fault(Answer(answer), verdict, 0.0, rules)[0] is Loss.UNUSED
