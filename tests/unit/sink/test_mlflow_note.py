"""The descriptions of runs: what differs, by how much and where, as Markdown that nothing in the data can break."""

from __future__ import annotations

from typing import Any

import pytest

from ragbench.sink.first_variant import Scored, changes
from ragbench.sink.mlflow_note import MOST, OPENS, run_note, sweep_note

MEASURES = ("ranking/recall@5", "answer/false_answer")
HOSTILE = "a|b <img src=x onerror=alert(1)> [x](javascript:1)\n| c"


def scored(run_id: str, values: list[float], categories: list[str], **summary: Any) -> Scored:
    by_measure = {name: {f"q{at}": value for at, value in enumerate(values)} for name in MEASURES}
    mean = sum(values) / len(values) if values else None
    metrics = {name: {"mean": mean, "low": mean, "high": mean, "n_scored": len(values)} for name in MEASURES}
    content = {"run_id": run_id, "eval_set": {"name": "policy_zh", "version": "v1", "lock": "l"}, "metrics": metrics}
    return Scored(run_id, content | summary, by_measure, {f"q{at}": one for at, one in enumerate(categories)})


FIRST = scored("a", [0.0] * 20, ["查询"] * 10 + ["multi_hop"] * 10)
SECOND = scored("b", [1.0] * 10 + [0.0] * 10, ["查询"] * 10 + ["multi_hop"] * 10)


def test_a_change_is_told_apart_only_where_its_interval_leaves_zero() -> None:
    found = {(one.measure, one.category): one for one in changes(FIRST, SECOND)}
    assert found["ranking/recall@5", ""].difference.mean == 0.5
    assert [found["ranking/recall@5", name].verdict for name in ("", "查询", "multi_hop")] == ["better", "better", ""]
    assert found["answer/false_answer", "查询"].verdict == "worse", "less is better there"
    assert {one.verdict for one in changes(FIRST, FIRST)} == {""}


def test_other_questions_other_judges_and_missing_cells_are_not_compared() -> None:
    other = scored("c", [1.0] * 20, ["查询"] * 20, eval_set={"lock": "other"})
    assert changes(FIRST, other) == []
    assert "Not compared" in run_note(other, FIRST, "c", "a", "en")
    judged = scored("d", [1.0] * 20, ["查询"] * 20, judge={"faithfulness": "x"})
    assert {one.measure for one in changes(FIRST, judged)} == set(MEASURES)
    some = Scored("e", SECOND.summary, {MEASURES[0]: {"q0": 1.0}}, SECOND.categories)
    (overall, category) = changes(FIRST, some)
    assert overall.difference.n == category.difference.n == 1 and overall.difference.low is None
    assert overall.verdict == ""


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_hostile_names_stay_text_in_one_cell(lang: str) -> None:
    own = scored("b", [1.0] * 20, [HOSTILE] * 20)
    note = "\n".join([run_note(own, FIRST, HOSTILE, HOSTILE, lang), sweep_note([FIRST, own], lang)])
    for line in note.splitlines():
        assert "<img" not in line.replace("\\<", "") and "](" not in line.replace("\\]", "")
    rows = [line for line in note.splitlines() if line.startswith("| a\\|b")]
    assert rows and all(row.replace("\\|", "").count("|") == 7 for row in rows)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_long_descriptions_are_cut_between_lines_and_say_so(lang: str) -> None:
    runs = [scored(f"run{at}", [float(at % 2)] * 20, ["x"] * 20, variant={"k": at}) for at in range(200)]
    note = sweep_note(runs, lang)
    assert len(note) <= MOST and note.startswith(OPENS)
    assert note.splitlines()[-1] == {"en": "… {} more rows", "zh": "……另有 {} 行"}[lang].format(
        200 - note.count("\n| k=")
    )


def test_a_run_of_no_questions_has_a_description() -> None:
    empty = Scored("n", {"metrics": {}}, {}, {})
    assert run_note(empty, None, "n", "n", "en").startswith(OPENS)
    assert "Not compared" in run_note(empty, FIRST, "n", "a", "en")


@pytest.mark.parametrize(
    ("lang", "said"),
    [("en", "Against **a**: better in ranking/recall@5 +0.500"), ("zh", "与 **a** 相比：ranking/recall@5 +0.500 更好")],
)
def test_the_first_lines_say_what_differs_by_how_much_and_where(lang: str, said: str) -> None:
    note = run_note(SECOND, FIRST, "b", "a", lang)
    line = note.split("\n\n")[1]
    assert line.startswith(said) and "answer/false_answer +0.500" in line
    assert "查询 · answer/false_answer +1.000 ▼" in line and "multi_hop" not in line
    assert "**b**" in sweep_note([FIRST, SECOND], lang).split("\n\n")[1]
