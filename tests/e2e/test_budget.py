"""Small chunks fill a context budget from beyond the pool, in a run, its stored traces and other measures of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbench.run_dir.read import RunDir
from tests.e2e.world import OFFLINE, local, write_set

N = 60
LINES = {
    "zh": "第{n}条 年假规定之{n}：员工每年有{n}天带薪年假。\n\n",
    "en": "Rule {n} of annual leave: staff have {n} days of paid leave.\n\n",
    "mixed": "规则 {n} annual leave：每年 {n} days 带薪 leave。\n\n",
}
ASKED = {"zh": "带薪年假有几天", "en": "How many days of paid annual leave?", "mixed": "带薪 annual leave 有几天"}


@pytest.fixture(params=LINES)
def folder(here, request) -> Path:
    """One text of many alike lines; the last is the evidence, and nothing lifts it above the others."""
    text = "".join(LINES[request.param].format(n=n) for n in range(10, 10 + N))
    quote = LINES[request.param].format(n=9 + N).strip()
    row = {
        "id": "q",
        "question": ASKED[request.param],
        "language": request.param,
        "evidence": [{"doc": "a.txt", "quote": quote}],
    }
    return write_set(here / "set", {"a.txt": text}, [row])


SMALL = ("chunk_unit=chars", "chunk_size=70", "overlap=0", "pool_depth=5", "recall_k=5", "k=2")


def test_recall_at_a_budget_does_not_end_with_the_pool(cli, folder) -> None:
    done = cli("run", *local(folder), *OFFLINE, "variant=bm25", *SMALL)
    mean = {name: one["mean"] for name, one in done.summary["metrics"].items()}
    assert mean["retrieval/recall@20"] == 0.0, "the pool holds five chunks of many alike"
    assert mean["retrieval/recall_budget@4000"] == mean["ranking/recall_budget@4000"] == 1.0
    (trace,) = RunDir(done.run).traces()
    (step,) = trace.steps
    assert len(step.fused) == 5
    assert len(step.deeper) >= 20
    assert trace.context is not None
    assert sum(len(block.chunks) for block in trace.context.blocks) <= 2

    again = cli("run", *local(folder), *OFFLINE, "variant=bm25", *SMALL)
    assert next(iter(RunDir(again.run).traces())).steps[0].deeper == step.deeper


def test_a_small_budget_reads_no_further_than_it_needs(cli, folder) -> None:
    done = cli("run", *local(folder), *OFFLINE, "variant=bm25", *SMALL, "measures=[retrieval/recall_budget@30]")
    (trace,) = RunDir(done.run).traces()
    assert trace.steps[0].deeper == ()
    assert trace.steps[0].more
