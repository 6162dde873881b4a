"""Milliseconds by stage."""

from __future__ import annotations

from ragbench.measure.base import Outcome, failed, not_applicable
from ragbench.measure.case import Case

STAGES = ("query", "embed", "dense", "sparse", "fuse", "rerank", "pack", "generate")


def stage_ms(case: Case, stage: str) -> Outcome:
    """Milliseconds of one stage as measured when it was computed; n/a where the question did not pass through it."""
    timings = case.trace.timings_ms if case.trace is not None else {}
    return timings[stage] if stage in timings else not_applicable(f"the trace has no time for {stage}")


def total_ms(case: Case) -> Outcome:
    """Sum over all stages of the trace; n/a where nothing was timed, FAILED where the question broke off: half a way is
    not a fast one."""
    if case.trace is not None and case.trace.error is not None:
        return failed(case.trace.error)
    timings = case.trace.timings_ms if case.trace is not None else {}
    return sum(timings.values()) if timings else not_applicable("the trace has no times")
