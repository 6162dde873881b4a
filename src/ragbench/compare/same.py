"""Whether two runs differ in anything that was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragbench.compare.keys import Changes
from ragbench.compare.side import Side

CUTTING = frozenset({"splitter", "chunk_size", "chunk_unit", "overlap"})
"""Keys that change nothing but how the corpus is cut."""


@dataclass(frozen=True, slots=True)
class Sameness:
    """`chunks`: both cut the corpus into the same spans. `rankings`, `contexts` and `answers` count questions of `n`
    for which both ranked, packed and said the same. `why` says why the runs are no comparison (empty: they are one):
    `chunks` where only the cutting was changed and the chunks came out the same, `everything` where no ranking, no
    context and no answer differs."""

    chunks: bool
    rankings: int
    contexts: int
    answers: int
    n: int
    why: str = ""


def sameness(a: Side, b: Side, questions: Sequence[str], changes: Changes) -> Sameness:
    """Compare what the runs came to; without a common question they are no comparison either."""
    rankings = _equal(a.rankings, b.rankings, questions)
    contexts = _equal(a.contexts, b.contexts, questions)
    answers = _equal(a.answers, b.answers, questions)
    chunks, n = a.chunks == b.chunks, len(questions)
    changed = {one.key.partition("pipeline.")[2].partition(".")[0] or one.key for one in changes.keys if one.counted}
    why = ""
    if chunks and changed and changed <= CUTTING:
        why = "chunks"
    elif rankings == contexts == answers == n:
        why = "everything"
    return Sameness(chunks, rankings, contexts, answers, n, why)


def _equal(a: Mapping[str, str], b: Mapping[str, str], questions: Sequence[str]) -> int:
    return sum(key in a and a[key] == b.get(key) for key in questions)
