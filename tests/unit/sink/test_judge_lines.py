"""How far a judge can be believed, on the terminal, in MLflow and in the report."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from ragbench.judge.card import brief, card_key, shipped_card
from ragbench.judge.offline import OfflineJudge
from ragbench.report.html import write_report
from ragbench.report.labels import Labels
from ragbench.report.view_judge import judge_card, judge_notes
from ragbench.sink.console import print_run, print_sweep
from ragbench.sink.judge_card import card_lines
from ragbench.sink.judge_lines import judge_lines
from ragbench.sink.mlflow_names import metrics_of, tags_of
from tests.report_fixture import TEXTS, make_run, rewrite_summary

CARD = shipped_card(card_key(OfflineJudge(semantic=False)))
SUMMARY = {"judge": {"faithfulness": "offline-4"}, "judge_card": brief(CARD, ["zh"])}


def told(card: dict | None, languages: list[str]) -> dict:
    return {"judge": {"faithfulness": "x"}, "judge_card": brief(card, languages)}


def good() -> dict:
    parts = {
        part: {"by_language": {"zh": {"n": 9, "balanced_accuracy": 0.9, "bound": 0.85}}}
        for part in ("claims", "answers")
    }
    return {"key": "k", "people": {}, "noise": {"repeats": 2, "n": 9, "changed": 0.125, "spread": 0.1}, **parts}


def test_the_terminal_names_figures_and_why_nothing_can_be_told() -> None:
    lines = judge_lines(SUMMARY)
    assert lines[0].startswith("judge offline-4 on planted claims: balanced accuracy zh 0.98 (at least ")
    assert any(line.startswith("judge offline-4 and people: ") and "OCNLI auroc" in line for line in lines)
    assert lines[-1].startswith("cannot tell by judged measures: the judge is below its floor in zh")
    assert not [line for line in judge_lines(told(good(), ["zh"])) if "cannot tell" in line]
    assert judge_lines(told(None, ["zh"])) == [
        "cannot tell by judged measures: the judge was never checked: ragbench judge check"
    ]
    assert judge_lines({}) == [] == judge_lines({"judge": {}, "judge_card": SUMMARY["judge_card"]})


def test_mlflow_has_figures_and_a_tag() -> None:
    found = metrics_of(SUMMARY)
    assert {"judge/planted_answers/zh", "judge/planted_answers_bound/zh", "judge/people/begin_wow"} <= found.keys()
    assert tags_of({}, SUMMARY)["judge.floor"] == "below or unknown"
    assert tags_of({}, told(good(), ["zh"]))["judge.floor"] == "above"
    assert "judge.floor" not in tags_of({}, {}) and not [name for name in metrics_of({}) if name.startswith("judge/")]


def test_a_sweep_says_once_that_nothing_can_be_told() -> None:
    out = Console(file=io.StringIO(), width=120, no_color=True)
    print_sweep([SUMMARY | {"run_id": name, "metrics": {}} for name in "ab"], out)
    assert out.file.getvalue().count("cannot tell by judged measures") == 1


@pytest.mark.parametrize(
    ("lang", "word"), [("en", "cannot tell: the judge is below"), ("zh", "无法判定：评判器在中文上低于下限")]
)
def test_the_report_has_the_card_and_a_note_at_faithfulness(tmp_path: Path, lang: str, word: str) -> None:
    run = rewrite_summary(make_run(tmp_path, n_filler=5), **{"judge_card": SUMMARY["judge_card"]})
    path = tmp_path / "report.html"
    write_report(run, path, lang, TEXTS.get)
    html = path.read_text(encoding="utf-8")
    assert Labels(lang)("judge_card") in html and "BEGIN-WoW" in html
    assert html.count(word) >= 2


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_judge_above_its_floor_has_a_card_and_no_note(lang: str) -> None:
    labels = Labels(lang)
    view = judge_card(told(good(), ["zh"]), labels)
    assert [row["value"] for row in view["rows"]] == ["0.900", "0.900"]
    assert len(view["lines"]) == 1 and "12.5%" in view["lines"][0]
    assert judge_notes(told(good(), ["zh"]), labels) == []
    assert judge_notes(told(None, ["zh"]), labels) == [labels("judge_unchecked")]
    assert judge_card({}, labels) is None


def test_tables_fit_eighty_columns() -> None:
    out = Console(file=io.StringIO(), width=80, no_color=True)
    for part in card_lines(CARD):
        out.print(part)
    print_run({**SUMMARY, "metrics": {}}, out)
    lines = out.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("paraphrased ") for line in lines) and any("RAGChecker" in line for line in lines)
