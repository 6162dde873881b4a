"""Runs that may not be compared, each with one line that says why."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.compare.keys import changes
from ragbench.errors import ConfigError
from ragbench.eval_set.chosen import asked_of
from ragbench.run_dir.read import RunDir

_LOCK = 19
"""Characters of a lock that people are shown."""
_KEYS = 6


def require_comparable(runs: Sequence[RunDir], verb: str = "compare") -> None:
    """Raise ConfigError unless these are two or more different runs of the same questions of one locked set."""
    if len(runs) < 2:
        hint = "Give two run ids: ragbench ls runs"
        raise ConfigError(verb, expected="two or more different runs", found="one run", hint=hint)
    first = runs[0]
    for other in runs[1:]:
        locks = [str((run.summary.get("eval_set") or {}).get("lock")) for run in (first, other)]
        if locks[0] != locks[1]:
            raise ConfigError(
                verb,
                expected=f"runs of one eval set, as {first.run_id} of {_set(first)} with lock {locks[0][:_LOCK]}",
                found=f"{other.run_id} of {_set(other)} with lock {locks[1][:_LOCK]}",
                hint="Compare runs of the same set and version, or run one of them again.",
            )
        if asked_of(first.summary.get("eval_set")) != asked_of(other.summary.get("eval_set")):
            raise ConfigError(
                verb,
                expected=f"the same questions, as {first.run_id} asked ({_part(first)})",
                found=f"{other.run_id} asked others ({_part(other)})",
                hint="Run one of them again with the split and questions of the other.",
            )


def require_one_key(base: RunDir, others: Sequence[RunDir]) -> None:
    """Raise ConfigError where a run differs from the base in more than one key; the first such run is named."""
    for other in others:
        found = changes(base, other)
        if found.n > 1:
            told = [one.words() for one in found.keys if one.counted]
            left = f" and {len(told) - _KEYS} more" if len(told) > _KEYS else ""
            raise ConfigError(
                "compare",
                expected=f"one changed key between {base.run_id} and {other.run_id}",
                found=f"{found.n}: {', '.join(told[:_KEYS])}{left}",
                hint="Change one thing at a time, or say --multi to compare all the same.",
            )


def _set(run: RunDir) -> str:
    facts = run.summary.get("eval_set") or {}
    return " ".join(str(facts[key]) for key in ("name", "version") if facts.get(key)) or "an unnamed set"


def _part(run: RunDir) -> str:
    facts = run.summary.get("eval_set") or {}
    part = facts.get("questions") or {}
    chosen = f", {part['n']} of {part['of']}" if part else ""
    return f"split {facts.get('split')}{chosen}"
