"""The findings of a sweep in its report, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbench.core.codec import read_json, write_json
from ragbench.findings.find import find
from ragbench.findings.variant import Variant, cost_of
from ragbench.report.sweep import write_sweep_report
from ragbench.report.sweep_charts import front_plot
from ragbench.run_dir import layout
from ragbench.sink.findings_lines import findings_lines
from tests.report_fixture import make_sweep, shown

M = "ranking/recall@5"


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """A sweep over three sizes with its findings, one of whose axes has a hostile value."""
    folder, runs = make_sweep(tmp_path_factory.mktemp("swept"))
    hostile = ("<script>alert(2)</script>", "长块", "c")
    plain, noted = [], []
    for size, other, run in zip((200, 500, 800), hostile, runs):
        ms, cost, unit = cost_of(run.summary)
        values = {M: {f"q{n}": min(1.0, size / 600 + n % 3 / 10) for n in range(12)}}
        for into, at in ((plain, {"chunk_size": str(size)}), (noted, {"note": other})):
            into.append(Variant(run.run_id, at, (), values, ms or float(size), cost, unit))
    found = find(plain, ["chunk_size"], [M], 0, None)
    found[0]["effects"] += find(noted, ["note"], [M], 0, None)[0]["effects"]
    assert found[0]["curves"] and len(found[0]["effects"]) == 2
    write_json(folder / layout.SWEEP, read_json(folder / layout.SWEEP) | {"findings": found})
    return folder, runs


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ("What the sweep found", "best is ", "What each axis does", "What quality costs", "on the front")),
        ("zh", ("扫描的结论", "最优方案为", "各个轴的作用", "质量的代价", "位于前沿")),
    ],
)
def test_the_page_has_the_findings(swept, tmp_path: Path, lang: str, words: tuple[str, ...]) -> None:
    folder, runs = swept
    text = shown(write_sweep_report(folder, runs, tmp_path / "r.html", lang))
    for word in words:
        assert word in text, word
    assert 'id="findings"' in text and "长块" in text
    assert "alert(2)" in text and "<script>alert" not in text


def test_a_page_of_fewer_runs_than_were_found_on_leaves_the_others_nameless_but_whole(swept, tmp_path: Path) -> None:
    folder, runs = swept
    best = read_json(folder / layout.SWEEP)["findings"][0]["best"]["run_id"]
    some = [run for run in runs if run.run_id != best]
    text = shown(write_sweep_report(folder, some, tmp_path / "r.html", "en"))
    assert 'id="findings"' not in text, "their best is not on the page"


def test_a_front_of_one_is_not_drawn() -> None:
    assert front_plot([("a", 1.0, 0.5, True)], ("x", "y"), "t") == ""
    assert "第一" in front_plot([("第一", 1.0, 0.5, True), ("b", 2.0, 0.4, False)], ("毫秒", "召回"), "t")


@pytest.mark.parametrize(
    ("lang", "rises", "knee"), [("en", "may be better still", "knee at"), ("zh", "更大的取值可能更好", "拐点为")]
)
def test_a_curve_that_still_rises_has_no_knee(swept, tmp_path: Path, lang: str, rises: str, knee: str) -> None:
    """At the largest value nothing is known of what is beyond."""
    folder, runs = swept
    sweep = read_json(folder / layout.SWEEP)
    curve = sweep["findings"][0]["curves"][0]
    lines = {}
    for name, at in (("rises", curve["points"][-1]["value"]), ("flat", curve["points"][0]["value"])):
        changed = sweep["findings"][0] | {"curves": [curve | {"knee": at}]}
        (tmp_path / name).mkdir()
        write_json(tmp_path / name / layout.SWEEP, sweep | {"findings": [changed]})
        text = shown(write_sweep_report(tmp_path / name, runs, folder / f"{name}.html", lang))
        assert (rises in text, knee in text) == (name == "rises", name == "flat")
        lines[name] = "".join(findings_lines([changed], {run.run_id: run.run_id for run in runs}))
    assert "may be better still" in lines["rises"] and "knee at" in lines["flat"]
