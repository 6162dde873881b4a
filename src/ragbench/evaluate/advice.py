"""What each kind of loss looks like and what to change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragbench.evaluate.losses import Loss


@dataclass(frozen=True, slots=True)
class Advice:
    """A symptom, what to change, and the change as configuration overrides to run again with."""

    symptom: str
    change: str
    overrides: tuple[str, ...] = ()


ADVICE: Mapping[Loss, Advice] = {
    Loss.CHUNK_CUT: Advice(
        "the evidence lies across chunks or in none",
        "larger chunks, overlap, or a splitter that follows the structure",
        ("splitter=parent_child", "overlap=15%"),
    ),
    Loss.QUERY: Advice(
        "the question's own words would have found it, or a number of the question was lost",
        "search with the question as asked",
        ("query=none",),
    ),
    Loss.NOT_RECALLED: Advice(
        "no route brings the evidence near the top",
        "a deeper candidate list, or more weight for the route that finds it",
        ("recall_k=50", "alpha=0.5"),
    ),
    Loss.RANKED_OUT: Advice(
        "the evidence is recalled but stands below k",
        "another reranker, or a larger k",
        ("reranker=cross_encoder", "k=10"),
    ),
    Loss.PACKED_OUT: Advice(
        "the evidence is ranked but did not fit the context", "smaller chunks, or a larger budget", ("chunk_size=300",)
    ),
    Loss.UNUSED: Advice(
        "the evidence is in the context and the answer ignores it", "another order of the context, or generator"
    ),
    Loss.INCOMPLETE: Advice(
        "the answer states only a part of the reference", "a larger k, or a generator that joins sources", ("k=10",)
    ),
    Loss.OFF_TOPIC: Advice("the answer does not address the question", "another prompt or generator"),
    Loss.UNFAITHFUL: Advice(
        "the answer claims what the context does not support", "the strict prompt, a grounding check"
    ),
    Loss.FALSE_ANSWER: Advice("an unanswerable question is answered", "a stricter refusal threshold"),
    Loss.FALSE_REFUSAL: Advice(
        "the evidence is in the context and the answer is refused", "a looser refusal threshold"
    ),
    Loss.FAILED: Advice("the question raised an error", "read the error in the trace"),
    Loss.UNJUDGED: Advice("the judge gave no usable verdict", "another judge, or run the judge again"),
}
