"""An experiment from its file to its verdict, on a tiny set."""

from __future__ import annotations

import yaml

from ragbench.core.codec import read_json
from tests.e2e.world import DOCUMENTS, OFFLINE, QUESTIONS, local, write_set

RECALL = "ranking/recall@1"
QUICK = ("variant=bm25", *OFFLINE)


def study(here, **changes):
    """Write ./experiments/tiny.yaml, which varies how many chunks there are."""
    data = {
        "claim": {"en": "Small chunks win.", "zh": "小块更好。"},
        "base": {"splitter": "recursive", "chunk_unit": "chars", "overlap": 0},
        "vary": {"key": "chunk_size", "values": [30, 60, 5000]},
        "baseline": 60,
        "eval_sets": ["tiny", {"name": "far", "import": "squad far/x.json"}],
        "metrics": [RECALL, "retrieval/recall_budget@1000", "chunks/evidence_intact", "chunks/n_chunks"],
        "verdict": [{"rule": "better_than", "a": 30, "b": 60, "metric": RECALL}],
    } | changes
    (here / "experiments").mkdir(exist_ok=True)
    (here / "experiments" / "tiny.yaml").write_text(
        yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8"
    )


def wide_set(folder):
    """Thirty questions: the tiny set's answerable ones, three times."""
    rows = [row | {"id": f"{row['id']}-{copy}"} for copy in range(4) for row in QUESTIONS if row["answerable"]]
    return write_set(folder, DOCUMENTS, rows)


def folder_of(output):
    return next(line for line in output.out.splitlines() if line.startswith("experiment: ")).partition(": ")[2]


def test_from_the_file_to_the_verdict(cli, here, monkeypatch) -> None:
    monkeypatch.delenv("RAGBENCH_DATA", raising=False)
    study(here)
    wide_set(here / "eval_sets" / "tiny" / "v1")
    out = cli("experiment", "tiny", *QUICK, "sink.report=true")
    lines = out.out.splitlines()
    assert lines[-1].startswith("verdict: ")
    assert "n 32 (tiny 32; en 12, mixed 8, zh 12)" in lines[-1]
    assert lines[-1].endswith("Not measured: far")
    assert "note: far: left out and counted as missing; RAGBENCH_DATA does not name" in out.err
    assert [line[:3] for line in lines if "tiny · " in line] == ["1/3", "2/3", "3/3"]
    folder = here / folder_of(out)
    found = read_json(folder / "experiment.json")
    assert found["missing"][0]["name"] == "far" and found["baseline"] == "60"
    assert [point["variant"] for point in found["points"]] == ["30", "60", "5000"]
    assert len({point["chunks"] for point in found["points"]}) == 3
    sweep = read_json(folder / "sweep.json")
    assert (sweep["status"], len(sweep["points"]), sweep["experiment"]) == ("finished", 3, "tiny")
    assert "<svg" in (folder / "report.html").read_text(encoding="utf-8")
    assert "# tiny" in (folder / "experiment.md").read_text(encoding="utf-8")
    cli("report", folder, "--lang", "zh")
    assert "小块更好" in (folder / "report.html").read_text(encoding="utf-8")


def test_a_second_run_takes_everything_from_the_store_and_says_the_same(cli, here) -> None:
    study(here)
    wide_set(here / "eval_sets" / "tiny" / "v1")
    first, second = (cli("experiment", "tiny", *QUICK, "eval_set=tiny", "--json").json for _ in range(2))
    runs = [read_json(here / "runs" / point["run_id"] / "manifest.json") for point in second["points"]]
    assert all(run["stages"]["computed"] == {} for run in runs)
    for found in (first, second):
        assert found["missing"] == [], "eval_set= leaves the other sets out of the question"
        for point in found["points"]:
            point.pop("run_id")
    assert first.pop("experiment_id") != second.pop("experiment_id")
    assert first == second


def test_the_shipped_files_run_on_a_set_of_ones_own(cli, tiny, here, warm) -> None:
    out = cli("experiment", "chunk_size", *local(tiny), *QUICK, f"paths.store={warm}")
    assert "5/5 tiny · 2000" in out.out
    assert out.out.splitlines()[-1].startswith("verdict: cannot tell — ")
    assert "needs generator: chat; ran with none" in out.out
    assert "Overlap held fixed: 0." in out.out
    lines = out.out.splitlines()
    at = lines.index("Means by variant; the baseline is 500.")
    assert lines[at + 1].split() == ["200", "500", "800", "1200", "2000"]
    assert lines[at + 2] == "Recall@5 before reranking" and len(lines[at + 3].split()) == 6
    assert max(map(len, lines[at : at + 6])) <= 100


def test_everything_is_written_whatever_the_sinks_of_the_runs(cli, tiny, here) -> None:
    study(here)
    out = cli("experiment", "tiny", *local(tiny), *QUICK, "sink=files")
    folder = here / folder_of(out)
    assert f"report: {folder.relative_to(here)}" in out.out
    for name in ("report.html", "experiment.md", "experiment.json", "sweep.json"):
        assert (folder / name).stat().st_size > 100, name
    assert list(here.glob("runs/*/report.html")) == [folder / "report.html"], "runs have none of their own"
    assert "## Means" in (folder / "experiment.md").read_text(encoding="utf-8")


def test_equal_chunk_sets_are_no_comparison(cli, tiny, here) -> None:
    study(here, vary={"key": "chunk_size", "values": [4000, 5000, 6000]}, baseline=4000,
          verdict=[{"rule": "better_than", "a": 5000, "b": 4000, "metric": RECALL},
                   {"rule": "knee", "metric": RECALL, "margin": 0.1}])  # fmt: skip
    out = cli("experiment", "tiny", *local(tiny), *QUICK)
    assert out.out.count("the chunk sets are identical: not a comparison") >= 2
    assert out.out.splitlines()[-1].startswith("verdict: cannot tell")


def test_a_variant_that_fails_is_listed_and_the_rest_go_on(cli, tiny, here) -> None:
    (here / "configs" / "splitter").mkdir(parents=True)
    text = "# @package pipeline.splitter\n# Raises.\n_target_: tests.e2e.stages.BrokenSplitter\n"
    (here / "configs" / "splitter" / "broken.yaml").write_text(text, encoding="utf-8")
    variants = {"good": {"splitter": "fixed"}, "bad": {"splitter": "broken"}}
    check = {"rule": "better_than", "a": "bad", "b": "good", "metric": RECALL}
    study(here, base={"chunk_unit": "chars"}, vary={"variants": variants}, baseline="good", verdict=[check])
    out = cli("experiment", "tiny", *local(tiny), *QUICK, "allowed_targets=[tests]", code=1)
    assert "2/2 FAILED tiny · bad: ZeroDivisionError: no such luck" in out.out
    assert "cannot tell; a variant did not finish" in out.out.splitlines()[-1]
    assert [point["variant"] for point in read_json(here / folder_of(out) / "experiment.json")["points"]] == ["good"]


def test_nothing_to_measure_on(cli, here, monkeypatch) -> None:
    monkeypatch.delenv("RAGBENCH_DATA", raising=False)
    study(here, eval_sets=[{"name": "far", "import": "squad far/x.json"}])
    out = cli("experiment", "tiny", *QUICK)
    assert out.out.splitlines()[-1] == "verdict: cannot tell — no eval set is there (missing: far)"
    assert cli("experiment", "tiny", *QUICK, "--json").json["verdict"] == "cannot_tell"


def test_an_outside_set_is_imported_as_the_command_line_does(cli, here, monkeypatch) -> None:
    import json

    context = "Full backups start at 02:00 every Sunday. The server keeps backups for 35 days."
    answer = {"text": "35 days", "answer_start": context.index("35 days")}
    questions = [
        {"id": f"q{n}", "question": f"How long are backups kept, case {n}?", "answers": [answer]} for n in range(3)
    ]
    article = {"title": "Backups", "paragraphs": [{"context": context, "qas": questions}]}
    (here / "far").mkdir()
    (here / "far" / "x.json").write_text(json.dumps({"data": [article]}), encoding="utf-8")
    monkeypatch.setenv("RAGBENCH_DATA", str(here))
    study(here)
    out = cli("experiment", "tiny", *QUICK)
    assert "note: tiny: left out and counted as missing" in out.err
    assert "3/3 far · 5000" in out.out
    assert "cannot tell; 3 pairs, fewer than 20" in out.out.splitlines()[-1]


def test_experiments_are_logged_as_a_parent_with_children(cli, tiny, here, monkeypatch) -> None:
    uri = f"sqlite:///{here / 'own.db'}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    study(here)
    cli("experiment", "tiny", *local(tiny), *QUICK, "sink.mlflow=true", "sink.report=true")
    from mlflow import MlflowClient

    client = MlflowClient(uri)
    runs = client.search_runs([one.experiment_id for one in client.search_experiments()])
    parents = [run for run in runs if run.data.tags.get("ragbench.kind") == "sweep"]
    assert [run.data.tags["experiment"] for run in parents] == ["tiny"]
    children = [run for run in runs if run.data.tags.get("mlflow.parentRunId") == parents[0].info.run_id]
    assert len(children) == 3
    assert "report.html" in {item.path for item in client.list_artifacts(parents[0].info.run_id)}


def test_what_the_command_line_may_not_do(cli, tiny, here) -> None:
    assert "not to be set: chunk_size varies it" in cli("experiment", "chunk_size", "chunk_size=300", code=2).err
    assert "Did you mean splitter" in cli("experiment", "spliter", code=2).err
    assert "expected one value, found a list" in cli("experiment", "overlap", "k=3,5", code=2).err
    assert not list(here.glob("runs/*"))


def test_without_a_name_they_are_listed(cli, here) -> None:
    assert "chunk_size  A knee exists" in cli("experiment").out
    assert {one["name"] for one in cli("experiment", "--json").json} >= {
        "chunk_size",
        "overlap",
        "splitter",
        "contextual",
    }


def test_a_mistyped_set_is_no_verdict(cli):
    err = cli("experiment", "chunk_size", "eval_set=polcy_zh", code=2).err
    assert "eval set polcy_zh: expected a set of the experiment (policy_zh, product_en" in err


def test_a_set_that_needs_the_public_data_says_so(cli, here, monkeypatch):
    monkeypatch.delenv("RAGBENCH_DATA", raising=False)
    err = cli("experiment", "chunk_size", "eval_set=lihua_world", code=2).err
    assert (
        "eval set lihua_world: expected lihua_world in the folder of RAGBENCH_DATA, found RAGBENCH_DATA is not set"
        in err
    )
    assert "export RAGBENCH_DATA=" in err
    monkeypatch.setenv("RAGBENCH_DATA", str(here))
    err = cli("experiment", "chunk_size", "eval_set=lihua_world", code=2).err
    assert f"expected {here / 'lihua_world'}, found no such file or folder" in err
    (here / "lihua_world").mkdir()
    err = cli("experiment", "chunk_size", "eval_set=lihua_world", code=2).err
    assert "expected one that can be imported" in err


def test_values_chosen_on_dev_are_told_on_test(cli, here, monkeypatch) -> None:
    """From the file to the table: runs of both splits, questions timed, one optional variant left out."""
    rows = [
        row | {"id": f"{row['id']}-{split}{copy}", "split": split}
        for split in ("dev", "test")
        for copy in range(4)
        for row in QUESTIONS
        if row["answerable"]
    ]
    write_set(here / "eval_sets" / "tiny" / "v1", DOCUMENTS, rows)
    study(
        here, eval_sets=["tiny"], base={"chunk_unit": "chars"},
        vary={"key": "chunk_size", "values": [30, 60, 200], "with": {200: {"overlap": 0}}},
        optional=[200],
        verdict=[
            {"rule": "tuned_gain_at_most", "metric": RECALL, "value": 60, "margin": 0.5},
            {"rule": "best_near", "metric": RECALL, "value": 60, "within": 500},
            {"rule": "ratio", "metric": "timing/query_ms", "a": 30, "b": 60, "low": 0.001, "high": 1000, "percentile": 95},
        ],
    )  # fmt: skip
    out = cli("experiment", "tiny", *(one for one in QUICK if not one.startswith("split=")))
    assert "6/6 tiny · 200 · dev" in out.out
    found = read_json(here / folder_of(out) / "experiment.json")
    assert {point["set"] for point in found["points"]} == {"tiny"} and len(found["points"]) == 3
    assert {one["split"] for one in found["sets"]} == {"test"}
    (row,) = [one for one in found["best"] if not one["category"]]
    assert row["apart"] and row["n"] == 32
    assert found["checks"][0]["legs"][0]["pooled"]["n"] == 32
    assert [check["outcome"] for check in found["checks"][1:]] == ["confirmed", "confirmed"]
    assert all(set(p["query_ms"]) == {"p50", "p95"} for p in found["points"] if p["variant"] != "200")
    text = (here / folder_of(out) / "experiment.md").read_text(encoding="utf-8")
    assert "Best values" in text and "dev, test" in text


def test_what_an_oracle_and_a_closed_book_give_is_told_as_references(cli, here) -> None:
    variants = {
        "real": {"flow": "one_shot"},
        "evidence": {"flow": "oracle", "pipeline.flow.layer": "context"},
        "half_noise": {"flow": "noisy", "pipeline.flow.noise": 0.5},
        "closed_book": {"flow": "closed_book"},
    }
    study(
        here,
        base={"k": 2, "recall_k": 5},
        vary={"variants": variants},
        baseline="real",
        eval_sets=["tiny"],
        metrics=[RECALL, "answer/correctness_f1", "answer/evidence_in_context"],
        verdict=[
            {"rule": "better_than", "a": "evidence", "b": "closed_book", "metric": "answer/correctness_f1"},
            {
                "rule": "mean_between",
                "variant": "evidence",
                "metric": "answer/evidence_in_context",
                "low": 0.9,
                "high": 1,
            },
            {"rule": "mean_between", "variant": "closed_book", "metric": "answer/correctness_f1", "low": 0, "high": 0},
            {
                "rule": "mean_between",
                "variant": "real",
                "metric": "diagnosis/lost_before_generation",
                "low": 0,
                "high": 1,
            },
            {
                "rule": "repaired_between",
                "a": "evidence",
                "b": "real",
                "metric": "diagnosis/right",
                "low": 0,
                "high": 1,
            },
        ],
    )
    wide_set(here / "eval_sets" / "tiny" / "v1")
    answering = [one for one in QUICK if "generator" not in one and "judge" not in one]
    out = cli(
        "experiment", "tiny", *answering, "generator=extractive", "pipeline.generator.scorer=lexical", "judge=none"
    )
    assert "note: evidence is an oracle: it reads gold of the questions" in out.err
    found = read_json(here / folder_of(out) / "experiment.json")
    assert [check["outcome"] for check in found["checks"][:3]] == ["confirmed"] * 3
    runs = {point["variant"]: here / "runs" / point["run_id"] for point in found["points"]}
    oracles = {name: read_json(folder / "summary.json")["oracle"] for name, folder in runs.items()}
    assert oracles == {"real": [], "evidence": ["flow"], "half_noise": ["flow"], "closed_book": []}
