"""Failures are data: a question that fails is a row, a variant that fails is a line, a run that says nothing exits 3."""

from __future__ import annotations

import pytest

from ragbench.core.codec import read_json, read_jsonl
from ragbench.run_dir.read import RunDir
from tests.e2e.world import DOCUMENTS, OFFLINE, QUESTIONS, local, write_set

FOREIGN = "allowed_targets=[tests.e2e]"


def stage(slot: str, name: str, **values: object) -> list[str]:
    """Overrides that put a stage of `tests.e2e.stages` into a slot whose chosen option has no fields."""
    fields = [f"+pipeline.{slot}.{key}={value}" for key, value in values.items()]
    return [FOREIGN, f"pipeline.{slot}._target_=tests.e2e.stages.{name}", *fields]


@pytest.fixture
def twenty(here):
    """The tiny set's answerable questions and copies of them, twenty in all."""
    known = [row for row in QUESTIONS if row["answerable"]]
    rows = [row | {"id": f"{row['id']}-{n}"} for n in range(3) for row in known][:20]
    return write_set(here / "twenty", DOCUMENTS, rows)


def test_one_question_that_fails_is_a_row(cli, twenty):
    broken = stage("reranker", "ChokingReranker", word="Kubernetes")
    out = cli("run", *local(twenty), *OFFLINE, "variant=bm25", *broken)
    run = RunDir(out.run)
    failed = {trace.question_id: trace for trace in run.traces() if trace.error}
    assert failed.keys() == {"mix-1-0", "mix-1-1"}
    for trace in failed.values():
        assert trace.error == "ValueError: choked on Kubernetes"
        assert trace.fused, "what was reached before is kept"
        assert trace.context is None
    ranking = run.summary["metrics"]["ranking/recall@5"]
    retrieval = run.summary["metrics"]["retrieval/recall@5"]
    assert (ranking["n_scored"], ranking["n_failed"]) == (18, 2)
    assert (retrieval["n_scored"], retrieval["n_failed"]) == (20, 0)
    assert ranking["pessimistic"] == pytest.approx(ranking["mean"] * 18 / 20)
    assert run.summary["diagnosis"]["failed"] == 2
    total = run.summary["metrics"]["cost/total_ms"]
    assert (total["n_scored"], total["n_failed"]) == (18, 2), "a question that broke off is not a fast one"
    assert run.summary["cost"]["latency_ms"]["total"]["n"] == 18
    cells = [row for row in run.scores() if row["measure"] == "ranking/mrr" and row["status"] == "failed"]
    assert {row["subject"] for row in cells} == failed.keys()
    assert run.summary["health"] == []


def test_more_than_a_tenth_failed_exits_3(cli, tiny):
    broken = stage("reranker", "ChokingReranker", word="年假")
    out = cli("run", *local(tiny), *OFFLINE, "variant=bm25", *broken, code=3)
    assert out.err.count("first question zh-1: ValueError: choked on 年假") == 1
    assert "ranking/recall@1: 2 of 8 failed; first question zh-1: ValueError: choked on 年假" in out.summary["health"]
    assert all(line.startswith("cannot tell: ") for line in out.err.splitlines())
    assert RunDir(out.run).manifest["status"] == "finished"
    assert out.summary["health"]
    swept = cli("sweep", *local(tiny), *OFFLINE, "variant=bm25", "k=1,2", *broken, code=3)
    assert "cannot tell" in swept.err


def test_a_failed_question_is_asked_again(cli, tiny):
    asked = ["run", *local(tiny), *OFFLINE, "variant=bm25"]
    cli(*asked, *stage("reranker", "ChokingReranker", word="年假"), code=3)
    again = cli(*asked, *stage("reranker", "ChokingReranker", word="年假"), code=3)
    assert sum(bool(trace.error) for trace in RunDir(again.run).traces()) == 2
    well = cli(*asked, *stage("reranker", "ChokingReranker", word="nobody asks this"))
    assert not any(trace.error for trace in RunDir(well.run).traces())


@pytest.mark.parametrize("verb", ["run", "sweep"])
def test_a_stage_that_cannot_be_opened_ends_the_variant(cli, tiny, here, verb):
    broken = stage("reranker", "LockedReranker", tries=here / "tries")
    out = cli(verb, *local(tiny), *OFFLINE, "variant=bm25", *broken, code={"run": 2, "sweep": 1}[verb])
    assert "reranker: cannot be opened (RuntimeError: the model is not there)" in out.err
    assert (here / "tries").read_text() == "x", "it was tried once, not for every question"
    (manifest,) = (read_json(path) for path in (here / "runs").glob("*/manifest.json"))
    assert manifest["status"] == "failed"
    assert "the model is not there" in manifest["error"]


def test_a_stage_that_raises_while_building_is_one_line(cli, tiny, here, monkeypatch):
    broken = ["splitter=whole", *stage("splitter", "BrokenSplitter")]
    out = cli("run", *local(tiny), *OFFLINE, "variant=bm25", *broken, code=3)
    assert out.err == ("ragbench run: stopped by ZeroDivisionError: no such luck. RAGBENCH_TRACEBACK=1 shows where.\n")
    monkeypatch.setenv("RAGBENCH_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        cli("run", *local(tiny), *OFFLINE, "variant=bm25", *broken)


def test_a_failing_variant_is_shown_and_the_rest_go_on(cli, tiny):
    targets = "ragbench.splitter.whole.WholeSplitter,tests.e2e.stages.BrokenSplitter"
    out = cli(
        "sweep", *local(tiny), *OFFLINE, "variant=bm25", "splitter=whole", FOREIGN,
        f"pipeline.splitter._target_={targets}", "k=3,5", code=1,
    )  # fmt: skip
    assert "stages.BrokenSplitter k=5: ZeroDivisionError: no such luck" in out.err
    points = read_json(out.sweep / "sweep.json")["points"]
    assert [point["status"] for point in points] == ["finished", "finished", "failed", "failed"]
    assert points[2]["error"] == "ZeroDivisionError: no such luck"
    cli("report", out.sweep.name)


def test_no_judge_is_no_failure(cli, tiny, warm, models):
    asked = [
        *local(tiny),
        models,
        "sink=files",
        "split=all",
        "variant=bm25",
        f"paths.store={warm}",
        "generator=extractive",
    ]
    out = cli("run", *asked, "judge=none")
    assert "answer/faithfulness" not in out.summary["metrics"]
    assert out.summary["metrics"]["answer/refusal_accuracy"]["n_scored"] == 10
    assert out.summary["judge"] == {}
    assert list(read_jsonl(out.run / "verdicts.jsonl")) == []


def test_a_judge_that_raises_is_a_failed_verdict_and_is_asked_again(cli, tiny, warm, monkeypatch):
    asked = [
        "run",
        *local(tiny),
        "sink=files",
        "split=all",
        "variant=bm25",
        f"paths.store={warm}",
        "generator=extractive",
    ]
    broken = ["judge=none", FOREIGN, "judge._target_=tests.e2e.stages.ChokingJudge"]
    out = cli(*asked, *broken, code=3)
    verdicts = RunDir(out.run).verdicts()
    assert len(verdicts) == 10
    assert {verdict.error for verdict in verdicts.values()} == {"TimeoutError: the judge did not answer"}
    assert out.summary["metrics"]["answer/faithfulness"]["n_scored"] == 0
    assert out.summary["metrics"]["answer/faithfulness"]["mean"] is None
    from ragbench.records.score import Verdict
    from tests.e2e.stages import ChokingJudge

    monkeypatch.setattr(ChokingJudge, "judge", lambda self, question, context, answer: Verdict(question.id, "choking"))
    well = RunDir(cli(*asked, *broken, code=3).run)  # it judges no claims
    assert not any(verdict.error for verdict in well.verdicts().values())


def test_a_run_in_which_no_measure_applies_exits_3(cli, tiny, warm):
    asked = [*local(tiny), *OFFLINE, f"paths.store={warm}", "variant=bm25", "measures=[answer/citation_recall]"]
    assert "cannot tell: no measure applies to this variant" in cli("run", *asked, code=3).err
