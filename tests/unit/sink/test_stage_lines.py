"""What the terminal and MLflow say of fusion and reranking."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragbench.run_dir.read import RunDir
from ragbench.sink.mlflow_names import metrics_of
from ragbench.sink.stage_lines import stage_lines
from tests.report_fixture import make_run
from tests.report_fixture.corpus import chunk_documents
from tests.report_fixture.effects import effects_of


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunDir:
    return make_run(tmp_path_factory.mktemp("stages"), n_filler=60)


@pytest.fixture(scope="module")
def spoilt(run: RunDir) -> dict[str, Any]:
    return effects_of(list(run.questions.values()), list(run.traces()), chunk_documents(), turned=True)


def test_the_lines_name_gains_rescued_questions_and_what_the_cuts_cost(run: RunDir) -> None:
    rerank = run.summary["stages"]["rerank"]
    lines = stage_lines(run.summary["stages"])
    assert lines[0] == (
        "fusion: mrr 0.000 (0.000 to 0.000) over dense alone · recall@4 0.000 (0.000 to 0.000) over dense alone"
    )
    cell = rerank["measures"]["mrr"]
    assert lines[1].startswith(f"rerank: mrr {cell['before']:.3f} → {cell['after']:.3f}, +{cell['gain']:.3f} (")
    assert f"rescued {len(rerank['rescued'])}, lost 0 · 100% of the mrr an ideal order gains" in lines[2]
    assert "behind recall_k 4: 0.000, behind k 2: " in lines[2]


def test_a_regression_has_its_line_with_the_category(spoilt: dict[str, Any]) -> None:
    fallen = [line for line in stage_lines(spoilt) if line.startswith("regression: ")]
    assert fallen[0].startswith("regression: rerank: mrr −") and "more measures" in fallen[0]
    assert any("regression: rerank, comparison (n = 21): mrr −" in line for line in fallen)
    assert len(fallen) == 3 and stage_lines(spoilt)[-1].startswith("and ")


@pytest.mark.parametrize("stages", [None, {}, {"k": 5, "recall_k": 20, "fusion": None, "rerank": None}])
def test_a_run_without_stages_has_no_lines_and_no_metrics(stages: dict[str, Any] | None) -> None:
    assert stage_lines(stages) == []
    assert metrics_of({"stages": stages}) == {}


def test_metrics_are_few_and_legal(run: RunDir, spoilt: dict[str, Any], tmp_path: Path) -> None:
    found = {name: value for name, value in metrics_of(run.summary).items() if name.startswith("stages/")}
    rerank = run.summary["stages"]["rerank"]
    assert found["stages/rerank_gain_mrr"] == rerank["measures"]["mrr"]["gain"]
    assert found["stages/rerank_gain_recall_at_2"] == rerank["measures"]["recall@2"]["gain"]
    assert found["stages/rerank_rescued"] == len(rerank["rescued"]) and found["stages/rerank_lost"] == 0
    assert found["stages/recall_lost_behind_k"] == rerank["regret"]["behind_k"]
    assert found["stages/regressions"] == 0 and len(found) < 15
    assert metrics_of({"stages": spoilt})["stages/regressions"] >= 5
