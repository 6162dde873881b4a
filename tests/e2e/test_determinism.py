"""The same run twice is the same, cold, warm and in another store, but for its id, paths and times."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragbench.core.codec import read_jsonl
from tests.e2e.timeless import everything, timeless_summary
from tests.e2e.world import OFFLINE, local

MEASURED = ("retrieval/", "ranking/", "chunks/", "query/", "answer/")

VARIANTS = {
    "bm25": [],
    "dense": [],
    "hybrid": ["generator=extractive", "judge=offline"],
    "hybrid_rerank": [],
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_cold_warm_and_fresh_are_the_same(cli, tiny, models, variant):
    asked = ["run", *local(tiny), *OFFLINE, models, f"variant={variant}", *VARIANTS[variant]]
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
    return [line for line in lines if line.split(":")[0].strip() not in ("store", "cache_dir")]


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
