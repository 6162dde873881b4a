"""Query understanding on the terminal and in MLflow."""

import io

import pytest
from rich.console import Console

from ragbench.sink.console import print_run
from ragbench.sink.mlflow_names import metrics_of, tags_of
from ragbench.sink.query_lines import TOLD, class_errors, query_lines
from tests.report_fixture.understood import write


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    return write(tmp_path_factory.mktemp("lines")).summary


def printed(summary, width=80):
    out = io.StringIO()
    print_run(summary, Console(file=out, width=width, no_color=True))
    return out.getvalue()


def test_classes_gains_costs_and_the_oracle_have_a_line_each(summary):
    lines = query_lines(summary)
    assert [line.split(":")[0] for line in lines] == ["oracle", "complexity", "category", "query", "query"]
    assert "rules 26%" in lines[1] and "abstained 24%" in lines[1] and "accuracy" in lines[1]
    assert "recall@2" in lines[3] and "helped" in lines[3] and "calls" in lines[4] and "fell back" in lines[4]


def test_class_errors_are_one_compact_table(summary):
    head, rows, left = class_errors(summary)
    assert head == ["called", "was", "n", "recall@2 gain", "handed_on gain"]
    assert len(rows) == TOLD and left.startswith("and ") and all(row[0] != row[1] for row in rows)
    assert all(len(cell) <= 22 for row in rows for cell in row), "no cell is folded"
    shown = printed(summary)
    assert "handed_on gain" in shown and max(map(len, shown.splitlines())) <= 80


def test_nothing_is_said_of_a_run_without():
    for bare in ({}, {"query": None}, {"query": {"complexity": None, "category": None, "downstream": None}}):
        assert query_lines(bare) == [] and class_errors(bare) == ([], [], "")


def test_errors_that_cost_nothing_need_no_table(summary):
    query = summary["query"]
    cells = {name: {"gain": 0.0, "low": 0.0, "high": 0.0} for name in ("recall@2", "mrr", "handed_on")}
    rows = [{"called": "a", "was": "b", "n": 3, "measures": cells}]
    still = {"query": query | {"downstream": query["downstream"] | {"by_class": rows}}}
    assert class_errors(still)[1] == []


def test_mlflow_has_tiers_gains_and_class_errors(summary):
    found = metrics_of(summary)
    tiers = summary["query"]["complexity"]["tiers"]
    assert found["query/complexity_share/rules"] == tiers["rules"]["share"]
    assert found["query/complexity_accuracy/llm"] == tiers["llm"]["accuracy"]
    row = summary["query"]["downstream"]["by_class"][0]
    name = f"{row['called']}_was_{row['was']}"
    assert found[f"query/by_class_n/{name}"] == row["n"]
    assert found[f"query/by_class_gain_recall_at_2/{name}"] == row["measures"]["recall@2"]["gain"]
    assert tags_of({}, summary)["oracle"] == "query" and "oracle" not in tags_of({}, {"oracle": []})


def test_questions_that_a_model_saw_in_training_are_told(summary):
    row = {"label": "complexity", "data": "政策/v1", "split": "dev", "n": 3, "of": 9}
    (line,) = query_lines({"query": {"not_held_out": [row]}})
    assert line.startswith("not held out: the complexity model") and "3 of 9 questions (政策/v1, split dev)" in line
    assert "not held out" in printed(summary | {"query": summary["query"] | {"not_held_out": [row]}})
