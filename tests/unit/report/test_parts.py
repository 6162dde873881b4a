"""Words, figures, bands and losses."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from ragbench.errors import ConfigError
from ragbench.eval_set.coverage import Fate
from ragbench.evaluate.losses import Loss
from ragbench.evaluate.stage_effect import EXCLUDED
from ragbench.evaluate.stage_effect_table import CANNOT_TELL, REGRESSION
from ragbench.evaluate.waterfall import waterfall as levels
from ragbench.measure.registry import registry
from ragbench.records.question import CATEGORIES, DIFFICULTIES, LANGUAGES, SPLITS
from ragbench.report import charts, labels, numbers, svg, view_scores
from ragbench.report.labels import Labels, texts
from ragbench.report.svg import heat
from ragbench.report.view_facts import chunk_facts, cost, facts, verdict
from ragbench.report.view_losses import loss_rows, waterfall
from ragbench.report.view_questions import ChunkTexts
from ragbench.report.view_scores import advice, band, is_saturated
from ragbench.run.proof import PUT_IN, State

TEMPLATES = Path(labels.__file__).parent / "templates"


def test_both_languages_say_the_same_things() -> None:
    en, zh = texts("en"), texts("zh")
    assert {s: list(rows) for s, rows in en.items()} == {s: list(rows) for s, rows in zh.items()}
    for section, rows in en.items():
        for key, text in rows.items():
            other = zh[section][key]
            for a, b in zip(
                [text] if isinstance(text, str) else text, [other] if isinstance(other, str) else other, strict=True
            ):
                assert set(re.findall(r"{\w+}", a)) == set(re.findall(r"{\w+}", b)), (section, key)
                assert bool(a) == bool(b), (section, key)


def test_every_measure_category_and_outcome_has_words() -> None:
    assert [name for name in registry() if name.rpartition("/")[2] not in texts("en")["measures"]] == []
    groups = texts("en")["groups"]
    assert [name for name in (*CATEGORIES, *DIFFICULTIES, *LANGUAGES, *SPLITS) if name not in groups] == []
    assert tuple(loss.value for loss in Loss) == labels.OUTCOMES
    assert list(texts("zh")["outcomes"]) == list(labels.OUTCOMES)


def test_every_word_the_pages_use_exists() -> None:
    ui = texts("en")["ui"]
    used: set[str] = set()
    for path in TEMPLATES.iterdir():
        text = path.read_text(encoding="utf-8")
        used |= set(re.findall(r"\bt\('(\w+)'", text)) | set(re.findall(r"\bsay\(\"(\w+)\"", text))
    used |= {f"b_{fate}" for fate in Fate}
    used |= {f"e_out_{why}" for why in EXCLUDED} | {f"e_key_{kind}" for kind in ("kept", "won", "given", "open")}
    used |= {f"e_{kind}" for kind in (REGRESSION, CANNOT_TELL, "found", "behind_k", "behind_recall_k", "outside")}
    used |= {f"q_role_{role}" for role in ("user", "assistant")} | {
        f"q_{kind}" for kind in ("right", "error", "undecided")
    }
    used |= {f"d_drop_{why}" for why in ("budget", "too_large", "duplicate", "shortened", "truncated")}
    used |= {f"d_{kind}_{state}" for kind in ("state", "proof") for state in State}
    used |= {f"d_proof_{state}_context" for state in ("proved", "not_proved")} | {"d_proof_proved_context_right"}
    used |= {f"d_gold_{gold}" for gold in PUT_IN.values()}
    used -= {"d_state_", "d_proof_", "d_gold_", "nav_", "d_drop_", "b_", "e_", "e_key_", "q_", "q_role_"}
    assert used - set(ui) == set()


def test_chinese_uses_its_own_punctuation() -> None:
    for section, rows in texts("zh").items():
        for key, value in rows.items():
            for text in [value] if isinstance(value, str) else value:
                assert not re.search(r"[一-鿿][,;:?]", text), (section, key, text)


def test_foreign_names_stay_as_they_are() -> None:
    zh = Labels("zh")
    assert (zh.group("年假类"), zh.measure("x/their_score@7"), zh.outcome("odd_one"), zh.layer("x")) == (
        "年假类",
        "their score@7",
        "odd one",
        "x",
    )
    assert zh.measure("ranking/recall@5") == "召回率@5"
    with pytest.raises(ConfigError):
        Labels("de")


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (0, "fix"),
        (0.5999, "fix"),
        (0.6, "advised"),
        (0.7499, "advised"),
        (0.75, "optional"),
        (0.85, "optional"),
        (0.8501, "cost"),
        (1, "cost"),
    ],
)
def test_bands_of_recall(value: float, name: str) -> None:
    assert band(value) == name


def test_advice_names_the_band_the_doubt_and_the_main_loss() -> None:
    row = {"mean": 0.7, "low": 0.5, "high": 0.9, "n_scored": 12, "n_na": 0, "n_failed": 0}
    summary = {"by_category": {"vague": {"ranking/recall@10": row}, "negative": {"ranking/recall@10": {"mean": None}}}}
    found = advice(summary, {"vague": Counter({"not_recalled": 3, "ranked_out": 1})}, {"vague": 12}, Labels("en"))
    assert found is not None and len(found["rows"]) == 1
    assert found["rows"][0]["band"] == "advised" and found["rows"][0]["worst"] == ("Not recalled", 3, "not_recalled")
    assert "must be fixed" in found["rows"][0]["unsure"] and "look at cost" in found["rows"][0]["unsure"]
    assert advice({}, {}, {}, Labels("en")) is None


def test_losses_partition_and_the_waterfall_ends_at_what_is_left() -> None:
    summary = {"diagnosis": {"ok": 6, "ranked_out": 1, "not_recalled": 3, "strange": 0, "novel": 2}}
    rows = loss_rows(summary, {"a": "ranked_out"}, Labels("en"))
    assert [row["id"] for row in rows] == ["ok", "not_recalled", "ranked_out", "novel"]
    assert rows[2]["ids"] == ["a"] and rows[0]["share"] == "50%"
    steps = waterfall(rows)
    assert [step[1:] for step in steps] == [
        (0, 12, "total"),
        (12, 9, "loss"),
        (9, 8, "loss"),
        (8, 6, "loss"),
        (0, 6, "left"),
    ]
    assert waterfall([]) == []
    assert rows[1]["changes"] and rows[3]["changes"] == ()
    counts = {row["id"]: row["n"] for row in rows}
    assert [(level.lost, level.left) for level in levels(counts)] == [(3, 9), (1, 8), (2, 6)], "the terminal's figures"


def test_saturation_is_asked_of_faithfulness_alone() -> None:
    assert is_saturated("answer/faithfulness", {}, Counter({1.0: 19, 0.5: 1}))
    assert not is_saturated("answer/faithfulness", {}, Counter({1.0: 18, 0.5: 2}))
    assert not is_saturated("ranking/recall@5", {}, Counter({1.0: 20}))


def test_texts_keep_to_their_budget_and_say_when_cut() -> None:
    chunks = ChunkTexts([("d", 0, 5000, ()), ("d", 0, 10, ("A", "B", "C", "D")), ("gone", 0, 3, ())])
    assert chunks.use(0) and chunks.use(1) and chunks.use(2) and not chunks.use(3) and not chunks.use(-1)
    rows = chunks.rows(lambda doc: "长" * 5000 if doc == "d" else None, budget=3000)
    assert [(len(row["t"]) if row["t"] is not None else None, row["c"]) for row in rows] == [
        (990, True),
        (10, False),
        (None, False),
    ]
    assert rows[1]["h"] == ["B", "C", "D"]


def test_figures() -> None:
    assert [numbers.share(v) for v in (None, 0, 1, 0.999, 0.001, 0.456)] == ["–", "0%", "100%", "99.9%", "0.1%", "46%"]
    assert [numbers.size(v) for v in (None, 5, 2048, 5 * 1024**2)] == ["–", "5 B", "2.0 KB", "5.0 MB"]
    assert [numbers.seconds(v) for v in (None, 0.25, 4.2, 600)] == ["–", "250 ms", "4.2 s", "10.0 min"]
    assert [numbers.milliseconds(v) for v in (None, 0.123, 31.9)] == ["–", "0.12", "32"]


def test_charts_of_nothing_are_nothing() -> None:
    assert charts.heat_map([], [], [], "t") == charts.score_bars([], "t") == charts.loss_waterfall([], "t") == ""
    assert charts.recall_curve({"a": [(5, (0.5, 0.4, 0.6))]}, "t", "k") == ""
    assert charts.knob_curve("k", {"a": []}, "t") == charts.grouped_bars([], {}, "t") == ""


def test_chunk_sizes_are_drawn_with_their_median() -> None:
    assert charts.size_histogram([], "t", ("x", "y", "median")) == ""
    drawn = charts.size_histogram([100, 200, 300, 5000], "Chunk sizes", ("Characters", "Chunks", "median"))
    assert "median 250" in drawn and "Characters" in drawn and 'aria-label="Chunk sizes"' in drawn


@pytest.mark.parametrize(
    ("lang", "over"),
    [("en", "3 of 40 (8%); the window is 510 tokens"), ("zh", "40 个中有 3 个（8%）；窗口为 510 token")],
)
def test_what_chunks_repeat_and_what_the_embedder_does_not_read(lang: str, over: str) -> None:
    places = [("d", 0, 10, ()), ("d", 5, 15, ()), ("e", 0, 5, ())]
    use = {"max_tokens": 510, "overflow": "truncate", "texts": 40, "over": 3, "characters": 1000, "beyond": 20}
    found = dict(chunk_facts(places, {"cost": {"facts": {"index": {"window": use}}}}, Labels(lang)))
    values = list(found.values())
    assert values[:3] == ["3", "5 · 10 · 10", "25%"] and values[3] == over
    assert values[4] == ("2% · lost" if lang == "en" else "2% · 丢失")
    assert len(chunk_facts(places, {}, Labels(lang))) == 4
    assert chunk_facts([], {}, Labels(lang))[0][1] == "0"


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("recall", "warned"), [(0.98, True), (0.99, False)])
def test_an_index_of_low_recall_is_told_with_what_to_do(lang: str, recall: float, warned: bool) -> None:
    facts = {"index": {"recall_at_10": 1.0, "recall_at_100": recall}}
    sizes = dict(cost({}, {"cost": {"facts": facts}}, Labels(lang))["sizes"])
    line = sizes.get(Labels(lang)("index_recall_low"), "")
    assert (line != "") == warned == ("@100 0.980" in line and "ef_search" in line and "index=exact" in line)


def test_a_value_of_the_whole_variant_has_no_interval() -> None:
    row = {"mean": 243.0, "low": 243.0, "high": 243.0, "n_scored": 1}
    assert view_scores.measure_row("chunks/size_p50", row, {}, Counter(), Labels("en"))["interval"] == "–"
    many = row | {"n_scored": 104}
    assert view_scores.measure_row("chunks/coherence", many, {}, Counter(), Labels("en"))["interval"] == "243.0 – 243.0"


def test_charts_escape_names_and_draw_no_formulas() -> None:
    drawn = charts.heat_map(["<b>&$x^2$ 年假"], ["a"], [[0.5]], 'title "<i>"')
    assert "<b>" not in drawn and "&lt;b&gt;&amp;$x^2$ 年假" in drawn
    assert 'aria-label="title &quot;&lt;i>&quot;"' in drawn


def test_a_chart_is_drawn_once_for_equal_data(monkeypatch: pytest.MonkeyPatch) -> None:
    real, titles = svg.draw, []
    monkeypatch.setattr(svg, "draw", lambda *args: titles.append(args[-1]) or real(*args))
    svg.forget()
    rows = [("召回 recall", (0.5, 0.4, 0.6)), ("b", (0.25, None, None))]
    first = charts.score_bars(rows, "once")
    assert charts.score_bars([*rows], "once") == first and titles == ["once"]
    assert charts.score_bars(rows, "另一个") != first
    assert charts.score_bars([("召回 recall", (0.5, 0.4, 0.7)), rows[1]], "once") != first
    assert len(titles) == 3
    svg.forget()
    assert charts.score_bars(rows, "once") == first and len(titles) == 4, "equal bytes when drawn anew"


def test_only_so_many_charts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(svg, "_KEPT", 2)
    svg.forget()
    for number in range(4):
        svg.once(str)(number)
    assert list(svg._DRAWN.values()) == ["2", "3"]
    svg.forget()


def test_heat_is_clamped() -> None:
    assert heat(-1) == heat(0) != heat(0.99) == heat(1) == heat(7)


def test_headings_are_wrapped_in_both_languages() -> None:
    assert charts.wrap("Recall@5 before reranking") == "Recall@5\nbefore\nreranking"
    assert charts.wrap("上下文精确率（排序后）") == "上下文精确率（\n排序后）"
    assert charts.wrap("n of k") == "n of k"
    assert charts.wrap("MRR") == "MRR"


def test_difficulties_stand_from_easy_to_hard() -> None:
    row = {"ranking/recall@5": {"mean": 0.5, "n_scored": 9}}
    by = dict.fromkeys(("easy", "extreme", "hard", "medium"), row)
    summary = {"metrics": row, "by_difficulty": by}
    found = view_scores.grouping("difficulty", summary, {}, Labels("en"))
    assert found is not None
    assert [one["id"] for one in found["rows"]] == ["easy", "medium", "hard", "extreme"]


def test_colours_of_groups_follow_what_is_better() -> None:
    row = {"answer/false_answer": {"mean": 0.9, "n_scored": 9}, "ranking/recall@5": {"mean": 0.9, "n_scored": 9}}
    found = view_scores.grouping("category", {"metrics": row, "by_category": {"negative": row}}, {}, Labels("en"))
    assert found is not None
    heats = {measure[2]: cell["heat"] for measure, cell in zip(found["measures"], found["rows"][0]["cells"])}
    assert heats["ranking/recall@5"] == 0.9 and heats["answer/false_answer"] == pytest.approx(0.1)


@pytest.mark.parametrize(("lang", "shown"), [("en", "Recall in 2000 tokens"), ("zh", "2000 token 内召回率")])
def test_the_budget_of_a_measure_stands_in_its_name(lang: str, shown: str) -> None:
    assert Labels(lang).measure("retrieval/recall_budget@2000") == shown
    assert "{" not in Labels(lang).measure("retrieval/recall_budget")


@pytest.mark.parametrize(
    ("lang", "answers", "without"),
    [(Labels("en"), "answered well", "Nobody answered"), (Labels("zh"), "回答良好", "不生成回答")],
)
@pytest.mark.parametrize("scored", [0, 9, None])
def test_the_first_sentence_says_what_it_counts(lang, answers, without, scored) -> None:
    """Without answers what is counted is the evidence that arrived; a run that does not tell is taken to have answers."""
    losses = [
        {"id": "ok", "n": 6, "fine": True, "name": "ok"},
        {"id": "not_recalled", "n": 3, "fine": False, "name": "x"},
    ]
    metrics = {} if scored is None else {"answer/answered": {"n_scored": scored, "n_failed": 0, "mean": None}}
    (first, *_) = verdict({"metrics": metrics}, losses, lang)
    assert "6" in first and "9" in first
    assert (without if scored == 0 else answers) in first


@pytest.mark.parametrize(("lang", "cores"), [("en", "2 cores"), ("zh", "2 核")])
def test_the_machine_is_told_in_words(lang: str, cores: str) -> None:
    told = facts({"provenance": {"cpu": {"model": "Example CPU", "count": 2}}}, {}, Labels(lang))
    assert f"Example CPU · {cores}" in [value for _, value, _ in told]
    unknown = facts({}, {}, Labels(lang))
    assert cores not in str(unknown)
