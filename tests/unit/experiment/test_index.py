"""The index of all verdicts: the last outcome of each experiment, and what nothing tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbench.core.codec import write_json
from ragbench.experiment.index import index_rows
from ragbench.experiment.read_study import names
from ragbench.experiment.untested import UNTESTED
from ragbench.report.experiment_index import index_markdown, write_index
from ragbench.run_dir import layout
from tests.report_fixture import shown

GIVEN = ["alpha=0.3", "generator=none", "retriever=sparse", "sink=files", "eval_set=policy_zh"]
REASON = {"code": "", "values": {}}


def outcome(runs: Path, name: str, number: int, verdict: str, status: str = "finished") -> Path:
    """A folder as an experiment leaves it, as far as the index reads it."""
    folder = runs / f"experiment-{name}-{number}"
    folder.mkdir(parents=True)
    check = {
        "rule": "better_than", "metrics": ["ranking/mrr"], "options": {}, "arm": "", "outcome": verdict, "reason": REASON,
        "legs": [], "facts": {}, "says": {"en": f"<b>{name}</b> gains | much", "zh": f"{name} 收益很大"},
    }  # fmt: skip
    found = {
        "experiment": name, "claim": {"en": "It gains.", "zh": "有收益。"}, "verdict": verdict, "checks": [check],
        "sets": [{"name": "policy_zh", "n_questions": 160}], "missing": [{"name": "mtrag"}],
    }  # fmt: skip
    write_json(folder / layout.EXPERIMENT, found)
    write_json(folder / layout.SWEEP, {"status": status, "written": "2026-12-01T04:00:00", "overrides": GIVEN})
    (folder / "report.html").write_text("x", encoding="utf-8")
    return folder


def test_the_last_finished_outcome_of_each_stands_with_what_is_not_tested(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    outcome(runs, "alpha", 1, "confirmed")
    last = outcome(runs, "alpha", 2, "refuted")
    outcome(runs, "fusion", 1, "confirmed", status="running")
    outcome(runs, "of_my_own", 1, "cannot_tell")
    (runs / "experiment-broken-1").mkdir()
    (runs / "experiment-broken-1" / layout.EXPERIMENT).write_text("[", encoding="utf-8")
    rows = {row["name"]: row for row in index_rows(runs)}
    assert (rows["alpha"]["status"], rows["alpha"]["folder"]) == ("refuted", last)
    assert "retriever=sparse" in rows["alpha"]["given"] and "sink=files" not in rows["alpha"]["given"]
    assert rows["fusion"]["status"] == "not_run" and rows["of_my_own"]["status"] == "cannot_tell"
    assert rows["crag"]["status"] == "not_tested" and "broken" not in rows
    assert set(names()) <= set(rows)


def test_no_claim_is_both_tested_and_not() -> None:
    assert not {one.name for one in UNTESTED} & set(names())
    assert all(one.why in ("part", "elsewhere", "file") for one in UNTESTED)
    assert all((Path(__file__).resolve().parents[3] / one.where).is_file() for one in UNTESTED if one.where)


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        (
            "en",
            (
                "It gains.",
                "refuted",
                "not tested",
                "What it is about is not built.",
                "Not measured: mtrag",
                "retriever=sparse",
            ),
        ),
        ("zh", ("有收益。", "推翻", "未检验", "相关部分尚未实现。", "未测：mtrag")),
    ],
)
def test_page_and_table_in_both_languages(tmp_path: Path, lang: str, words: tuple[str, ...]) -> None:
    outcome(tmp_path / "runs", "alpha", 1, "refuted")
    rows = index_rows(tmp_path / "runs")
    page = shown(write_index(rows, tmp_path / "reports" / "experiments.html", lang))
    table = index_markdown(rows, lang)
    for word in words:
        assert word in page and word in table, word
    assert 'href="../runs/experiment-alpha-1/report.html"' in page
    assert "<b>alpha" not in page
    (line,) = [line for line in table.splitlines() if line.startswith("| `alpha`")]
    assert line.count("|") - line.count("\\|") == 6, "a bar in a cell is escaped"


def test_without_any_outcome_everything_is_listed(tmp_path: Path) -> None:
    rows = index_rows(tmp_path / "nowhere")
    assert {row["status"] for row in rows} == {"not_run", "not_tested"}
    assert index_markdown(rows, "en").count("\n| `") == len(rows)
