"""Words, report and summary of an experiment, in both languages."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ragbench.core.codec import write_json
from ragbench.errors import ConfigError, DataError
from ragbench.experiment import analyse as analysis
from ragbench.experiment.forms import FORMS
from ragbench.experiment.plan import Cell
from ragbench.experiment.sets import MissingSet
from ragbench.report import experiment_words
from ragbench.report.experiment import write_experiment_report
from ragbench.report.experiment_index import ORDER
from ragbench.report.experiment_markdown import write_experiment_markdown
from ragbench.report.experiment_means import means_lines
from ragbench.report.experiment_words import Words, experiment_texts, signed, times
from tests.report_fixture import shown
from tests.unit.experiment import FAITHFUL, RECALL, TOKENS, evidence_of, share, study_of

SOURCES = Path(experiment_words.__file__).parent


def metric(mean: float) -> dict[str, float]:
    return {"mean": mean, "low": mean - 0.1, "high": mean + 0.1, "n_scored": 60}


@pytest.fixture
def folder(tmp_path) -> Path:
    """An experiment's folder: a knee that is told, a part that needs another model, hostile names."""
    study = study_of(
        tmp_path,
        claim={"en": "<script>alert(1)</script> size | matters", "zh": "大小有影响"},
        verdict=[
            {"rule": "knee", "metric": RECALL, "margin": 0.1},
            {"rule": "best_differs", "metrics": [RECALL, FAITHFUL], "margin": 0.1, "needs": {"generator": ["chat"]}},
        ],
    )
    rights = {"200": 10, "500": 45, "800": 46}
    evidence = evidence_of(
        study,
        {
            ("one", name): {RECALL: share(n, 60), FAITHFUL: share(60, 60), TOKENS: [int(name) / 2] * 60}
            for name, n in rights.items()
        },
    )
    for cell, one in evidence.readings.items():
        one.summary["metrics"].update({RECALL: metric(rights[cell.variant] / 60), FAITHFUL: metric(0.9)})
        one.summary["variant"]["chunk_size"] = int(cell.variant)
    found = analysis.analyse(evidence, [MissingSet("far", "unset", "far/x")])
    target = tmp_path / "experiment-sizes-1"
    target.mkdir()
    extra = {"experiment_id": target.name, "failed": [{"label": "one · <b>", "error": "choked"}], "notes": ["a note"]}
    write_json(target / "experiment.json", found | extra)
    return target


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_report_is_whole_and_self_contained(folder, lang) -> None:
    text = shown(write_experiment_report(folder, folder / "report.html", lang))
    assert "<script>alert" not in text and "one · &lt;b&gt;" in text
    assert text.count("<svg") >= 4
    assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", text)
    words = Words(lang)
    assert words("outcome_cannot_tell") in text and words("outcome_confirmed") in text
    assert ("相同上下文" in text) == (lang == "zh")
    assert words("why_needs_model", slot="generator", options="chat", ran="extractive") in text


def test_the_summary_ends_where_it_should_and_escapes_tables(folder) -> None:
    text = write_experiment_markdown(folder, folder / "experiment.md", "en").read_text(encoding="utf-8")
    assert "**verdict: cannot tell — " in text
    assert "far: left out and counted as missing" in text
    assert "| Recall@5 before reranking | 0.167 |" in text and "**+0.583**" in text
    assert "Knees" in text and "a note" in text


def test_the_verdict_line_names_pairs_by_set_and_language(folder) -> None:
    from ragbench.core.codec import read_json

    line = Words("en").verdict_line(read_json(folder / "experiment.json"))
    assert "\n" not in line
    assert "confirmed; 800 against 200, Recall@5 before reranking: +0.600 [" in line
    assert "n 60 (one 60; en 30, zh 30)" in line
    assert line.endswith("Not measured: far")


def test_no_experiment_in_a_folder_and_no_such_language(tmp_path, folder) -> None:
    with pytest.raises(DataError, match=r"experiment\.json"):
        write_experiment_report(tmp_path, tmp_path / "r.html", "en")
    with pytest.raises(ConfigError):
        write_experiment_report(folder, folder / "r.html", "de")


def test_both_languages_say_the_same_things() -> None:
    en, zh = experiment_texts("en"), experiment_texts("zh")
    assert list(en) == list(zh)
    for key, text in en.items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", zh[key])), key
        assert not re.search(r"[一-鿿][,;:?]", zh[key]), key


def test_every_word_that_is_used_exists_and_none_is_idle() -> None:
    texts = set(experiment_texts("en"))
    templates = "".join(path.read_text(encoding="utf-8") for path in (SOURCES / "templates").glob("experiment*.html"))
    used = set(re.findall(r"\bx\('(\w+)'", templates)) - {"outcome_"}
    for path in SOURCES.glob("experiment*.py"):
        used |= {key for key in re.findall(r"[\"'](\w+)[\"']", path.read_text(encoding="utf-8")) if key in texts}
    assert used <= texts
    made = {
        key
        for key in texts
        if key.startswith(
            ("outcome_", "rule_", "why_", "missing_", "test_", "name_", "says_", "derived_", "index_why_")
        )
    } | {f"index_{status}" for status in ORDER}
    assert texts - used - made == set()


def test_every_rule_reason_and_criterion_has_words() -> None:
    texts = experiment_texts("en")
    assert [rule for rule in FORMS if f"rule_{rule}" not in texts] == []
    package = Path(analysis.__file__).parent
    code = "".join(
        path.read_text(encoding="utf-8") for path in sorted(package.glob("*.py")) if path.name != "fields.py"
    )
    reasons = set(re.findall(r"Reason\(\"(\w+)\"", code)) | set(re.findall(r"return \"(\w+)\"\n", code))
    assert {"straddles", "disagree", "identical", "saturated", "failed"} <= reasons
    assert [name for name in reasons if f"why_{name}" not in texts] == []
    criteria = set(re.findall(r"Criterion\(\"(\w+)\"", code))
    assert [name for name in criteria if f"test_{name}" not in texts] == []


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0, "0"), (0.0414, "+0.041"), (-0.5, "−0.500"), (-2152.31, "−2,152.3"), (0.0001, "+0.000")]
)
def test_differences_carry_their_sign(value, shown) -> None:
    assert signed(value) == shown


def test_ratios() -> None:
    assert (times(0.0), times(5.743003188), times(-0.693147)) == ("×1", "×312", "×0.5")


def chosen_folder(tmp_path, optional=False) -> Path:
    """An experiment that chooses, over all kinds of rules there are words for."""
    checks = [
        {"rule": "tuned_gain_at_most", "metric": RECALL, "value": 500, "margin": 0.02, "category": "vague"},
        {"rule": "best_near", "metric": RECALL, "value": 500, "within": 100},
        {"rule": "category_gain", "metric": RECALL},
        {"rule": "order", "metric": RECALL, "among": [200, 800]},
        {"rule": "steps", "metric": RECALL, "gains": [0.3, -0.1], "factor": 2},
        {"rule": "rises", "variant": 200, "metrics": [RECALL, FAITHFUL]},
        {"rule": "flat_around", "metric": RECALL, "value": 500, "margin": 0.1},
        {"rule": "ratio", "metric": RECALL, "a": 500, "b": 200, "low": 1, "high": 2},
        {"rule": "ratio", "metric": "timing/query_ms", "a": 500, "b": 200, "low": 1, "high": 2, "percentile": 95},
        {"rule": "better_than", "metric": RECALL, "a": 500, "b": 200, "language": "zh"},
    ]
    study = study_of(tmp_path, verdict=checks, optional=[800] if optional else [500])
    rights = {"200": 10, "500": 45, "800": 46}
    evidence = evidence_of(study, {("one", name): {RECALL: share(n, 60)} for name, n in rights.items()})
    ms = {Cell("one", "", name): {f"q{at}": 10.0 * (at % 7 + 1) for at in range(60)} for name in ("200", "500")}
    gone = {Cell("two", "", "800"): "hub/model"} if optional else {}
    found = analysis.analyse(replace(evidence, query_ms=ms, unavailable=gone), [])
    target = tmp_path / "experiment-chosen-1"
    target.mkdir()
    write_json(target / "experiment.json", found | {"experiment_id": target.name, "failed": [], "notes": []})
    return target


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_best_values_stand_in_report_and_summary(tmp_path, lang) -> None:
    folder = chosen_folder(tmp_path)
    page = shown(write_experiment_report(folder, folder / "report.html", lang))
    text = write_experiment_markdown(folder, folder / "experiment.md", lang).read_text(encoding="utf-8")
    words = Words(lang)
    for place in (page, text):
        assert words("bests") in place
        assert "500 … 800" in place
        assert words("says_better") in place
    assert "40.0 / 70.0" in page, "p50 and p95 of the questions"
    assert words("chosen", values="500 100%").split("500")[0] in text
    assert "Knees" not in text and "拐点" not in text, "what is chosen has a best value and no knee"


def test_each_rule_says_what_it_asks(tmp_path) -> None:
    from ragbench.core.codec import read_json

    found = read_json(chosen_folder(tmp_path) / "experiment.json")
    en, zh = Words("en"), Words("zh")
    said = [en.check(check) for check in found["checks"]]
    assert said[0].startswith("a tuned value gains at most 0.02 over 500") and said[0].endswith("(Vague)")
    assert "in the order 200, 800 each is better than the one before it by more than 0" in said[3]
    assert "the steps are 0.3, -0.1, to a factor of 2" in said[4]
    assert said[5].startswith("Recall@5 before reranking, Faithfulness: each is larger")
    assert "none of 200, 500, 800 differs from 500" in said[6]
    assert "has 1 to 2 times the Recall@5" in said[7]
    assert said[8] == "percentile 95 of 500 is 1 to 2 times that of 200 in milliseconds a question"
    assert said[9].endswith("(Chinese)")
    assert all("{" not in zh.check_line(check) for check in found["checks"])
    legs = [en.leg(check["legs"][0]) for check in found["checks"] if check["legs"]]
    assert legs[0].startswith("tuned against 500, Recall@5")
    assert any(leg.startswith("Faithfulness against Recall@5 before reranking: ") for leg in legs)


def test_a_model_that_is_not_there_is_told(tmp_path) -> None:
    from ragbench.core.codec import read_json

    folder = chosen_folder(tmp_path, optional=True)
    line = "800 is not run: its model hub/model is not on this machine"
    assert line in write_experiment_markdown(folder, folder / "x.md", "en").read_text(encoding="utf-8")
    assert line in shown(write_experiment_report(folder, folder / "x.html", "en"))
    assert line in Words("en").verdict_line(read_json(folder / "experiment.json"))


def test_an_experiment_of_an_older_release_can_be_shown(tmp_path) -> None:
    from ragbench.core.codec import read_json

    folder = chosen_folder(tmp_path)
    found = read_json(folder / "experiment.json")
    for key in ("best", "unavailable"):
        found.pop(key)
    for point in found["points"]:
        point.pop("query_ms")
    found["checks"] = [check for check in found["checks"] if check["rule"] in ("ratio", "better_than")]
    for check in found["checks"]:
        for key in ("among", "category", "language"):
            check.pop(key)
    write_json(folder / "experiment.json", found)
    assert write_experiment_report(folder, folder / "report.html", "en").is_file()
    assert write_experiment_markdown(folder, folder / "experiment.md", "zh").is_file()


def test_the_means_fit_the_terminal_and_lack_no_variant(folder) -> None:
    from ragbench.core.codec import read_json

    found = read_json(folder / "experiment.json")
    lines = list(means_lines(found, Words("en")))
    assert lines[0].endswith("the baseline is 200.") and lines[1].split() == list(found["variants"])
    row = next(line for line in lines[2:] if line.strip().startswith("one"))
    point = {p["variant"]: p["metrics"][RECALL]["mean"] for p in found["points"] if p["set"] == "one"}
    assert row.split()[1:] == [f"{point[name]:.3f}" for name in found["variants"]]
    narrow = list(means_lines(found, Words("en"), width=18))
    assert max(map(len, narrow[1:])) <= 18 and sum(line.count("0.167") for line in narrow) == sum(
        line.count("0.167") for line in lines
    )
    assert list(means_lines(found | {"points": []}, Words("zh"))) == []


def test_wide_names_keep_the_columns_of_the_means(folder) -> None:
    from rich.cells import cell_len

    from ragbench.core.codec import read_json

    found = read_json(folder / "experiment.json")
    name = "内部制度" * 12
    found["sets"][0]["name"] = name
    for point in found["points"]:
        point["set"] = name
    lines = list(means_lines(found, Words("en")))[1:]
    rows = [line for line in lines if line.startswith("  内部")]
    assert rows and {cell_len(line) for line in rows} == {cell_len(lines[0])} and max(map(cell_len, lines)) <= 100
