"""False answers against false refusals at every threshold."""

import pytest

from ragbench.evaluate.diagnose import DiagnosisRules
from ragbench.evaluate.refusal_curve import ALWAYS, MOST_POINTS, Told, auroc, curve, points_at
from ragbench.evaluate.scorer import RunScorer
from ragbench.evaluate.summary import How
from ragbench.measure.base import Reach
from ragbench.records.question import Question
from ragbench.records.trace import Answer
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


def scored(answers, unanswerable, threshold=0.3):
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
        stages=frozenset(Reach), refuse_below=threshold,
    )  # fmt: skip
    scorer = RunScorer(asked, CHUNKED, how)
    for name, given in answers.items():
        if given is not None:
            scorer.add(trace(name, [0], [0], answer=given))
    return scorer.finish().to_json()["refusal"]


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
