"""The same run twice is the same, cold, warm and in another store, but for its id, paths and times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragbench.core.codec import read_json, read_jsonl
from tests.e2e.world import OFFLINE, local

TIMES = "times of the machine"
MEASURED = ("retrieval/", "ranking/", "chunks/", "query/", "answer/")


def timeless_summary(run: Path) -> Any:
    """summary.json without the run's id, `cost.latency_ms` and the means of the `cost/*_ms` measures."""
    summary = read_json(run / "summary.json")
    del summary["run_id"]
    summary["cost"]["latency_ms"] = sorted(summary["cost"]["latency_ms"])
    return _without_times(summary)


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: TIMES if key.startswith("cost/") and key.endswith("_ms") else _without_times(item)
            for key, item in value.items()
        }
    return [_without_times(item) for item in value] if isinstance(value, list) else value


def timeless_traces(run: Path) -> list[Any]:
    """traces.jsonl without times and without the marks that say what came from the store."""
    rows = list(read_jsonl(run / "traces.jsonl"))
    for row in rows:
        row["timings_ms"] = sorted(row["timings_ms"])
        for step in row["steps"]:
            for found in step["route_lists"]:
                del found["ms"], found["cached"]
    return rows


def timeless_scores(run: Path) -> list[Any]:
    """scores.jsonl.gz without the values of the time measures."""
    rows = list(read_jsonl(run / "scores.jsonl.gz"))
    for row in rows:
        if row["measure"].startswith("cost/") and row["measure"].endswith("_ms"):
            row["value"] = TIMES
    return rows


def timeless_manifest(run: Path) -> Any:
    """manifest.json without id, start, durations and what was reused or computed."""
    manifest = read_json(run / "manifest.json")
    for name in ("run_id", "started", "durations_s", "stages", "provenance"):
        del manifest[name]
    return manifest


def everything(run: Path) -> dict[str, Any]:
    """All files of a run directory, timeless."""
    seen: dict[str, Any] = {
        "summary.json": timeless_summary(run),
        "traces.jsonl": timeless_traces(run),
        "scores.jsonl.gz": timeless_scores(run),
        "manifest.json": timeless_manifest(run),
    }
    rest = {path.name for path in run.iterdir()} - seen.keys() - {"config.yaml"}
    return seen | {name: (run / name).read_bytes() for name in rest}


VARIANTS = {
    "bm25": [],
    "dense": [],
    "hybrid": ["generator=extractive", "judge=offline"],
    "hybrid_rerank": [],
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_cold_warm_and_fresh_are_the_same(cli, tiny, variant):
    asked = ["run", *local(tiny), *OFFLINE, f"variant={variant}", *VARIANTS[variant]]
    cold = cli(*asked, "paths.store=one")
    warm = cli(*asked, "paths.store=one")
    fresh = cli(*asked, "paths.store=two")
    assert cold.manifest["stages"]["computed"]["chunks"] == 1
    assert warm.manifest["stages"]["computed"] == {}
    assert warm.manifest["stages"]["embedded"] == {"texts": 0}
    assert fresh.manifest["stages"] == cold.manifest["stages"]
    assert len({cold.run, warm.run, fresh.run}) == 3
    files = everything(cold.run)
    assert {"questions.jsonl", "documents.jsonl", "chunks.jsonl.gz", "verdicts.jsonl"} <= files.keys()
    for name, content in files.items():
        assert everything(warm.run)[name] == content, name
        assert everything(fresh.run)[name] == content, name
    assert _config(cold.run) == _config(warm.run) == _config(fresh.run)


def _config(run: Path) -> list[str]:
    lines = (run / "config.yaml").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("  store:")]


def test_a_warm_run_reports_the_times_of_the_cold_one(cli, tiny):
    asked = ["run", *local(tiny), *OFFLINE, "variant=bm25"]
    cold, warm = cli(*asked), cli(*asked)
    times = [
        [found["ms"] for row in read_jsonl(out.run / "traces.jsonl") for found in row["steps"][0]["route_lists"]]
        for out in (cold, warm)
    ]
    assert times[0] == times[1]
    assert all(ms > 0 for ms in times[0])
    assert [
        found["cached"] for row in read_jsonl(warm.run / "traces.jsonl") for found in row["steps"][0]["route_lists"]
    ] == [True] * len(times[0])


def test_a_copy_of_the_set_gives_the_same_result(cli, tiny, here):
    import shutil

    copy = here / "a copy" / "tiny"
    shutil.copytree(tiny, copy)
    one = cli("run", *local(tiny), *OFFLINE, "variant=bm25")
    two = cli("run", *local(copy), *OFFLINE, "variant=bm25")
    assert timeless_summary(one.run) == timeless_summary(two.run)
    assert one.manifest["keys"] == two.manifest["keys"]
    assert two.manifest["stages"]["computed"] == {}


def test_another_seed_moves_the_intervals_alone(cli, tiny):
    one = cli("run", *local(tiny), *OFFLINE, "variant=bm25").summary
    two = cli("run", *local(tiny), *OFFLINE, "variant=bm25", "seed=1").summary
    differing = {
        (name, part)
        for name, facts in one["metrics"].items()
        for part, value in facts.items()
        if name.startswith(MEASURED) and value != two["metrics"][name][part]
    }
    assert {part for _, part in differing} <= {"low", "high"}
    assert differing
