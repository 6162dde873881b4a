"""What two runs of one configuration must share: everything but id, paths, times and what came from the store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragbench.core.codec import read_json, read_jsonl

TIMES = "times of the machine"


def timeless_summary(run: Path) -> Any:
    """summary.json without the run's id, `cost.latency_ms`, the times of query stage and reranking, and the means of the
    `cost/*_ms` measures."""
    summary = read_json(run / "summary.json")
    del summary["run_id"]
    summary["cost"]["latency_ms"] = sorted(summary["cost"]["latency_ms"])
    if summary["stages"]["rerank"]:
        summary["stages"]["rerank"]["cost"]["ms"] = TIMES
    if summary.get("query"):
        summary["query"]["cost"]["ms"] = TIMES
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
