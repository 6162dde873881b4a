"""Sweeps for real work: processes, a check on three questions, failing variants, and what a sweep found."""

from __future__ import annotations

import json
import sys

import pytest

from ragbench.core.codec import read_json
from ragbench.run.points import plan_grid
from ragbench.run.rehearsal import worth_it
from tests.e2e.timeless import timeless_summary, timeless_traces
from tests.e2e.world import OFFLINE, local

GRID = ("variant=bm25", "splitter=fixed", "chunk_unit=chars", "overlap=0", "chunk_size=40,80,160", "k=1,3")
BROKEN = """
from dataclasses import dataclass
from ragbench.splitter.fixed import FixedSplitter


@dataclass(frozen=True, kw_only=True)
class Broken(FixedSplitter):
    def spans(self, document):
        if self.chunk_size == 80:
            raise ValueError("this size cannot be cut")
        return super().spans(document)
"""


@pytest.fixture
def broken(here, monkeypatch) -> list[str]:
    """Overrides of a splitter of the user's own that fails for one size."""
    (here / "own_splitter.py").write_text(BROKEN, encoding="utf-8")
    option = here / "configs" / "splitter" / "broken.yaml"
    option.parent.mkdir(parents=True)
    option.write_text(
        "# @package pipeline.splitter\n# Fails for 80.\n_target_: own_splitter.Broken\n"
        "chunk_size: ${chunk_size}\nchunk_unit: ${chunk_unit}\noverlap: ${overlap}\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(here))
    yield ["splitter=broken", "allowed_targets=[own_splitter]"]
    sys.modules.pop("own_splitter", None)


def test_a_failing_variant_is_told_at_once_and_at_the_end_and_the_rest_go_on(cli, tiny, broken):
    asked = [*local(tiny), *OFFLINE, *GRID[:1], *broken, *GRID[2:5], "reuse=true", "--no-check"]
    out = cli("sweep", *asked, code=1)
    failed = [line for line in out.err.splitlines() if line.startswith("FAILED")]
    assert failed == ["FAILED chunk_size=80: ValueError: this size cannot be cut"] * 2
    assert out.err.index(failed[0]) < out.err.rindex(failed[0])
    points = read_json(out.sweep / "sweep.json")["points"]
    assert [(point["label"], point["status"]) for point in points] == [
        ("chunk_size=40", "finished"),
        ("chunk_size=160", "finished"),
        ("chunk_size=80", "failed"),
    ]
    again = cli("sweep", *asked, code=1)
    assert "done chunk_size=40: stages reused 1 (run 1), computed 0" in again.out, "finished children are taken up"


def test_the_check_finds_what_fails_before_the_first_variant_is_run(cli, tiny, broken):
    asked = [*local(tiny), *OFFLINE, "variant=bm25", *broken, "chunk_unit=chars", "overlap=0", "chunk_size=40,160,80"]
    out = cli("sweep", *asked, "--check", code=1)
    told = [line.split(":")[0] for line in (out.err + out.out).splitlines() if line.startswith(("FAILED", "done"))]
    assert told[0] == "FAILED chunk_size=80"
    first, second = (
        read_json(out.sweep.parent / p["run_id"] / "manifest.json")
        for p in read_json(out.sweep / "sweep.json")["points"][:2]
    )
    assert first["stages"]["computed"] == {"corpus": 1, "chunks": 1, "sparse": 1}, (
        "what the check made is the run's own"
    )
    assert first["stages"]["reused"] == {} and second["stages"]["computed"] == {"chunks": 1, "sparse": 1}


def test_the_check_is_for_sweeps_that_take_long(tiny, here):
    points, _ = plan_grid([*local(tiny), *OFFLINE, *GRID])
    assert not worth_it(points)
    asking, _ = plan_grid([*local(tiny), "judge=none", "generator=chat", "llm=ollama", "k=1,3"])
    assert worth_it(asking) and not worth_it(asking[:1])


def contents(sweep):
    found = {}
    for point in read_json(sweep / "sweep.json")["points"]:
        run = sweep.parent / point["run_id"]
        files = [(run / name).read_bytes() for name in ("chunks.jsonl.gz", "documents.jsonl", "verdicts.jsonl")]
        found[point["label"]] = (timeless_traces(run), timeless_summary(run), files)
    return found


def findings(sweep):
    """Without times, by the names of the variants."""
    found = read_json(sweep / "sweep.json")
    text = json.dumps([part | {"front": None} for part in found["findings"]])
    for point in found["points"]:
        text = text.replace(json.dumps(point["run_id"]), json.dumps(point["label"]))
    return json.loads(text)


def test_two_processes_give_what_one_gives(cli, tiny, here):
    asked = [*local(tiny), *OFFLINE, *GRID]
    alone = cli("sweep", *asked, "paths.store=one", "paths.runs=one-runs")
    both = cli("sweep", *asked, "paths.store=two", "paths.runs=two-runs", "--jobs", "2", "--check")
    assert contents(alone.sweep) == contents(both.sweep)
    one, two = (read_json(out.sweep / "sweep.json") for out in (alone, both))
    assert [p["label"] for p in one["points"]] == [p["label"] for p in two["points"]], "in the order of the grid"
    assert "computed 7 (chunks 3, corpus 1, sparse 3)" in both.out, "no artifact is made twice"
    assert findings(alone.sweep) == findings(both.sweep) != []


def test_processes_refuse_what_they_cannot_keep(cli, tiny):
    asked = [*local(tiny), *OFFLINE, *GRID]
    assert "--jobs: expected 1 or more, found 0" in cli("sweep", *asked, "--jobs", "0", code=2).err
    budget = cli("sweep", *asked, "calls.budget.calls=5", "--jobs", "2", code=2)
    assert "which each process counts for itself" in budget.err
    assert (
        "--by chunks/n_chunks: expected a measure of questions"
        in cli("sweep", *asked, "--by", "chunks/n_chunks", code=2).err
    )


def test_a_sweep_says_what_it_found(cli, tiny):
    out = cli("sweep", *local(tiny), *OFFLINE, *GRID, "--by", "ranking/mrr")
    (found,) = read_json(out.sweep / "sweep.json")["findings"]
    assert found["measure"] == "ranking/mrr"
    assert [effect["axis"] for effect in found["effects"]] == ["chunk_size", "k"]
    assert found["best"]["n"] == 8
    assert "ranking/mrr: best chunk_size=" in out.out and "nothing is better and cheaper than: " in out.out
