"""What the chunk set keeps of the gold evidence."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.eval_set.align import Interval, add_interval, total_length
from ragbench.eval_set.coverage import Fate
from ragbench.measure.base import Finding, Outcome, not_applicable
from ragbench.measure.case import Case
from ragbench.records.document import Chunk
from ragbench.records.question import EvidenceItem
from ragbench.records.score import Status

WHOLE = "the evidence is whole documents"
_SHOWN = 5


def evidence_intact(case: Case) -> Outcome:
    """Evidence groups that lie whole inside one chunk ÷ all groups, in [0, 1]; n/a where evidence is whole documents.

    Evidence split over two chunks is not intact here, and is still fully recalled when both are retrieved. The words
    beside the value name the chunks that hold the pieces.
    """
    return _share(case, (Fate.INTACT,))


def evidence_reachable(case: Case) -> Outcome:
    """Evidence groups that all chunks together cover to tau ÷ all groups, in [0, 1]; n/a where evidence is whole
    documents."""
    return _share(case, (Fate.INTACT, Fate.SPLIT))


def precision_omega(case: Case) -> Outcome:
    """Precision when every chunk that holds evidence is retrieved and no other, in [0, 1]: the best a retriever can do
    with these chunks.

    Characters of evidence in those chunks ÷ characters of the union of those chunks and the evidence; each character
    counts once, however many chunks repeat it, and evidence in no chunk counts in the denominator, so that dropping it
    does not pay. Of a group with alternatives the one with the best ratio of its own counts (ties: the first). A
    question whose evidence no chunk holds: 0. N/a where evidence is whole documents. Source: chunking_evaluation (Smith
    and Troynikov, 2024), whose intervals are closed; ours are half-open.
    """
    if case.evidence.by_document:
        return not_applicable(WHOLE)
    chunks = case.corpus.chunks
    evidence: dict[str, list[Interval]] = {}
    held: dict[str, list[Interval]] = {}
    for group, numbers in zip(case.question.groups, case.pieces):
        items = [item for item in group.items if not item.whole]
        if not items:
            continue
        choices = [(item, [chunks[number] for number in numbers if _meets(chunks[number], item)]) for item in items]
        item, holders = choices[0] if len(choices) == 1 else max(choices, key=lambda pair: _own_ratio(*pair))
        evidence[item.doc_id] = add_interval(evidence.get(item.doc_id, []), item.start, item.end)
        for chunk in holders:
            held[item.doc_id] = add_interval(held.get(item.doc_id, []), chunk.start, chunk.end)
    common = everything = 0
    for doc_id, gold in evidence.items():
        union = held.get(doc_id, [])
        inside = total_length(union)
        for low, high in gold:
            union = add_interval(union, low, high)
        everything += total_length(union)
        common += total_length(gold) + inside - total_length(union)
    return common / everything


def _own_ratio(item: EvidenceItem, holders: Sequence[Chunk]) -> float:
    union: list[Interval] = []
    for chunk in holders:
        union = add_interval(union, chunk.start, chunk.end)
    inside = total_length(union)
    whole = total_length(add_interval(union, item.start, item.end))
    return (item.end - item.start + inside - whole) / whole


def _meets(chunk: Chunk, item: EvidenceItem) -> bool:
    return chunk.doc_id == item.doc_id and chunk.start < item.end and item.start < chunk.end


def _share(case: Case, good: tuple[Fate, ...]) -> Outcome:
    if case.evidence.by_document:
        return not_applicable(WHOLE)
    kept = (*good, Fate.WHOLE)
    others = [at for at, fate in enumerate(case.fates) if fate not in kept]
    share = (len(case.fates) - len(others)) / len(case.fates)
    return Finding(Status.SCORED, share, "; ".join(_words(case, at) for at in others))


def _words(case: Case, group: int) -> str:
    """What became of a group: `g1 split over a.md#3, a.md#4`."""
    fate, numbers = case.fates[group], case.pieces[group]
    names = [case.corpus.chunks[number].chunk_id for number in numbers[:_SHOWN]]
    if len(numbers) > _SHOWN:
        names.append(f"{len(numbers) - _SHOWN} more")
    link = " over " if fate is Fate.SPLIT else ", pieces in "
    return f"{case.evidence.group_names[group]} {fate}" + (link + ", ".join(names) if names else "")
