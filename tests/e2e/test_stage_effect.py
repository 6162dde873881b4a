"""One run tells what its fusion and its reranker changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragbench.core.codec import read_jsonl
from tests.e2e.conftest import Cli
from tests.e2e.world import OFFLINE, local

SIZE = ("chunk_size=40", "overlap=0", "k=1", "recall_k=3")


def column(run: Path, measure: str) -> dict[str, float]:
    """Scored values of a measure by question."""
    rows = read_jsonl(run / "scores.jsonl.gz")
    return {row["subject"]: row["value"] for row in rows if row["measure"] == measure and row["status"] == "scored"}


@pytest.fixture
def reranked(cli: Cli, tiny: Path, models: str, warm: Path) -> Any:
    return cli(
        "run", *local(tiny), *OFFLINE, models, f"paths.store={warm}", "variant=hybrid_rerank", *SIZE,
        "sink.report=true",
    )  # fmt: skip


def test_a_run_with_fusion_and_reranker_tells_of_both(reranked: Any, cli: Cli) -> None:
    stages = reranked.summary["stages"]
    rerank, routes = stages["rerank"], stages["fusion"]["routes"]
    assert (stages["k"], stages["recall_k"], list(routes)) == (1, 3, ["dense", "sparse"])
    assert rerank["n"] == 8 and rerank["excluded"] == {"no_evidence": 2}
    for layer, side in (("retrieval", "before"), ("ranking", "after")):
        for name in ("mrr", "map", "ndcg@10", "recall@1"):
            scored = column(reranked.run, f"{layer}/{name}")
            assert rerank["measures"][name][side] == pytest.approx(sum(scored.values()) / len(scored))
    before, after = (column(reranked.run, f"{layer}/recall@1") for layer in ("retrieval", "ranking"))
    assert rerank["rescued"] == [one for one in before if before[one] == 0 < after[one]]
    assert rerank["lost"] == [one for one in before if before[one] > 0 == after[one]]
    assert rerank["cost"]["ms"] == reranked.summary["cost"]["latency_ms"]["rerank"]
    assert rerank["cost"]["counts"]["pairs"] == reranked.summary["cost"]["facts"]["reranker"]["pairs"] > 0
    assert "\nrerank: mrr " in reranked.out and "\nfusion: mrr " in reranked.out
    for lang, title in (("en", "What fusion and reranking changed"), ("zh", "融合与重排带来了什么")):
        target = cli("report", reranked.run, "--lang", lang, "--json").json["report"]
        assert title in Path(target).read_text(encoding="utf-8")


def test_a_route_alone_is_what_a_run_of_that_route_finds(
    reranked: Any, cli: Cli, tiny: Path, models: str, warm: Path
) -> None:
    for route, variant in (("dense", "dense"), ("sparse", "bm25")):
        shared = (models, f"paths.store={warm}") if route == "dense" else (f"paths.store={warm}",)
        alone = cli("run", *local(tiny), *OFFLINE, *shared, f"variant={variant}", *SIZE, "chunk_unit=tokens")
        assert alone.summary["stages"] | {"fusion": None, "rerank": None} == alone.summary["stages"]
        found = reranked.summary["stages"]["fusion"]["routes"][route]["measures"]
        for name in ("mrr", "map", "ndcg@10", "recall@1", "recall@3"):
            scored = column(alone.run, f"retrieval/{name}")
            assert found[name]["before"] == pytest.approx(sum(scored.values()) / len(scored)), (route, name)
        assert "\nrerank: " not in alone.out and "\nfusion: " not in alone.out
