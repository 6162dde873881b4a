"""The questions of a sweep with what each variant made of them."""

from __future__ import annotations

from ragbench.sink.first_variant import Scored
from ragbench.sink.question_table import MOST_VARIANTS, variants_table


def scored(name: str, outcomes: dict[str, str], recall: dict[str, float]) -> Scored:
    texts = {one: {"q1": "=SUM(A1)", "q2": "年假几天？"}.get(one, "") for one in outcomes}
    categories = dict.fromkeys(outcomes, "lookup")
    return Scored(name, {"diagnosis_by_question": outcomes}, {"ranking/recall@5": recall}, categories, texts)


def test_questions_that_differ_stand_first_and_missing_cells_are_none() -> None:
    first = scored("a", {"q1": "ok", "q2": "ok"}, {"q1": 1.0, "q2": 1.0})
    second = scored("b", {"q1": "ok", "q2": "not_recalled", "q3": "ok"}, {"q2": 0.0})
    table = variants_table([first, second], ["甲", "b"])
    assert table["id"] == ["q2", "q3", "q1"] and table["differs"] == [True, True, False]
    assert table["question"] == ["年假几天？", "", "'=SUM(A1)"], "a spreadsheet must not run it"
    assert (table["outcome: 甲"], table["outcome: b"]) == (["ok", None, "ok"], ["not_recalled", "ok", "ok"])
    assert table["ranking/recall@5: b"] == [0.0, None, None]
    assert table["answer/correctness_f1: 甲"] == [None] * 3


def test_no_questions_and_very_many_variants() -> None:
    assert variants_table([scored("a", {}, {})], ["a"]) == {}
    runs = [scored(str(at), {"q1": "ok"}, {}) for at in range(50)]
    table = variants_table(runs, [str(at) for at in range(50)])
    assert sum(name.startswith("outcome: ") for name in table) == MOST_VARIANTS
