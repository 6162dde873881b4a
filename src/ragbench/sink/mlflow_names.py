"""Names and values that MLflow accepts: it refuses `@`, None and keys above 250 characters."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from ragbench.evaluate.stage_effect_read import comparisons, losses, over_better
from ragbench.sink.judge_lines import judge_metrics, judge_tag

GROUPINGS = ("by_category", "by_difficulty", "by_language")
_ILLEGAL = re.compile(r"[^\w\-. :/]")
_KEY = 250
_VALUE = 6000
_TAG = 5000


def legal(name: str) -> str:
    """A name MLflow accepts: `@` becomes `_at_`, every other illegal character `_`; at most 250 characters.

    A path such as `a//b` or `../a` is refused by MLflow too: empty parts and parts of dots become `_`.
    """
    text = _ILLEGAL.sub("_", name.replace("@", "_at_"))
    parts = [part if part.strip(". ") else "_" for part in text.split("/")]
    return "/".join(parts)[:_KEY].rstrip("/")


def metrics_of(summary: Mapping[str, Any]) -> dict[str, float]:
    """Every mean as `layer/measure_at_k`, and by group as `layer/measure_at_k/by_category/multi_hop`.

    The part before the last slash is a section of the UI's charts, so the categories of one measure stand side by side.
    Measures without a mean are left out; the share that failed is logged where anything failed. `stages/…` says what
    fusion gained over its better single route and reranking over the fused list, and what the two cuts cost; `query/…`
    what tiers decided, and what the transform gained, by class error too; `judge/…` how far the judge agrees with known
    verdicts.
    """
    found: dict[str, float] = {}
    for name, row in (summary.get("metrics") or {}).items():
        found.update(_means(legal(name), row))
        if row.get("n_failed"):
            found[legal(f"n_failed/{name}")] = float(row["n_failed"])
    for grouping in GROUPINGS:
        for group, measures in (summary.get(grouping) or {}).items():
            for name, row in measures.items():
                if isinstance(row, Mapping):
                    found.update(_means(legal(f"{name}/{grouping}/{str(group).replace('/', '_')}"), row))
    for outcome, count in (summary.get("diagnosis") or {}).items():
        if isinstance(count, int | float):
            found[legal(f"diagnosis/{outcome}")] = float(count)
    found |= {legal(name): value for name, value in judge_metrics(summary).items()}
    return found | dict(_stages(summary.get("stages"))) | dict(_query(summary.get("query") or {}))


def _stages(stages: Mapping[str, Any] | None) -> Iterator[tuple[str, float]]:
    compared = comparisons(stages)
    for stage, against, table in compared:
        for measure in (name for name in table["measures"] if name not in ("map", "hit@1")):
            better = over_better(stages, measure) if against else (against, table["measures"][measure])
            if better is not None and better[0] == against and better[1]["gain"] is not None:
                yield legal(f"stages/{stage}_gain_{measure}"), better[1]["gain"]
        if stage == "rerank":
            yield from (("stages/rerank_" + kind, float(len(table[kind]))) for kind in ("rescued", "lost"))
            regret = ((kind, table["regret"][kind]) for kind in ("behind_recall_k", "behind_k"))
            yield from ((f"stages/recall_lost_{kind}", lost) for kind, lost in regret if lost is not None)
    if compared:
        yield "stages/regressions", float(sum(loss.proven for loss in losses(stages)))


def _query(query: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """What each tier of query understanding decided and how well, and what errors of class gained or lost."""
    for kind in ("complexity", "category"):
        for tier, row in ((query.get(kind) or {}).get("tiers") or {}).items():
            yield legal(f"query/{kind}_share/{tier}"), float(row["share"])
            if row["accuracy"] is not None:
                yield legal(f"query/{kind}_accuracy/{tier}"), float(row["accuracy"])
    downstream = query.get("downstream") or {}
    for measure, cell in (downstream.get("measures") or {}).items():
        if cell["gain"] is not None:
            yield legal(f"query/gain/{measure}"), float(cell["gain"])
    for row in downstream.get("by_class") or ():
        name = f"{row['called']}_was_{row['was']}"
        yield legal(f"query/by_class_n/{name}"), float(row["n"])
        for measure, cell in row["measures"].items():
            yield legal(f"query/by_class_gain_{measure}/{name}"), float(cell["gain"])


def curves_of(summary: Mapping[str, Any]) -> list[tuple[str, int, float]]:
    """Measures that have a mean at three cut-offs or more, as `(name, cut-off, mean)`: MLflow draws them as curves,
    those of several runs in one chart. `curves/ranking_recall` is recall after reranking over k."""
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for name, row in (summary.get("metrics") or {}).items():
        head, _, cut = name.partition("@")
        for _, mean in _means(head, row) if cut.isdecimal() else ():
            found[legal(f"curves/{head.replace('/', '_')}")][int(cut)] = mean
    return [(key, cut, points[cut]) for key, points in found.items() if len(points) > 2 for cut in sorted(points)]


def run_name(summary: Mapping[str, Any], axes: Sequence[str], run_id: str) -> str:
    """What a run is called: in a sweep only what is varied (`alpha=0.3 reranker=none`), alone its label and its id."""
    variant, named = summary.get("variant") or {}, summary.get("eval_set") or {}
    values = {**variant, "eval_set": named.get("name"), "split": named.get("split")}
    parts = [
        f"{axis}={_shown(values[axis])}" if axis != "variant" else str(values[axis])
        for axis in axes
        if values.get(axis, "") != ""
    ]
    return " ".join(parts) if parts and len(parts) == len(axes) else f"{summary.get('label') or ''} {run_id}".strip()


def _shown(value: Any) -> str:
    return "null" if value is None else str(value)


def _means(key: str, row: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    mean = row.get("mean")
    if isinstance(mean, int | float) and isfinite(mean):
        yield key, float(mean)


def params_of(variant: Mapping[str, Any]) -> dict[str, str]:
    """The variant's choices and root values, flattened with dots; values above 6000 characters are cut visibly."""
    return {legal(key): _cut(value, _VALUE) for key, value in _flat("", variant)}


def _flat(prefix: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for key, part in value.items():
            yield from _flat(f"{prefix}.{key}" if prefix else str(key), part)
    else:
        yield prefix, "null" if value is None else str(value)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def tags_of(manifest: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, str]:
    """What runs are found and grouped by: variant, eval set and lock, judge, git state, fingerprint, runtime."""
    eval_set = {**(manifest.get("eval_set") or {}), **(summary.get("eval_set") or {})}
    provenance = manifest.get("provenance") or {}
    git = provenance.get("git") or {}
    tags = {
        "ragbench.kind": "run",
        "ragbench.run_id": summary.get("run_id") or manifest.get("run_id"),
        "ragbench.version": provenance.get("ragbench"),
        "ragbench.fingerprint": manifest.get("fingerprint"),
        "variant": (summary.get("variant") or {}).get("variant"),
        "eval_set": "/".join(str(part) for part in (eval_set.get("name"), eval_set.get("version")) if part),
        "eval_set.lock": eval_set.get("lock"),
        "eval_set.split": eval_set.get("split"),
        "eval_set.questions": "{n} of {of}, {key}".format(**part) if (part := eval_set.get("questions")) else None,
        "oracle": ", ".join(summary.get("oracle") or ()),
        "judge": ", ".join(sorted({str(name) for name in (summary.get("judge") or {}).values()})),
        "judge.floor": judge_tag(summary),
        "embedder.runtime": manifest.get("runtime"),
        "mlflow.source.git.commit": git.get("commit"),
        "git.dirty": git.get("dirty"),
    }
    return {key: _cut(str(value), _TAG) for key, value in tags.items() if value not in (None, "")}
