"""What the verbs tell of an index, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragbench.index.recall import low_recall
from ragbench.upkeep.commit import Written
from ragbench.upkeep.dedupe import Deduped
from ragbench.upkeep.plan import Plan
from ragbench.upkeep.prune import Unread

ROWS = 30
"""Rows of a table that are shown; `--json` gives all."""


def plan_lines(plan: Plan, counts: bool = True) -> Iterator[str]:
    """Counts by status, then the documents that change and the files that cannot be read."""
    if counts:
        yield "documents " + ", ".join(f"{n} {name}" for name, n in plan.counts.items() if n)
    changes = [one for one in plan.changes if one.status not in ("unchanged", "expired")]
    for one in changes[:ROWS]:
        yield f"  {one.status:<9} {one.doc_id}{'  (' + one.reason + ')' if one.reason else ''}"
    yield from more(len(changes))
    for path, reason in plan.failures[:ROWS]:
        yield f"  failed    {path}  ({reason})"
    yield from more(len(plan.failures))


def written_lines(written: Written) -> Iterator[str]:
    """Chunks, what each side computed and knew, and the parts that were written."""
    yield f"chunks    {written.n_chunks} ({written.added} in, {written.removed} out), set {written.chunk_set[:12]}"
    for side, facts in written.facts.items():
        yield f"{side:<9} " + ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in facts.items() if n is not None)
        yield from low_recall(facts)
    yield "written   " + (", ".join(written.built) or "nothing: it held all this already")


def pair_lines(done: Deduped) -> Iterator[str]:
    """The pairs with their texts, and how many were kept apart by what."""
    yield f"{len(done.pairs)} of {done.n_chunks} chunks say what another says (compared by {done.compared_by})"
    for pair in done.pairs[:ROWS]:
        score = "equal " if pair.cosine is None else f"{pair.cosine:.4f}"
        yield f"  {score}  out   {pair.removed}  {_short(pair.text)}"
        yield f"          kept  {pair.kept}  {_short(pair.kept_text)}"
    yield from more(len(done.pairs))
    for reason, n in sorted(done.held_back.items()):
        example = next((one for one in done.examples if one.reason == reason), None)
        such = f", such as {example.one} and {example.other} ({example.cosine:.4f})" if example else ""
        yield f"kept apart by {reason}: {n} pairs{such}"


def unread_lines(unread: Sequence[Unread]) -> Iterator[str]:
    """Dates that cannot be read, and what counts instead."""
    if unread:
        yield f"{len(unread)} dates cannot be read (write them as 2026-01-31):"
    for one in unread[:ROWS]:
        by = "the day of its file" if one.source == "file" else one.source
        yield f"  {one.doc_id}  {one.name}: {_short(one.value, 30)}; {by} counts, {one.day}"
    yield from more(len(unread))


def more(n: int) -> Iterator[str]:
    """A line on the rows that are not shown."""
    if n > ROWS:
        yield f"  … {n - ROWS} more; --json lists all"


def _short(text: str, width: int = 60) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"
