"""A comparison as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragbench.compare.contrast import Contrast
from ragbench.compare.pairs import Options, Pair
from ragbench.compare.turned import Turned
from ragbench.core.rows import to_row


def document(pairs: Sequence[Pair], options: Options) -> dict[str, Any]:
    """All that `ragbench compare` knows of some runs against one base; without pairs an empty list."""
    first = pairs[0].a if pairs else None
    return {
        "eval_set": dict(first.summary.get("eval_set") or {}) if first else None,
        "n_questions": len(pairs[0].questions) if pairs else 0,
        "categories": list(options.categories),
        "seed": options.seed,
        "base": first.run.run_id if first else None,
        "pairs": [_pair(pair) for pair in pairs],
    }


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "a": {"run_id": pair.a.run.run_id, "name": pair.names[0]},
        "b": {"run_id": pair.b.run.run_id, "name": pair.names[1]},
        "n_keys": pair.changes.n,
        "changes": to_row(pair.changes),
        "verdict": pair.verdict,
        "same": to_row(pair.same),
        "up": [[one.metric, one.category] for one in pair.up],
        "down": [[one.metric, one.category] for one in pair.down],
        "trade_off": pair.trade_off,
        "metrics": [_contrast(one) for one in pair.contrasts if not one.category],
        "by_category": [_contrast(one) for one in pair.contrasts if one.category],
        "questions": _turned(pair.turned),
    }


def _contrast(one: Contrast) -> dict[str, Any]:
    row = {"metric": one.metric, **({"category": one.category} if one.category else {})}
    found = {"a": one.a, "b": one.b, "difference": one.found.mean, "low": one.found.low, "high": one.found.high}
    test = {"p": one.found.p, "p_holm": one.p_holm, "detectable": one.found.detectable if one.counts.changed else None}
    said = {"state": one.state, "why": one.why or None, "limit": one.limit or None}
    return {**row, **found, **test, **said, "higher_is_better": one.better > 0, **to_row(one.counts)}


def _turned(found: Turned) -> dict[str, Any]:
    return {
        **to_row(found),
        "won_by_reason": dict(found.reasons(found.won)),
        "lost_by_reason": dict(found.reasons(found.lost)),
    }
