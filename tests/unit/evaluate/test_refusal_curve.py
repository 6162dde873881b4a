"""False answers against false refusals at every threshold."""

from dataclasses import replace

import pytest

from ragbench.evaluate.diagnose import DiagnosisRules
from ragbench.evaluate.refusal_curve import ALWAYS, MOST_POINTS, Told, auroc, curve, points_at
from ragbench.evaluate.scorer import RunScorer
from ragbench.evaluate.summary import How
from ragbench.generator.policy import REASONS
from ragbench.measure.base import Reach
from ragbench.records.question import Question
from ragbench.records.trace import Answer, ContextBlock, PackedContext
from ragbench.testing.cases import corpus, trace, windows

CHUNKED = corpus({"d": "年假十五天。 Carry over five days."}, windows("d", "年假十五天。 Carry over five days.", 40))


def told(yes=(), no=()):
    return [*(Told(one, True) for one in yes), *(Told(one, False) for one in no)]


def test_each_threshold_refuses_what_is_below_it():
    found = curve(told(yes=(0.2, 0.6, 0.9), no=(0.1, 0.6)), 0.5)
    assert found["points"] == [
        [0.0, 1.0, 0.0], [0.1, 1.0, 0.0], [0.2, 0.5, 0.0], [0.6, 0.5, 0.333333], [0.9, 0.0, 0.666667], [1.0, 0.0, 1.0],
    ]  # fmt: skip
    assert found["chosen"] == [0.5, 0.5, 0.333333]
    assert (found["n_answerable"], found["n_unanswerable"]) == (3, 2)


def test_auroc_counts_pairs_and_half_of_ties():
    assert auroc([0.2, 0.6, 0.9], [0.1, 0.6]) == round((1 + 1.5 + 2) / 6, 6)
    assert auroc([], [0.1]) is None and auroc([0.1], []) is None


def test_auroc_agrees_with_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    yes, no = [(n * 7 % 11) / 11 for n in range(40)], [(n * 5 % 13) / 17 for n in range(30)]
    expected = metrics.roc_auc_score([1] * 40 + [0] * 30, yes + no)
    assert auroc(sorted(yes), sorted(no)) == pytest.approx(expected, abs=1e-6)


def test_a_group_of_one_kind_has_one_rate_and_a_question_without_context_is_refused_at_zero():
    found = curve(told(no=(ALWAYS, 0.4)), None)
    assert found["points"][0] == [0.0, 0.5, None] and found["chosen"] is None and found["auroc"] is None
    assert [point[0] for point in found["points"]] == [0.0, 0.4, 1.0]


def test_a_long_curve_is_thinned_and_keeps_its_ends():
    found = curve(told(yes=[n / 1000 for n in range(1000)], no=[0.5]), 0.3)
    assert len(found["points"]) == MOST_POINTS
    assert found["points"][0] == [0.0, 1.0, 0.0] and found["points"][-1] == [1.0, 0.0, 1.0]
    assert points_at(found["points"], [0.3])[0][2] == pytest.approx(0.3, abs=0.01)


def scored(answers, unanswerable, threshold=0.3, relevance=None, min_max=None):
    asked = [
        Question(
            name,
            "年假 leave?",
            answerable=name not in unanswerable,
            category="negative" if name in unanswerable else "lookup",
        )
        for name in answers
    ]
    how = How(
        measures=("answer/answered",), judged=(), seed=0, rules=DiagnosisRules(recall_k=20, k=5),
        stages=frozenset(Reach), refuse_below=threshold, min_max=min_max,
    )  # fmt: skip
    scorer = RunScorer(asked, CHUNKED, how)
    for name, given in answers.items():
        if given is not None:
            made = trace(name, [0], [0], answer=given)
            if relevance is not None:
                blocks = [ContextBlock(n, "d", 0, 4, (0,), "年假", 2, one) for n, one in enumerate(relevance[name], 1)]
                made = replace(made, context=PackedContext(tuple(blocks)))
            scorer.add(made)
    return scorer.finish().to_json()["refusal" if relevance is None else "refusal_by_relevance"]


def test_a_run_tells_the_whole_and_each_category():
    found = scored(
        {
            "a": Answer("十五天。", confidence=0.8), "b": Answer("五天。", confidence=0.2), "c": Answer("五天。", confidence=0.6),
            "d": Answer("没有", True, "no_context", confidence=0.0), "e": Answer("您指？", clarifies=True), "f": None,
        },
        {"c", "d"},
    )  # fmt: skip
    assert found["chosen"] == [0.3, 0.5, 0.5] and found["left_out"] == 2 and found["threshold"] == 0.3
    assert found["by_category"]["negative"]["chosen"] == [0.3, 0.5, None]
    assert found["by_category"]["lookup"]["chosen"] == [0.3, None, 0.5]
    assert found["points"][0] == [0.0, 0.5, 0.0]


@pytest.mark.parametrize(
    ("answers", "unanswerable"),
    [
        ({"a": Answer("十五天。", confidence=0.8)}, ()),
        ({"a": Answer("It is so."), "b": Answer("No.", True, "not_in_sources")}, ("b",)),
        ({"a": Answer("十五天。", confidence=0.8), "b": None}, ("b",)),
    ],
)
def test_it_is_missing_without_unanswerable_questions_that_tell_a_relevance(answers, unanswerable):
    assert scored(answers, unanswerable) is None


RELEVANT = {
    "a": (0.1, 0.8), "b": (0.4,), "c": (0.6, 0.2), "d": (0.2,), "e": (), "f": (0.9,), "g": (0.9, None), "h": (3.0,), "i": (0.7,),
}  # fmt: skip
SAID = {
    "a": Answer("十五天。"), "b": Answer("Five days."), "c": Answer("五天。"), "d": Answer("没有", True, "low_relevance"),
    "e": Answer("没有", True, "no_context"), "f": Answer("没有", True, "not_in_sources"), "g": Answer("五天。"), "h": Answer("五天。"),
    "i": Answer("您指？", clarifies=True),
}  # fmt: skip


def test_the_relevance_of_the_best_block_is_told_where_it_is_calibrated():
    """A refusal for another reason stays one at every threshold; a relevance that is no probability is left out."""
    found = scored(SAID, {"c", "d", "e"}, relevance=RELEVANT, min_max=0.3)
    assert (found["score"], found["key"]) == ("best_relevance", "pipeline.generator.min_max")
    assert (found["threshold"], found["left_out"]) == (0.3, 3)
    assert found["points"] == [
        [0.0, 0.666667, 0.333333], [0.2, 0.666667, 0.333333], [0.4, 0.333333, 0.333333], [0.6, 0.333333, 0.666667],
        [0.8, 0.0, 0.666667], [1.0, 0.0, 1.0],
    ]  # fmt: skip
    assert found["chosen"] == [0.3, 0.333333, 0.333333]
    assert scored(SAID, {"c", "d", "e"}, relevance=RELEVANT) is None, "not calibrated"


@pytest.mark.parametrize("reason", REASONS)
def test_what_the_policy_refuses_no_confidence_answers(reason):
    answers = {"a": Answer("十五天。", confidence=0.8), "b": Answer("没有", True, reason, confidence=0.9)}
    assert scored(answers, {"b"})["points"][0] == [0.0, 0.0, 0.0]
    answers["b"] = Answer("没有", True, "low_support", confidence=0.2)
    assert scored(answers, {"b"})["points"][0] == [0.0, 1.0, 0.0]
