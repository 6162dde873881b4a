"""Whether chunks hold together what belongs together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise

from ragbench.measure.base import Finding, Outcome, not_applicable
from ragbench.measure.case import DocumentCase
from ragbench.records.document import Chunk
from ragbench.records.score import Status


def coherence(case: DocumentCase) -> Outcome:
    """Mean cosine of neighbouring sentences inside chunks, minus the mean of those across a border: in [−2, 2]; above 0
    where borders fall between what is less alike, about 0 where they fall anywhere.

    A border lies between two sentences where some chunk ends after the first and before the end of the second, also
    where the next chunk repeats the first (overlap), and where no chunk holds both. Sentences are those of the
    document, the same for every chunking. N/a without sentence vectors, and where nothing can be compared: fewer than
    two sentences, no pair inside, or none across. Source: methods.md §11 layer 1.
    """
    if case.similarity is None:
        return not_applicable("no sentence vectors: the scores are not of a run, or its embedder is not installed")
    if not case.chunks:
        return not_applicable("the document has no chunks")
    found = case.similarity(case.document)
    if len(found.spans) < 2:
        return not_applicable("the document has fewer than two sentences")
    inside: list[float] = []
    across: list[float] = []
    for cosine, parted in zip(found.cosines, borders_between(found.spans, case.chunks), strict=True):
        (across if parted else inside).append(cosine)
    if not inside or not across:
        return not_applicable("no chunk holds two sentences" if across else "no border lies between two sentences")
    means = [sum(cosines) / len(cosines) for cosines in (inside, across)]
    words = f"{means[0]:.3f} in {len(inside)} pairs inside, {means[1]:.3f} in {len(across)} across"
    return Finding(Status.SCORED, means[0] - means[1], words)


def borders_between(spans: Sequence[tuple[int, int]], chunks: Sequence[Chunk]) -> list[bool]:
    """For each sentence but the last, whether a border of the chunks lies between it and the next."""
    ordered = sorted((chunk.start, chunk.end) for chunk in chunks)
    starts = [start for start, _ in ordered]
    reach = list(accumulate((end for _, end in ordered), max))
    ends = [end for _, end in spans]
    ending = set()
    for start, end in ordered:
        last = bisect_right(ends, end) - 1
        if last >= 0 and spans[last][0] >= start:
            ending.add(last)
    found = []
    for number, ((start, _), (_, end)) in enumerate(pairwise(spans)):
        at = bisect_right(starts, start) - 1
        found.append(number in ending or at < 0 or reach[at] < end)
    return found
