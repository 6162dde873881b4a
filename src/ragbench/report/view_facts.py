"""Facts of a run: what was run, on what, where, at what cost, and what of the corpus could not be read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare.table import number
from ragbench.index.recall import too_low
from ragbench.report.borders import repeated_share
from ragbench.report.labels import Labels
from ragbench.report.numbers import milliseconds, seconds, share, size
from ragbench.report.reasons import reason
from ragbench.report.view_models import model_costs

Row = dict[str, Any]
_DIGEST = re.compile(r"[0-9a-f]{32,}")
_STAGES = ("query", "embed", "dense", "sparse", "fuse", "rerank", "pack", "generate", "ground")


def facts(manifest: Mapping[str, Any], summary: Mapping[str, Any], labels: Labels) -> list[tuple[str, str, str]]:
    """`(label, value, detail)` for the head of the page; unknown facts say so instead of being left out."""
    eval_set = {**(manifest.get("eval_set") or {}), **(summary.get("eval_set") or {})}
    provenance = manifest.get("provenance") or {}
    lock = str(eval_set.get("lock") or "")
    state = labels("frozen") if eval_set.get("frozen") else labels("not_frozen")
    differing = _count(eval_set.get("text_differs"))
    git = provenance.get("git") or {}
    commit = str(git.get("commit") or "")[:12] or labels("unknown")
    split, part = labels.group(str(eval_set.get("split") or "all")), eval_set.get("questions")
    n = labels("part_of", n=part["n"], of=part["of"]) if part else str(manifest.get("n_questions", "–"))
    questions = f"{split} · {n}"
    replaced = labels("s_stop").join(reason(str(text), labels) for text in _items(summary.get("fallback")))
    return [
        (labels("fact_variant"), str((summary.get("variant") or {}).get("variant") or labels("unknown")), ""),
        *([(labels("fact_fallback"), labels("not_installed"), replaced)] if replaced else []),
        (labels("fact_set"), _set_name(eval_set) or labels("unknown"), questions),
        (
            labels("fact_lock"),
            _short(lock) or labels("none"),
            labels("text_differs", n=differing) if differing else state,
        ),
        (labels("fact_judge"), judge_names(summary) or labels("none"), ""),
        (labels("fact_git"), commit, labels("dirty") if git.get("dirty") else ""),
        (labels("fact_runtime"), _runtime(manifest.get("runtime")) or labels("unknown"), ""),
        (
            labels("fact_machine"),
            _processor(provenance.get("cpu"), labels) or labels("unknown"),
            str(provenance.get("platform") or ""),
        ),
        (labels("fact_fingerprint"), _short(str(manifest.get("fingerprint") or "")) or labels("unknown"), ""),
    ]


def judge_names(summary: Mapping[str, Any]) -> str:
    """Names of all judges of a run, without doubles."""
    return ", ".join(dict.fromkeys(str(name) for name in (summary.get("judge") or {}).values() if name))


def choices(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The variant's choices and root values."""
    return [(str(key), "–" if value is None else plain(value)) for key, value in (summary.get("variant") or {}).items()]


def cost(manifest: Mapping[str, Any], summary: Mapping[str, Any], labels: Labels) -> Row:
    """Times by stage (the total last, with its share of the slowest for a bar), sizes, stages reused and computed."""
    found = summary.get("cost") or {}
    latency = {k: v for k, v in (found.get("latency_ms") or {}).items() if isinstance(v, Mapping)}
    order = [stage for stage in (*_STAGES, *sorted(latency.keys() - {*_STAGES, "total"}), "total") if stage in latency]
    most = max((latency[stage].get("p95") or 0 for stage in order), default=0)
    rows = [
        {
            "id": stage,
            "name": labels.stage(stage),
            "p50": milliseconds(latency[stage].get("p50")),
            "p95": milliseconds(latency[stage].get("p95")),
            "n": latency[stage].get("n", "–"),
            "bar": (latency[stage].get("p95") or 0) / most if most else 0,
        }
        for stage in order
    ]
    stages = manifest.get("stages") or {}
    embedded = found.get("texts_embedded", (stages.get("embedded") or {}).get("texts"))
    told = found.get("facts") or manifest.get("facts") or {}
    pairs = told.get("reranker") or {}
    sizes = [
        (labels("index_bytes"), size(found["index_bytes"]) if found.get("index_bytes") is not None else None),
        *_index_recall(told.get("index") or {}, labels),
        (labels("pairs_cut"), f"{pairs['truncated']:,} / {pairs['pairs']:,}" if pairs.get("truncated") else None),
        (
            labels("not_reranked"),
            f"{pairs['failed']:,}: {'; '.join(pairs['failures'])}" if pairs.get("failed") else None,
        ),
        *model_costs(found, labels),
        (labels("n_chunks"), f"{found['n_chunks']:,}" if found.get("n_chunks") is not None else None),
        (labels("texts_embedded"), f"{embedded:,}" if isinstance(embedded, int) else None),
        (labels("durations"), _durations(manifest.get("durations_s") or {}, labels)),
        (labels("reused"), stage_counts(stages.get("reused"), labels) or None),
        (labels("computed"), stage_counts(stages.get("computed"), labels) or None),
    ]
    return {"rows": rows, "sizes": [(name, value) for name, value in sizes if value]}


def _index_recall(index: Mapping[str, Any], labels: Labels) -> list[tuple[str, str | None]]:
    """What the index finds of exact search, and where that is little what to do."""
    recall = index.get("recall_at_10")
    low = ", ".join(f"@{depth} {number(one)}" for depth, one in too_low(index).items())
    return [
        (labels("index_recall"), None if recall is None else number(recall)),
        (labels("index_recall_low"), labels("index_recall_raise", found=low) if low else None),
    ]


def corpus(manifest: Mapping[str, Any], documents: Sequence[Mapping[str, Any]], labels: Labels) -> Row:
    """Size of the corpus and its problem files: `(heading, [(path, reason)])`."""
    found = manifest.get("corpus") or {}
    failures = [(str(path), str(reason)) for path, reason in found.get("failures") or ()]
    problems = [(labels("corpus_bad", n=len(failures)), failures)]
    for key in ("empty", "skipped"):
        paths = [(str(path), "") for path in _items(found.get(key))]
        problems.append((labels(f"corpus_{key}", n=len(paths)), paths))
    characters = sum(int(row.get("characters") or 0) for row in documents)
    return {
        "facts": [(labels("documents"), f"{len(documents):,}"), (labels("characters"), f"{characters:,}")],
        "problems": [(heading, rows) for heading, rows in problems if rows],
        "n_bad": len(failures),
    }


def chunk_facts(
    places: Sequence[tuple[str, int, int, Any]], summary: Mapping[str, Any], labels: Labels
) -> list[tuple[str, str]]:
    """Number and lengths of the chunks, what they repeat, and what of them the embedder does not read at once; from the
    chunks themselves and the run's facts of its index."""
    lengths = sorted(end - start for _, start, end, _ in places)
    if not lengths:
        return [(labels("n_chunks"), "0")]
    at = [lengths[min(len(lengths) - 1, int(q * len(lengths)))] for q in (0.05, 0.5, 0.95)]
    intervals: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for doc_id, start, end, _ in places:
        intervals[doc_id].append((start, end))
    rows = [(labels("n_chunks"), f"{len(lengths):,}"), (labels("size_p5_95"), " · ".join(f"{n:,}" for n in at))]
    rows.append((labels("c_repeated"), share(repeated_share(intervals))))
    window = (((summary.get("cost") or {}).get("facts") or {}).get("index") or {}).get("window")
    if not window:
        return [*rows, (labels("c_window"), labels("c_no_window"))]
    over, texts, beyond, characters = (int(window[key]) for key in ("over", "texts", "beyond", "characters"))
    rows.append(
        (
            labels("c_window"),
            labels(
                "c_over", n=over, of=texts, share=share(over / texts if texts else None), tokens=window["max_tokens"]
            ),
        )
    )
    if beyond:
        became = labels("c_averaged" if window.get("overflow") == "window_mean" else "c_lost")
        rows.append((labels("c_beyond"), f"{share(beyond / characters)} · {became}"))
    return rows


def verdict(summary: Mapping[str, Any], losses: Sequence[Row], labels: Labels) -> list[str]:
    """The page in a few sentences: how many went well, how much evidence is found, where most is lost."""
    total = sum(row["n"] for row in losses)
    counts = {row["id"]: row["n"] for row in losses}
    said = []
    judged = total - counts.get("unjudged", 0)
    if judged:
        ok = counts.get("ok", 0)
        name = "verdict_ok" if _answers(summary) else "verdict_arrived"
        said.append(labels(name, ok=ok, n=total, share=share(ok / total)))
    else:
        said.append(labels("verdict_no_answers"))
    for name in ("ranking/recall@5", "retrieval/recall@5"):
        row = (summary.get("metrics") or {}).get(name) or {}
        if row.get("mean") is not None:
            low, high = share(row.get("low")), share(row.get("high"))
            said.append(labels("verdict_found", k=5, value=share(row["mean"]), low=low, high=high))
            break
    lost = [row for row in losses if not row["fine"] and row["id"] not in ("failed", "unjudged")]
    if lost:
        worst = max(lost, key=lambda row: row["n"])
        said.append(labels("verdict_worst", name=worst["name"], n=worst["n"]))
    elif judged and counts.get("ok") == total:
        said.append(labels("verdict_none"))
    if counts.get("failed"):
        said.append(labels("verdict_failed", n=counts["failed"]))
    return said


def _answers(summary: Mapping[str, Any]) -> bool:
    """Whether any question was answered or refused, as far as the run tells."""
    answered = (summary.get("metrics") or {}).get("answer/answered")
    return answered is None or bool(answered["n_scored"] or answered["n_failed"])


def stage_counts(found: Any, labels: Labels) -> str:
    """Artifacts by kind, `chunks 1, sparse 1`; empty for none."""
    if not isinstance(found, Mapping):
        return ""
    return labels("s_comma").join(f"{labels.kind(str(kind))} {n}" for kind, n in found.items())


def plain(value: Any) -> str:
    """A value of a manifest as text, whatever its shape."""
    if isinstance(value, Mapping):
        return " · ".join(f"{key} {plain(part)}" if not isinstance(part, str) else part for key, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(plain(part) for part in value)
    return "" if value is None else str(value)


def _runtime(value: Any) -> str:
    parts = [plain(part) for part in value.values()] if isinstance(value, Mapping) else [plain(value)]
    return " · ".join(dict.fromkeys(part[:12] if _DIGEST.fullmatch(part) else part for part in parts if part))


def _processor(value: Any, labels: Labels) -> str:
    """Model, number of cores, and what else is known of a processor."""
    if not isinstance(value, Mapping):
        return plain(value)
    cores = {} if value.get("count") is None else {"count": labels("cores", n=value["count"])}
    return plain({**value, **cores})


def _set_name(eval_set: Mapping[str, Any]) -> str:
    return " ".join(str(eval_set[key]) for key in ("name", "version") if eval_set.get(key))


def _short(digest: str) -> str:
    return digest[:19] + "…" if len(digest) > 24 else digest


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _count(value: Any) -> int:
    return int(value) if isinstance(value, bool | int) else len(_items(value))


def _durations(found: Mapping[str, Any], labels: Labels) -> str | None:
    parts = [f"{labels.step(name)} {seconds(value)}" for name, value in found.items() if isinstance(value, int | float)]
    return " · ".join(parts) or None
