"""The section on query understanding: figures, marks, examples, and what is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragbench.report.html import write_report
from ragbench.report.labels import LANGUAGES, Labels, texts
from ragbench.report.sweep import sweep_view
from ragbench.report.view_query import query_view
from ragbench.report.view_query_examples import OF_A_FORM, Examples
from ragbench.report.view_questions import ChunkTexts, place
from ragbench.run_dir.read import RunDir
from tests.report_fixture import TEXTS, make_run, make_sweep, rewrite_summary
from tests.report_fixture.understood import write

WORDS = {
    "en": {"title": "Query understanding", "called": "Called", "typed": "This variant searches questions as typed", "oracle": "Oracle:"},
    "zh": {"title": "查询理解", "called": "判为", "typed": "该方案按原问题检索", "oracle": "参照上限："},
}  # fmt: skip


def page_of(run: RunDir, path: Path, lang: str) -> str:
    return write_report(run, path / f"{lang}.html", lang, TEXTS.get).read_text(encoding="utf-8")


def section(page: str) -> str:
    found = re.search(r'<section id="query">.*?</section>', page, re.DOTALL)
    assert found is not None
    return found[0]


def view_of(run: RunDir, lang: str = "en"):
    chunks = ChunkTexts([place(row) for row in run.chunk_rows()])
    examples = Examples(run.summary, run.questions, chunks, TEXTS.get)
    list(examples.watch(run.traces()))
    return query_view(run.summary, examples, Labels(lang))


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunDir:
    return write(tmp_path_factory.mktemp("query"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_confusion_tiers_costs_and_class_errors_stand_in_the_page(lang, run, tmp_path):
    found = section(page_of(run, tmp_path, lang))
    for part in (
        "query-complexity",
        "query-category",
        "query-classes",
        "stage-query",
        "query-helpful",
        "query-harmful",
    ):
        assert f'id="{part}"' in found
    table = run.summary["query"]["complexity"]
    for row in table["confusion"].values():
        for n in filter(None, row.values()):
            assert f"<b>{n}</b>" in found
    assert all(f'<td class="n">{tier["n"]}</td>' in found for tier in table["tiers"].values())
    assert WORDS[lang]["called"] in found and "no JSON &lt;i&gt;" in found


def test_every_gold_class_is_a_column_and_abstentions_are_no_error(run):
    table = next(one for one in view_of(run)["kinds"] if one["id"] == "complexity")
    assert table["columns"] == ["simple lookup", "multi-hop", "comparison", "decomposable", "ambiguous", "abstained"]
    assert [row["name"] for row in table["rows"]] == table["columns"][:-1]
    kinds = {cell["kind"] for row in table["rows"] for cell in row["cells"][-1:]}
    assert kinds <= {"undecided", ""} and "undecided" in kinds
    assert all(row["cells"][at]["kind"] in ("right", "") for at, row in enumerate(table["rows"]))
    assert [tier["name"] for tier in table["tiers"]] == ["rules", "small model", "language model", "abstained"]


def test_examples_show_both_sides_with_the_evidence_wherever_it_stands(run):
    groups = {group["kind"]: group["rows"] for group in view_of(run)["examples"]}
    assert set(groups) == {"helpful", "harmful"}
    for row in (*groups["helpful"], *groups["harmful"]):
        assert row["before"][0]["rank"] == 1
        assert [form["name"] for form in row["forms"]] == ["as typed", "variant", "part"]
        assert all(len(form["hits"]) <= OF_A_FORM + 1 for form in row["forms"])
        ranks = {side: [hit["rank"] for hit in row[side] if hit["hit"]] for side in ("before", "after")}
        assert ranks["before"] != ranks["after"], "something moved"
        marked = [text for hit in row["after"] if hit["hit"] for mark, text in hit["pieces"] if mark]
        assert marked or row["id"] == "whole-001"
    best = groups["helpful"][0]["moved"]
    assert best["recall@2"] >= groups["helpful"][-1]["moved"]["recall@2"] >= 0 > groups["harmful"][0]["moved"]["mrr"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_hostile_forms_and_reasons_are_text(lang, run, tmp_path):
    found = section(page_of(run, tmp_path, lang))
    assert "<script>" not in found and "<img" not in found and "&lt;script&gt;alert(&#39;form&#39;)" in found


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_run_that_only_classifies_says_so_and_one_that_does_nothing_has_no_section(lang, run, tmp_path):
    query = run.summary["query"] | {"downstream": None}
    plain = make_run(tmp_path, n_filler=0)
    found = section(page_of(rewrite_summary(plain, query=query), tmp_path, lang))
    assert WORDS[lang]["typed"] in found and "stage-query" not in found
    for nothing in (query | {"complexity": None, "category": None}, None):
        bare = page_of(rewrite_summary(plain, query=nothing), tmp_path, lang)
        assert 'id="query"' not in bare and 'href="#query"' not in bare


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_oracle_is_named(lang, run, tmp_path):
    assert WORDS[lang]["oracle"] in page_of(run, tmp_path, lang)
    assert WORDS[lang]["oracle"] not in page_of(
        rewrite_summary(make_run(tmp_path, n_filler=0), oracle=[]), tmp_path, lang
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_comparison_names_its_oracles(lang, tmp_path):
    folder, runs = make_sweep(tmp_path)
    rewrite_summary(runs[1], oracle=["query"])
    view = sweep_view(folder.name, {}, [RunDir(one.folder) for one in runs], tmp_path / "r.html", Labels(lang))
    (warning,) = (line for line in view["warnings"] if WORDS[lang]["oracle"] in line)
    assert warning.startswith(view["rows"][1]["name"])


def test_without_texts_places_stand_in_for_them(run, tmp_path):
    page = write_report(run, tmp_path / "r.html", "en", lambda doc_id: None).read_text(encoding="utf-8")
    assert "The text is not shown" in section(page)


def test_questions_without_a_label_have_tiers_and_no_confusion(run, tmp_path):
    table = run.summary["query"]["complexity"] | {"labelled": 0, "accuracy": None, "low": None, "high": None}
    table |= {"macro_f1": None, "confusion": {}}
    plain = rewrite_summary(make_run(tmp_path, n_filler=0), query=run.summary["query"] | {"complexity": table})
    found = section(page_of(plain, tmp_path, "en"))
    assert "No question has a label" in found and "small model" in found


def test_both_languages_have_the_same_words():
    for part in ("query_classes", "query_forms"):
        assert texts("en")[part].keys() == texts("zh")[part].keys()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_moved_question_is_named_and_how_many_are_shown(lang, run):
    table = run.summary["query"]["downstream"]
    for group in view_of(run, lang)["examples"]:
        n = table[f"n_{group['kind']}"]
        shown = [row["id"] for row in group["rows"]]
        assert [*shown, *group["others"]] == [row["id"] for row in table[group["kind"]]] and group["others"]
        assert str(len(shown)) in group["title"] and str(n) in group["title"]


@pytest.mark.parametrize(("lang", "words"), [("en", "Not held out: 3 of the 9"), ("zh", "9 题中有 3 题")])
def test_questions_that_a_model_saw_in_training_are_told(lang, words, run, tmp_path):
    row = {"label": "complexity", "data": "a/v1", "split": "dev", "n": 3, "of": 9}
    told = rewrite_summary(make_run(tmp_path, n_filler=0), query=run.summary["query"] | {"not_held_out": [row]})
    assert words in section(page_of(told, tmp_path, lang))
    assert words not in section(page_of(run, tmp_path, lang))


def test_what_was_tested_is_told(run):
    table = run.summary["query"]["downstream"]
    cells = [cell for row in table["by_category"].values() for cell in row["measures"].values()]
    tested = sum(cell["p"] is not None for cell in cells)
    said = view_of(run)["part"]["tests"]
    assert said.startswith(f"Only losses are tested: {tested} of {table['tests']}" if tested else "No cell")
