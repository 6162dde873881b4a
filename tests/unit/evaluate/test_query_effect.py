"""What query understanding said and changed: small runs counted by hand."""

from dataclasses import replace

import pytest

from ragbench.core.rows import from_row, to_row
from ragbench.evaluate.diagnose import DiagnosisRules
from ragbench.evaluate.query_effect import HANDED, SHOWN, QueryEffects
from ragbench.evaluate.stage_effect import Compared
from ragbench.measure.case import make_cases
from ragbench.records.trace import QueryView
from ragbench.stats.paired import paired_difference
from ragbench.testing.cases import corpus, group, question, trace, windows

TEXT = {
    "年假.md": "入职满一年享有十天年假。" * 10,
    "guide.md": "Full backups start at 02:00. " * 10,
    "混合.md": "SLA 为 99.95% " * 10,
}
CHUNKED = corpus(TEXT, [span for name, text in TEXT.items() for span in windows(name, text, 10)])
FIRST = {name: next(chunk.number for chunk in CHUNKED.chunks if chunk.doc_id == name) for name in TEXT}
RULES = DiagnosisRules(recall_k=6, k=2)
PLAIN = Compared(reranks=False, routes=("sparse",), rrf_k=60, transforms=True)
DOCS = {"zh": "年假.md", "en": "guide.md", "混": "混合.md"}


def asked(name, doc="年假.md", **more):
    return question(name, [group((doc, 0, 10))], **more)


def lists(gold, rank, length=6):
    """Chunk numbers with `gold` at a rank (0: nowhere)."""
    others = [chunk.number for chunk in CHUNKED.chunks if chunk.number != gold and chunk.start > 20][:length]
    return others if rank == 0 else [*others[: rank - 1], gold, *others[rank - 1 :]][:length]


def moved(name, doc, before, after, view=QueryView(), **more):  # noqa: B008
    gold = FIRST[doc]
    return replace(trace(name, lists(gold, after), query=view, **more), untransformed=tuple(lists(gold, before)))


def told(questions, traces, compared=PLAIN, rules=RULES, seed=3):
    effects = QueryEffects(questions, rules, compared)
    for row, case in enumerate(make_cases(questions, [one for one in traces if one], CHUNKED)):
        effects.add(row, case)
    return effects.tell(seed, {"p50": 1.0, "p95": 2.0, "n": len(questions)})


def three():
    """A transform takes evidence from rank 3 to 1, leaves one at 1, and loses one that stood at 2."""
    questions = [asked("zh"), asked("en", "guide.md"), asked("混", "混合.md", language="mixed")]
    ranks = {"zh": (3, 1), "en": (1, 1), "混": (2, 0)}
    return questions, [moved(name, DOCS[name], *ranks[name]) for name in DOCS]


def test_a_transform_is_told_against_the_question_as_typed():
    found = told(*three())["downstream"]
    recall, mrr = found["measures"]["recall@2"], found["measures"]["mrr"]
    assert (recall["before"], recall["after"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert (mrr["before"], mrr["after"]) == (pytest.approx((1 / 3 + 1 + 1 / 2) / 3), pytest.approx(2 / 3))
    assert (mrr["better"], mrr["equal"], mrr["worse"]) == (1, 1, 1)
    assert (found["rescued"], found["lost"], found["n"], found["depth"]) == (["zh"], ["混"], 3, 2)
    alone = paired_difference([1 - 1 / 3, 0.0, -1 / 2], 3)
    assert (mrr["gain"], mrr["low"], mrr["high"]) == (alone.mean, alone.low, alone.high)
    assert [(one["id"], one["recall@2"]) for one in found["helpful"]] == [("zh", 1.0)]
    assert [(one["id"], one["recall@2"], one["mrr"]) for one in found["harmful"]] == [("混", -1.0, -0.5)]
    assert (found["n_helpful"], found["n_harmful"]) == (1, 1)


def test_a_gain_of_rank_alone_is_a_gain_and_the_largest_comes_first():
    ranks = {"a": (2, 1), "b": (3, 1), "c": (1, 1), "d": (1, 2)}
    questions = [asked(name) for name in ranks]
    found = told(questions, [moved(name, "年假.md", *two) for name, two in ranks.items()])["downstream"]
    assert [one["id"] for one in found["helpful"]] == ["b", "a"]
    assert [one["id"] for one in found["harmful"]] == ["d"]


def test_long_lists_are_cut_and_counted():
    questions = [asked(f"q{at}") for at in range(SHOWN + 7)]
    found = told(questions, [moved(one.id, "年假.md", 0, 1) for one in questions])["downstream"]
    assert (len(found["helpful"]), found["n_helpful"], found["n_harmful"]) == (SHOWN, SHOWN + 7, 0)


@pytest.mark.parametrize(("cut", "after"), [(None, 1.0), (2, 1.0), (1, 0.0)])
def test_what_is_handed_on_is_cut_by_the_questions_own_k(cut, after):
    """A simple question's light path has a smaller k: the loss shows though the ranking is the same."""
    made = replace(moved("q", "年假.md", 2, 2), k=cut)
    cell = told([asked("q")], [made])["downstream"]["measures"][HANDED]
    assert (cell["before"], cell["after"]) == (1.0, after)
    behind = replace(moved("q", "年假.md", 5, 5), recall_k=None if cut is None else cut)
    reranked = told([asked("q")], [behind], replace(PLAIN, reranks=True))["downstream"]["measures"][HANDED]
    assert (reranked["before"], reranked["after"]) == (1.0, 1.0 if cut is None else 0.0), "what the reranker sees"


def test_each_class_error_has_its_gain():
    labels = {"a": ("simple_lookup", "multi_hop", 1, 0), "b": ("simple_lookup", "multi_hop", 1, 3),
              "c": ("multi_hop", "multi_hop", 3, 1), "d": (None, "comparison", 1, 1),
              "e": ("comparison", None, 3, 1)}  # fmt: skip
    questions = [asked(name, complexity=was) for name, (_, was, _, _) in labels.items()]
    traces = [
        moved(name, "年假.md", before, after, QueryView(said, "rules" if said else "abstained", 0.8))
        for name, (said, _, before, after) in labels.items()
    ]
    found = told(questions, traces)
    rows = {(one["called"], one["was"]): one for one in found["downstream"]["by_class"]}
    assert list(rows) == [("simple_lookup", "multi_hop"), ("abstained", "comparison"), ("multi_hop", "multi_hop")]
    worst = rows["simple_lookup", "multi_hop"]
    assert (worst["n"], worst["small"], worst["measures"]["recall@2"]["gain"]) == (2, True, -1.0)
    assert worst["measures"]["mrr"]["gain"] == pytest.approx((-1 + (1 / 3 - 1)) / 2)
    assert rows["multi_hop", "multi_hop"]["measures"]["recall@2"]["gain"] == 1.0
    assert found["complexity"]["confusion"]["multi_hop"]["simple_lookup"] == 2


def test_confusion_accuracy_and_shares_of_tiers():
    said = [("simple_lookup", "rules", "simple_lookup", 0), ("comparison", "model", "comparison", 0),
            ("multi_hop", "llm", "comparison", 1), (None, "abstained", "multi_hop", 2), ("ambiguous", "llm", None, 1)]  # fmt: skip
    questions = [asked(f"q{at}", complexity=was) for at, (_, _, was, _) in enumerate(said)]
    views = [
        QueryView(label, tier, usage={"calls": calls + 3}, classifier_calls=calls) for label, tier, _, calls in said
    ]
    traces = [moved(one.id, "年假.md", 1, 1, view) for one, view in zip(questions, views)]
    found = told(questions, traces)
    table = found["complexity"]
    assert (table["n"], table["labelled"], table["accuracy"]) == (5, 4, 0.5)
    assert table["confusion"]["comparison"] == {"abstained": 0, "comparison": 1, "multi_hop": 1, "simple_lookup": 0}
    tiers = table["tiers"]
    assert sum(one["share"] for one in tiers.values()) == pytest.approx(1)
    assert {name: (one["n"], one["accuracy"]) for name, one in tiers.items()} == {
        "rules": (1, 1.0), "model": (1, 1.0), "llm": (2, 0.0), "abstained": (1, 0.0),
    }  # fmt: skip
    assert (tiers["llm"]["labelled"], tiers["llm"]["calls"], table["calls"]) == (1, 1.0, pytest.approx(0.8))
    assert (tiers["rules"]["calls"], tiers["abstained"]["calls"]) == (0.0, 2.0), "calls of transforms are not theirs"
    assert found["cost"]["calls"] == 4 + 3 * 5
    assert found["category"] is None, "nobody predicted it"


@pytest.mark.parametrize(("usage", "calls"), [({}, 0.0), ({"calls": 0}, 0.0), ({"calls": 1}, None)])
def test_calls_of_a_trace_that_does_not_tell_whose_they_are_are_unknown(usage, calls):
    view = QueryView("comparison", "rules", category="change", category_tier="model", usage=usage)
    old = {name: value for name, value in to_row(view).items() if name != "classifier_calls"}
    told_now = QueryView("comparison", "rules", classifier_calls=0, usage={"calls": 2})
    found = told(
        [asked("q"), asked("neu")],
        [moved("q", "年假.md", 1, 1, from_row(QueryView, old)), moved("neu", "年假.md", 1, 1, told_now)],
    )
    assert (found["complexity"]["calls"], found["complexity"]["tiers"]["rules"]["calls"]) == (calls, calls)
    assert found["category"]["calls"] == calls


def test_a_predicted_category_has_its_table():
    view = QueryView(category="change", category_tier="model")
    found = told([asked("q", category="lookup")], [moved("q", "年假.md", 1, 1, view)])
    assert found["complexity"] is None
    assert found["category"]["confusion"]["lookup"] == {"change": 1, "lookup": 0}


def test_costs_are_summed_and_told_by_question():
    usage = {"calls": 2, "prompt_tokens": 30, "completion_tokens": 10, "fallbacks": 1, "ms": 9}
    views = [QueryView(usage=usage, fallback="no JSON <b>"), QueryView()]
    questions = [asked("a"), asked("b"), asked("c")]
    found = told(questions, [moved(n, "年假.md", 1, 1, v) for n, v in zip("ab", views)] + [None])["cost"]
    assert (found["n"], found["calls"], found["fallbacks"]) == (2, 2, 1)
    assert found["per_question"] == {"calls": 1.0, "tokens": 20.0, "searches": 1.0}
    assert found["fallback_reasons"] == [["no JSON <b>", 1]] and found["ms"]["p50"] == 1.0


def test_who_is_not_compared_is_counted_by_reason():
    questions = [asked("in"), question("none"), asked("absent"), asked("failed"), asked("back"), asked("alone")]
    back = trace("back", query=QueryView("ambiguous", "rules", clarify="哪一个？"))
    traces = [
        moved("in", "年假.md", 1, 1), trace("none", [1, 2]), None, replace(trace("failed", error="refused"), steps=()),
        replace(back, steps=()), trace("alone", [1, 2]),
    ]  # fmt: skip
    found = told(questions, traces)["downstream"]
    assert found["excluded"] == {"absent": 1, "asked_back": 1, "failed": 1, "no_evidence": 1, "no_twin": 1}
    assert found["n"] == 1


def test_a_variant_that_searches_as_typed_has_no_gain_and_not_nought():
    found = told(*three(), compared=replace(PLAIN, transforms=False))
    assert found["downstream"] is None and found["complexity"] is None and found["cost"]["calls"] == 0


def test_an_empty_set_has_no_figures():
    found = told([], [])
    assert found["cost"]["per_question"] == {"calls": None, "tokens": None, "searches": None}
    assert (found["downstream"]["n"], found["downstream"]["measures"]["mrr"]["gain"]) == (0, None)
    assert found["downstream"]["by_class"] == []
