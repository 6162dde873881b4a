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
        ("splitter=markdown", "chunk_size=800", "overlap=15%"),
    ),
    Loss.QUERY: Advice(
        "the question's own words would have found it, or a number of the question was lost",
        "search with the question as asked",
        ("query=none",),
    ),
    Loss.NOT_RECALLED: Advice(
        "no route brings the evidence near the top",
        "a deeper candidate list, or more weight for the route that finds it",
        ("retriever=hybrid", "alpha=0.5", "recall_k=50"),
    ),
    Loss.RANKED_OUT: Advice(
        "the evidence is recalled but stands below k",
        "another reranker, or a larger k",
        ("reranker=late_interaction", "k=10"),
    ),
    Loss.PACKED_OUT: Advice(
        "the evidence is ranked but did not fit the context",
        "smaller chunks, or a larger budget where the model's window allows it",
        ("splitter=recursive", "chunk_size=300", "pipeline.packer.budget=8000", "pipeline.packer.window=16384"),
    ),
    Loss.UNUSED: Advice(
        "the evidence is in the context and the answer states nothing of the reference",
        "a smaller context, more sentences, or another generator",
        ("generator=extractive", "pipeline.generator.max_sentences=3"),
    ),
    Loss.INCOMPLETE: Advice(
        "the answer states only a part of the reference",
        "more sentences, a larger k, or a generator that joins sources",
        ("generator=extractive", "pipeline.generator.max_sentences=4", "k=10"),
    ),
    Loss.OFF_TOPIC: Advice("the answer does not address the question", "another prompt or generator"),
    Loss.UNFAITHFUL: Advice(
        "the answer claims what the context does not support",
        "a generator that quotes, a stricter prompt",
        ("generator=extractive",),
    ),
    Loss.FALSE_ANSWER: Advice(
        "an unanswerable question is answered",
        "a stricter refusal threshold, which finds questions off the corpus but no near misses",
        ("generator=extractive", "pipeline.generator.refuse_below=0.4"),
    ),
    Loss.FALSE_REFUSAL: Advice(
        "the evidence is in the context and the answer is refused",
        "a looser refusal threshold",
        ("generator=extractive", "pipeline.generator.refuse_below=0.1"),
    ),
    Loss.CLARIFIED: Advice(
        "the question says what it wants, and is answered with a question back",
        "a flow that answers ambiguous questions, or a classifier that takes fewer for ambiguous",
        ("flow=adaptive_k",),
    ),
    Loss.FAILED: Advice("the question raised an error", "read the error in the trace"),
    Loss.UNJUDGED: Advice("the judge gave no usable verdict", "another judge, or run the judge again"),
}
