"""The section on fusion and reranking: figures, marks, links, and what is missing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ragbench.report.html import write_report
from ragbench.report.labels import Labels
from ragbench.report.sweep import write_sweep_report
from ragbench.report.view_stages import stage_view
from ragbench.run_dir.read import RunDir
from tests.report_fixture import TEXTS, make_run, make_sweep, rewrite_summary
from tests.report_fixture.corpus import chunk_documents
from tests.report_fixture.effects import effects_of

WORDS = {
    "en": {"regression": "regression", "none": "No regression was found.", "without": "This variant has no reranker"},
    "zh": {"regression": "退步", "none": "没有发现退步。", "without": "该方案没有重排器"},
}


def spoilt(root: Path) -> RunDir:
    run = make_run(root, n_filler=60)
    stages = effects_of(list(run.questions.values()), list(run.traces()), chunk_documents(), turned=True)
    return rewrite_summary(run, stages=stages)


def section(page: str) -> str:
    found = re.search(r'<section id="stages">.*?</section>', page, re.DOTALL)
    assert found is not None
    return found[0]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_regression_is_marked_in_the_list_and_in_the_table_of_its_category(lang: str, tmp_path: Path) -> None:
    run = spoilt(tmp_path)
    found = section(write_report(run, tmp_path / "r.html", lang, TEXTS.get).read_text(encoding="utf-8"))
    tag = f'<span class="tag bad">{WORDS[lang]["regression"]}</span>'
    alert, _, tables = found.partition('<h3 id="stage-fusion-dense">')
    assert 'role="note"' in alert and tag in tables.partition('id="stage-rerank"')[2]
    view = stage_view(run.summary, Labels(lang))
    assert view is not None
    assert alert.count(tag) == len(view["losses"]) == 4, "all questions and three categories"
    assert all(len(row["cells"]) == 5 for row in view["losses"]), "all five measures fell"
    assert WORDS[lang]["none"] not in found


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_questions_lost_and_rescued_lead_to_their_details(lang: str, tmp_path: Path) -> None:
    run = spoilt(tmp_path)
    page = write_report(run, tmp_path / "r.html", lang, TEXTS.get).read_text(encoding="utf-8")
    places = {row: at for at, row in enumerate(run.questions)}
    lost = run.summary["stages"]["rerank"]["lost"]
    assert len(lost) > 5
    for question_id in lost:
        assert f'<a href="#r{places[question_id]}" data-open="{places[question_id]}">{question_id}</a>' in section(page)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_the_variant_lacks_is_said_and_not_shown_as_nought(lang: str, tmp_path: Path) -> None:
    run = make_run(tmp_path, n_filler=0)
    without = rewrite_summary(run, stages=run.summary["stages"] | {"rerank": None})
    found = section(write_report(without, tmp_path / "r.html", lang, TEXTS.get).read_text(encoding="utf-8"))
    assert WORDS[lang]["without"] in found and 'id="stage-rerank"' not in found and 'id="stage-fusion-dense"' in found
    neither = rewrite_summary(run, stages=run.summary["stages"] | {"rerank": None, "fusion": None})
    bare = section(write_report(neither, tmp_path / "n.html", lang, TEXTS.get).read_text(encoding="utf-8"))
    assert "<table" not in bare and WORDS[lang]["none"] not in bare


def test_a_run_that_does_not_tell_of_its_stages_has_no_section(tmp_path: Path) -> None:
    old = rewrite_summary(make_run(tmp_path, n_filler=0), stages=None)
    page = write_report(old, tmp_path / "r.html", "en", TEXTS.get).read_text(encoding="utf-8")
    assert 'id="stages"' not in page and 'href="#stages"' not in page


def test_hostile_names_are_text(tmp_path: Path) -> None:
    run = make_run(tmp_path, n_filler=6)
    stages: Any = run.summary["stages"]
    bad = "<img src=x onerror=alert(1)>"
    rerank = stages["rerank"]
    rerank["by_category"][bad] = rerank["by_category"]["lookup"]
    rerank["lost"].append(bad)
    rerank["cost"]["counts"][bad] = 3
    stages["fusion"]["routes"][bad] = stages["fusion"]["routes"].pop("sparse")
    page = write_report(rewrite_summary(run, stages=stages), tmp_path / "r.html", "en", TEXTS.get)
    found = section(page.read_text(encoding="utf-8"))
    assert "<img" not in found and "&lt;img" in found


def test_pieces_add_up_to_all_evidence_and_to_the_ceiling(tmp_path: Path) -> None:
    run = make_run(tmp_path, n_filler=24)
    view = stage_view(run.summary, Labels("en"))
    assert view is not None
    assert sum(piece["width"] for piece in view["rerank"]["pieces"]) == pytest.approx(100)
    for row in view["parts"][-1]["measures"]:
        best = run.summary["stages"]["rerank"]["measures"][row["id"]]["ceiling"]
        assert sum(width for _, width in row["bars"]) == pytest.approx(100 * best)
    assert ("Pairs read", "152") in view["rerank"]["cost"] and ("Pairs cut", "3") in view["rerank"]["cost"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_sweep_lays_the_gains_side_by_side(lang: str, tmp_path: Path) -> None:
    folder, runs = make_sweep(tmp_path, sizes=(200, 500))
    bare = rewrite_summary(runs[1], stages=runs[1].summary["stages"] | {"rerank": None, "fusion": None})
    path = write_sweep_report(folder, [runs[0], bare], folder / "report.html", lang)
    found = re.search(r'<section id="effects">.*?</section>', path.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    gain = runs[0].summary["stages"]["rerank"]["measures"]["mrr"]["gain"]
    assert f"<b>+{gain:.3f}</b>" in found[0] and found[0].count("<b>–</b>") == 4
    none = [rewrite_summary(run, stages=None) for run in runs]
    path = write_sweep_report(folder, none, folder / "report.html", lang)
    assert 'id="effects"' not in path.read_text(encoding="utf-8")
