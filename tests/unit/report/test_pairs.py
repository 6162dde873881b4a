"""The section of a comparison report that holds the figures of `ragbench compare`, in both languages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragbench.compare.pairs import BUDGET, Options, compare_runs
from ragbench.compare.table import signed
from ragbench.report.labels import Labels
from ragbench.report.sweep import write_sweep_report
from ragbench.report.view_pairs import pairs_headline, pairs_view
from ragbench.run_dir.read import RunDir
from tests.report_fixture import shown
from tests.unit.compare import F1, FAITHFUL, NDCG, TOKENS, write_run

N = 48


def values(shift: float = 0.0, seed: int = 1) -> list[float]:
    return np.clip(0.5 + shift + 0.1 * np.random.default_rng(seed).standard_normal(N), 0, 1).tolist()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[RunDir]:
    root = tmp_path_factory.mktemp("pairs")
    a = {NDCG: values(), F1: values(0.1, 2), FAITHFUL: values(), TOKENS: [500.0] * N}
    b = {NDCG: values(0.1, 2), F1: values(), FAITHFUL: values(), TOKENS: [800.0] * N}
    outcomes = [
        {"diagnosis_by_question": {"q000": one, "q001": other}} for one, other in (("ok", "unused"), ("query", "ok"))
    ]
    made = {"variant": {"alpha": "<b>0.3</b>"}, "roots": {"alpha": 0.3}, "summary": outcomes[1]}
    return [
        write_run(root, "a-1", a, summary=outcomes[0]),
        write_run(root, "b-1", b, **made),
        write_run(root, "c-1", a, variant={"k": 9}, roots={"k": 9}),
        write_run(root, "l-1", a, summary={"eval_set": {"lock": "other"}}),
    ]


@pytest.mark.parametrize(
    ("lang", "says"), [("en", "A trade-off: alpha=<b>0.3</b> is better in nDCG@10"), ("zh", "有得有失")]
)
def test_the_figures_are_those_of_the_terminal(runs: list[RunDir], lang: str, says: str) -> None:
    labels = Labels(lang)
    found = pairs_view(runs[:2], lambda _: None, labels)
    assert found is not None
    (view,), (pair,) = found["pairs"], compare_runs(runs[0], runs[1:2], Options())
    rows = {row["measure"][2]: row for row in view["rows"]}
    for one in (one for one in pair.contrasts if not one.category):
        assert rows[one.metric]["difference"] == signed(one.found.mean)
        assert rows[one.metric]["state"] == one.state
    assert view["sentence"].startswith(says) and view["trade_off"]
    assert [key[0] for key in view["keys"] if key[3]] == ["alpha"]
    turned = view["found"].found
    assert [rows[0].question_id for rows in (turned.won, turned.lost)] == ["q001", "q000"]
    assert [part["n"] for part in view["turned"]["parts"]] == [len(turned.won), len(turned.lost)]
    assert pairs_headline(found, labels) == view["sentence"]


def test_many_runs_are_held_against_the_first(runs: list[RunDir]) -> None:
    labels = Labels("en")
    found = pairs_view(runs[:3], lambda _: None, labels)
    assert found is not None and [pair["run_id"] for pair in found["pairs"]] == ["b-1", "c-1"]
    assert pairs_headline(found, labels) == found["pairs"][0]["sentence"], "what cannot be told apart is no headline"


@pytest.mark.parametrize(
    ("lang", "says"),
    [
        ("en", "Of 4 variants, held against base: 2 better, 1 better in some measures and worse in others."),
        ("zh", "4 个方案与 base 相比：2 个更好、1 个有得有失。"),
    ],
)
def test_a_headline_counts_many_verdicts(lang: str, says: str) -> None:
    verdicts = ["better", "trade", "alike", "better"]
    found = {"base": {"name": "base"}, "pairs": [{"verdict": one, "sentence": one} for one in verdicts]}
    assert pairs_headline(found, Labels(lang)) == says


@pytest.mark.parametrize(("lang", "says"), [("en", "equal k is not equal text"), ("zh", "k 相同并不等于文本量相同")])
def test_a_verdict_on_other_chunks_tells_recall_at_an_equal_budget(tmp_path: Path, lang: str, says: str) -> None:
    cut = {"variant": {"chunk_size": 900}, "roots": {"chunk_size": 900}, "spans": 90}
    a = write_run(tmp_path, "a-1", {NDCG: values(), BUDGET: values()})
    b = write_run(tmp_path, "b-1", {NDCG: values(0.2, 2), BUDGET: values()}, **cut)
    found = pairs_view([a, b], lambda _: None, Labels(lang))
    assert found is not None and says in found["pairs"][0]["sentence"]


def test_other_eval_sets_have_no_such_section(runs: list[RunDir]) -> None:
    assert pairs_view([runs[0], runs[3]], lambda _: None, Labels("en")) is None
    assert pairs_view(runs[:1], lambda _: None, Labels("en")) is None
    assert pairs_headline(None, Labels("en")) == ""


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_holds_it_escaped(runs: list[RunDir], tmp_path: Path, lang: str) -> None:
    two = shown(write_sweep_report(tmp_path / "x", runs[:2], tmp_path / "x.html", lang))
    three = shown(write_sweep_report(tmp_path / "y", runs[:3], tmp_path / "y.html", lang))
    none = shown(write_sweep_report(tmp_path / "z", [runs[0], runs[3]], tmp_path / "z.html", lang))
    assert 'id="pairs"' in two and "<b>0.3</b>" not in two and "&lt;b&gt;0.3&lt;/b&gt;" in two
    assert two.count('class="pair"') == 0 and three.count('class="pair"') == 2
    assert 'id="pairs"' not in none
    first = two[two.index('<p class="verdict">') :].partition("</p>")[0]
    assert {"en": "A trade-off", "zh": "有得有失"}[lang] in first, "the paired verdict comes first"
    assert "{" not in Labels(lang)("cmp_method")
