"""What packing made of the evidence: how much of the context it is, where it stands, and what was lost on the way."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache

from ragbench.eval_set.align import FULL, add_interval, total_length
from ragbench.measure.answer.citation import share_of
from ragbench.measure.base import Finding, Outcome, failed, not_applicable
from ragbench.measure.case import Case
from ragbench.records.score import Status
from ragbench.records.trace import ContextBlock, PackedContext
from ragbench.text.sentences import sentence_places


def evidence_in_context_full(case: Case) -> Outcome:
    """Evidence groups of which the packed context holds an item whole ÷ all groups, in [0, 1]; an empty context: 0."""
    context = _context(case)
    blocks = context.blocks if context is not None else ()
    return share_of(case.evidence, case.evidence.satisfied(blocks, FULL))


def evidence_share(case: Case) -> Outcome:
    """Characters of evidence in the context, each once ÷ characters of the context, in [0, 1].

    Heading lines and what stands twice count in the denominator alone. N/a where nothing is packed or evidence is whole
    documents.
    """
    blocks = _blocks(case)
    if isinstance(blocks, Finding):
        return blocks
    common, _ = case.evidence.overlap(blocks)
    whole = sum(len(block.text) for block in blocks)
    return Finding(Status.SCORED, common / whole, f"{common} of {whole} characters")


def context_relevancy(case: Case) -> Outcome:
    """Sentences of the context that share a character with evidence ÷ its sentences, in [0, 1].

    Sentences are those of the document (`text.sentences`) that share a character with a block, heading lines of blocks
    left out. N/a as `evidence_share`.
    """
    blocks = _blocks(case)
    if isinstance(blocks, Finding):
        return blocks
    every = needed = 0
    for block in blocks:
        starts, ends = _bounds(case.corpus.documents[block.doc_id].text)
        first, last = _between(starts, ends, block.start, block.end)
        places = [
            _between(starts, ends, max(block.start, item.start), min(block.end, item.end))
            for item in case.evidence.items
            if item.doc_id == block.doc_id and not item.whole
        ]
        every += last - first
        needed += len({number for low, high in places for number in range(low, high)})
    return Finding(Status.SCORED, needed / every if every else 0.0, f"{needed} of {every} sentences")


def evidence_from_edge(case: Case) -> Outcome:
    """How far evidence stands from the nearer end of the context, in [0, 1]: 0 at an end, 1 in the middle.

    The mean over evidence groups in the context. A group stands where its first item with a character in the context
    does first; with m the middle of that piece in characters of the context of length n, the distance is
    2 · min(m, n − m) ÷ n. N/a where no evidence is packed, or evidence is whole documents.
    """
    blocks = _blocks(case)
    if isinstance(blocks, Finding):
        return blocks
    middles = _middles(case, blocks)
    if not middles:
        return not_applicable("no evidence is in the context")
    whole = sum(len(block.text) for block in blocks)
    return sum(2 * min(middle, whole - middle) / whole for middle in middles) / len(middles)


def evidence_dropped(case: Case) -> Outcome:
    """Evidence groups that the chunks handed to the packer satisfy and the context does not ÷ all groups, in [0, 1].

    Handed over are the chunks that are packed or named as dropped, as a generator would read them (parents).
    """
    context, packed = _context(case), case.packed
    if context is None or packed is None:
        return failed("no context was made")
    numbers = {number for block in context.blocks for number in block.chunks} | {one.chunk for one in context.dropped}
    chunks = case.corpus.chunks
    handed = case.evidence.satisfied([chunks[number].read for number in sorted(numbers)])
    names = case.evidence.group_names
    lost = [name for name, before, after in zip(names, handed, packed) if before and not after]
    why = f"{', '.join(lost)}: {_reasons(context)}" if lost else ""
    return Finding(Status.SCORED, len(lost) / case.evidence.n_groups, why)


def repeated(case: Case) -> Outcome:
    """Characters of documents that stand in the context again ÷ characters of documents in it, in [0, 1]; an empty
    context repeats nothing: 0."""
    context = _context(case)
    if context is None:
        return not_applicable("the variant packs no context")
    places: dict[str, list[tuple[int, int]]] = {}
    for block in context.blocks:
        places[block.doc_id] = add_interval(places.get(block.doc_id, []), block.start, block.end)
    every = sum(block.end - block.start for block in context.blocks)
    return 1 - sum(map(total_length, places.values())) / every if every else 0.0


def dropped(case: Case, reasons: Sequence[str]) -> Outcome:
    """Chunks handed to the packer that are not in the context, or not whole, for one of these reasons; n/a where
    nothing is packed."""
    context = _context(case)
    if context is None:
        return not_applicable("the variant packs no context")
    return float(sum(one.reason in reasons for one in context.dropped))


def budget_used(case: Case) -> Outcome:
    """Tokens of the context ÷ its budget, in [0, 1]; n/a where nothing is packed or nothing may be."""
    context = _context(case)
    if context is None or not context.budget:
        return not_applicable("the variant packs no context" if context is None else "the budget is 0")
    return context.tokens / context.budget


def _context(case: Case) -> PackedContext | None:
    return case.trace.context if case.trace is not None else None


def _blocks(case: Case) -> Sequence[ContextBlock] | Finding:
    """The blocks of a context that holds something, where evidence has an extent."""
    context = _context(case)
    if case.evidence.by_document:
        return not_applicable("the evidence is whole documents")
    if context is None or not any(block.text for block in context.blocks):
        return not_applicable("nothing is packed")
    return context.blocks


def _heading(block: ContextBlock) -> int:
    """Characters of the block before the text of its document."""
    return max(0, len(block.text) - (block.end - block.start))


@lru_cache(maxsize=4096)
def _bounds(text: str) -> tuple[Sequence[int], Sequence[int]]:
    """Where the sentences of a document start and end; remembered, because the variants of a sweep share documents."""
    places = sentence_places(text)
    return array("q", (start for start, _ in places)), array("q", (end for _, end in places))


def _between(starts: Sequence[int], ends: Sequence[int], low: int, high: int) -> tuple[int, int]:
    """First and last (not included) number of the sentences that share a character with `[low, high)`."""
    return (bisect_right(ends, low), bisect_left(starts, high)) if low < high else (0, 0)


def _middles(case: Case, blocks: Sequence[ContextBlock]) -> list[float]:
    """Where each group in the context stands, as the middle of its first piece, in characters of the context."""
    found: dict[int, float] = {}
    at = 0
    for block in blocks:
        shift = at + _heading(block) - block.start
        for item in case.evidence.items:
            low, high = max(block.start, item.start), min(block.end, item.end)
            if item.doc_id == block.doc_id and low < high and not item.whole:
                found.setdefault(item.group, (low + high) / 2 + shift)
        at += len(block.text)
    return list(found.values())


def _reasons(context: PackedContext) -> str:
    counted: dict[str, int] = {}
    for one in context.dropped:
        counted[one.reason] = counted.get(one.reason, 0) + 1
    return ", ".join(f"{n} {reason}" for reason, n in counted.items())
