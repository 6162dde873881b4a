"""The section "Chunk borders" of a comparison, and the same drawing in the report of one run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ragbench.core.codec import read_jsonl, write_jsonl
from ragbench.eval_set.align import Evidence
from ragbench.records.document import DocSpan
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question
from ragbench.report import view_borders, view_compare
from ragbench.report.border_sets import _found, _Reached
from ragbench.report.html import write_report
from ragbench.report.labels import Labels
from ragbench.report.sweep import write_sweep_report
from ragbench.report.view_borders import run_borders
from ragbench.report.view_compare import compare_borders
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir
from tests.report_fixture import TEXTS, make_cuts, make_run, make_sweep, rewrite_summary, shown
from tests.report_fixture.corpus import window_chunks
from tests.report_fixture.questions import HOSTILE

NAMES = ["lines", "small", "family"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[RunDir]:
    return make_cuts(tmp_path_factory.mktemp("cuts"))


@pytest.fixture(scope="module")
def view(runs: list[RunDir]) -> Any:
    return compare_borders(runs, NAMES, TEXTS.get, Labels("en"))


def rows_of(view: Any) -> dict[str, Any]:
    return {row["id"]: row for row in view["rows"][1:]}


def test_differing_questions_come_first_and_all_are_counted(view: Any, runs: list[RunDir]) -> None:
    (differing, first), (alike, rest) = view["groups"]
    assert differing == "Variants differ" and alike == "No difference in outcome"
    located = [one for one in runs[0].questions.values() if one.groups]
    assert [at for at, _ in (*first, *rest)] == list(range(len(located)))
    for at, _ in (*first, *rest):
        row = view["rows"][1 + at]
        told = {(json.dumps(one["f"]), one["o"]) for one in row["v"]}
        assert (len(told) > 1) == (at < len(first))


def test_fates_and_ranks_are_those_of_the_chunks(view: Any, runs: list[RunDir]) -> None:
    for row in rows_of(view).values():
        question = runs[0].questions[row["id"]]
        for variant, run in zip(row["v"], runs):
            chunks = run.chunk_rows()
            ranking = next(t for t in run.traces() if t.question_id == row["id"]).reranked
            for number, group in enumerate(question.groups):
                item = group.items[0]
                if item.whole:
                    assert variant["f"][number] == "whole"
                    continue
                inside = [
                    c for c in chunks if c["doc_id"] == item.doc_id and c["start"] < item.end and item.start < c["end"]
                ]
                intact = any(c["start"] <= item.start and item.end <= c["end"] for c in inside)
                assert (variant["f"][number] == "intact") == intact, (row["id"], run.run_id)
            for chunk, rank in variant["k"].items():
                assert ranking[rank - 1].chunk == int(chunk)
    assert {fate for row in rows_of(view).values() for one in row["v"] for fate in one["f"]} >= {
        "intact",
        "split",
        "unreachable",
    }


def test_texts_stand_once_a_question_and_borders_once_a_chunk_set(view: Any, runs: list[RunDir]) -> None:
    assert view["rows"][0] == {"pair": [0, 1], "names": NAMES, "sets": [0, 1, 2]}
    for row in rows_of(view).values():
        assert len(row["c"]) == 3 and all(len(cells) == len(row["w"]) for cells in row["c"])
        for window in row["w"]:
            assert window["t"] == TEXTS[window["d"]][window["s"] : window["e"]]
    for run, found in zip(runs, view["sets"]):
        chunks = run.chunk_rows()
        for number, (start, end, tokens, trail) in found["c"].items():
            row = chunks[int(number)]
            assert (start, end) == (row["start"], row["end"]) and tokens > 0
            assert found["h"][trail] == " › ".join(row["headings"])


def test_small_windows_split_what_lines_keep_and_parents_are_drawn(view: Any) -> None:
    by_name = dict(zip(NAMES, view["variants"]))
    assert by_name["lines"]["fates"][1] == 0 < by_name["small"]["fates"][1]
    assert by_name["small"]["fates"] == by_name["family"]["fates"]
    cells = [segment for row in rows_of(view).values() for cell in row["c"][2] for segment in cell]
    assert any("pb" in segment for segment in cells) and any(len(segment.get("c", ())) == 2 for segment in cells)
    assert not any("pb" in segment for row in rows_of(view).values() for cell in row["c"][1] for segment in cell)


def test_equal_chunk_sets_are_one_and_said_to_be_the_same(tmp_path: Path) -> None:
    chunks = window_chunks(40)
    same = [make_run(tmp_path, f"{n}-1", n_filler=0, chunks=chunks, alpha=n) for n in (0, 1)]
    found = compare_borders(same, ["a", "b"], TEXTS.get, Labels("zh"))
    assert found == {"note": "各方案的切块相同：这不是切分方式的对比。"}
    third = make_run(tmp_path, "third-1", n_filler=0, splitter="lines")
    found = compare_borders([*same, third], ["a", "b", "c"], TEXTS.get, Labels("en"))
    assert found is not None and len(found["sets"]) == 2 and found["pair"] == [0, 2]
    assert [one["twins"] for one in found["variants"]] == ["same chunks as b", "same chunks as a", ""]


def test_what_cannot_be_compared_is_not_drawn(runs: list[RunDir], tmp_path: Path) -> None:
    en = Labels("en")
    assert compare_borders(runs[:1], ["a"], TEXTS.get, en) is None
    other = make_run(tmp_path, "other-1", n_filler=0, chunks=window_chunks(40))
    locked = rewrite_summary(other, eval_set={"name": "policy_zh", "lock": "sha256:cd"})
    assert "different eval sets" in compare_borders([runs[0], locked], ["a", "b"], TEXTS.get, en)["note"]  # type: ignore[index]
    path = other.folder / layout.DOCUMENTS
    write_jsonl(path, [row | {"content_hash": "sha256:00"} for row in read_jsonl(path)])
    changed = RunDir(rewrite_summary(other, eval_set=runs[0].summary["eval_set"]).folder)
    assert "different texts" in compare_borders([runs[0], changed], ["a", "b"], TEXTS.get, en)["note"]  # type: ignore[index]
    write_jsonl(other.folder / layout.QUESTIONS, [])
    empty = RunDir(other.folder)
    assert "No question has evidence" in compare_borders([runs[0], empty], ["a", "b"], TEXTS.get, en)["note"]  # type: ignore[index]


def test_evidence_that_is_read_with_a_parent_is_told_from_evidence_that_is_found() -> None:
    evidence = Evidence(Question("q", "?", groups=(EvidenceGroup("g", (EvidenceItem("d", 40, 50),)),)))
    spans = [DocSpan("d", 0, 20), DocSpan("d", 20, 60)]
    parent, child = (DocSpan("d", 0, 60),), (DocSpan("d", 0, 20),)
    assert _found(evidence, _Reached((0, 0, 9), parent), spans) == ((0,), (True,), (0,))
    assert _found(evidence, _Reached((0, 1), child), spans) == ((2,), (False,), (0, 1))
    assert _found(evidence, _Reached((), ()), spans) == ((0,), (False,), ())


def test_long_texts_keep_to_the_budget(runs: list[RunDir], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_compare, "TEXT_BUDGET", 600)
    found = compare_borders(runs, NAMES, TEXTS.get, Labels("en"))
    assert found is not None and 0 < len(found["rows"]) - 1 < 12
    assert sum(len(window["t"]) for row in found["rows"][1:] for window in row["w"]) <= 600
    assert found["said"][1] == f"Left out to keep the page small: {12 - len(found['rows']) + 1}."


def test_without_texts_nothing_is_shown_but_intervals(runs: list[RunDir]) -> None:
    found = compare_borders(runs, NAMES, lambda _: None, Labels("en"))
    assert found is not None
    windows = [window for row in found["rows"][1:] for window in row["w"]]
    assert windows and all(window["t"] is None for window in windows)
    assert all(tokens is None for one in found["sets"] for _, _, tokens, _ in one["c"].values())


def test_the_number_of_questions_is_bounded_and_said(runs: list[RunDir], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_compare, "MOST_CELLS", 12)
    found = compare_borders(runs, NAMES, TEXTS.get, Labels("en"))
    assert found is not None and len(found["rows"]) == 1 + 4
    assert found["said"][1] == f"Left out to keep the page small: {12 - 4}."


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_draws_the_first_question_without_javascript(runs: list[RunDir], tmp_path: Path, lang: str) -> None:
    text = shown(write_sweep_report(tmp_path, runs, tmp_path / "s.html", lang, TEXTS.get))
    section = text[text.index('<section id="borders">') : text.index('<section id="diff">')]
    assert ("切块边界" in section) == (lang == "zh")
    assert section.count('class="bcol"') == 2 * section.count('class="bwin"') > 0
    assert "<mark>" in section and "&lt;b&gt;二级&lt;/b&gt;" in section and "<b>二级" not in section
    assert re.search(r'data-begin="\d+" data-at="\d+"', section)


def test_hostile_questions_stay_text(runs: list[RunDir], tmp_path: Path) -> None:
    text = shown(write_sweep_report(tmp_path, runs, tmp_path / "s.html", "en", TEXTS.get))
    assert "<img src=x" not in text and "<script>alert" not in text
    rows = re.search(r'id="data-borders">(.*?)</script>', text, re.S)
    assert rows is not None and HOSTILE in {json.loads(line).get("q") for line in rows[1].split("\n")}


def test_a_sweep_over_something_else_says_that_the_chunks_are_the_same(tmp_path: Path) -> None:
    folder, runs = make_sweep(tmp_path, sizes=(200, 500))
    text = shown(write_sweep_report(folder, runs, folder / "r.html", "en", TEXTS.get))
    assert "not a comparison of splitters" in text and 'id="border-drawing"' not in text


def test_a_run_draws_its_lost_questions_first_within_a_budget(runs: list[RunDir]) -> None:
    lost = dict.fromkeys(runs[1].questions, "ok") | {"en-002": "not_recalled"}
    places, rows, chunks, left = run_borders(runs[1], lost, TEXTS.get)
    assert places["en-002"] == 0 and len(rows) == len(places) and left == 0 and len(chunks) == 1
    assert "whole-001" not in places and "zh-003" not in places
    size = sum(len(window["t"]) for window in rows[0]["w"])
    some, few, _, without = run_borders(runs[1], lost, TEXTS.get, budget=size)
    assert list(some) == ["en-002"] and len(few) == 1 and without == len(rows) - 1
    assert run_borders(runs[1], lost, lambda _: None) == ({}, [], [], 0)


def test_undrawn_questions_are_told(runs: list[RunDir], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_borders.run_borders, "__defaults__", (400,))
    text = write_report(runs[1], tmp_path / "r.html", "en", TEXTS.get).read_text(encoding="utf-8")
    assert re.search(r"the evidence in its document is not drawn for \d+ of them", text)
