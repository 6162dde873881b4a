"""What each kind of loss looks like and what to change, for a run as it is configured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ragbench.evaluate.knobs import Knobs
from ragbench.evaluate.losses import Loss

Change = tuple[str, ...]
"""Configuration overrides that belong together."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A symptom, what to change, and the changes to try, the most promising first."""

    symptom: str
    change: str
    changes: Callable[[Knobs], Iterator[Change]]


def changes(loss: Loss, knobs: Knobs) -> tuple[Change, ...]:
    """Changes to try against a loss, each a run of its own; none that the run has already. Empty for `ok` and where
    only a person can tell."""
    advice = ADVICE.get(loss)
    return tuple(dict.fromkeys(advice.changes(knobs))) if advice else ()


def _none(knobs: Knobs) -> Iterator[Change]:
    yield from ()


def _other(knobs: Knobs, slot: str, option: str, *more: str) -> Iterator[Change]:
    """Another option of a slot, unless it is the chosen one."""
    if knobs.option(slot) != option:
        yield (f"{slot}={option}", *more)


def _chunk_cut(knobs: Knobs) -> Iterator[Change]:
    size = knobs.root("chunk_size")
    if size:
        yield (f"chunk_size={2 * size}",)
    yield from _other(knobs, "splitter", "markdown")
    if str(knobs.variant.get("overlap")) != "20%":
        yield ("overlap=20%",)


def _query(knobs: Knobs) -> Iterator[Change]:
    yield from _other(knobs, "query", "none")
    if knobs.option("rewriter"):
        yield from _other(knobs, "rewriter", "none")


def _not_recalled(knobs: Knobs) -> Iterator[Change]:
    hybrid = knobs.option("retriever") == "hybrid"
    yield from _other(knobs, "retriever", "hybrid")
    if hybrid:
        yield ("alpha=0.3",) if knobs.variant.get("alpha") != 0.3 else ("alpha=0.7",)
    yield from _other(knobs, "context", "headings")
    depth = knobs.root("recall_k")
    if depth:
        reranked = knobs.option("reranker") not in ("", "none")
        more = () if reranked else ("reranker=late_interaction",)
        yield (f"recall_k={_deeper(knobs, 2 * depth)}", *more)
    if knobs.option("retriever") in ("hybrid", "sparse"):
        yield from _other(knobs, "query", "expand")


def _deeper(knobs: Knobs, depth: int) -> int:
    pool = knobs.root("pool_depth")
    return min(depth, pool) if pool else depth


def _ranked_out(knobs: Knobs) -> Iterator[Change]:
    if knobs.option("reranker") in ("", "none"):
        yield ("reranker=late_interaction",)
    else:
        yield ("reranker=none",)
    yield from _larger_k(knobs)


def _larger_k(knobs: Knobs) -> Iterator[Change]:
    k, depth = knobs.root("k"), knobs.root("recall_k")
    if k and depth and k < depth:
        yield (f"k={min(2 * k, depth)}",)


def _packed_out(knobs: Knobs) -> Iterator[Change]:
    budget, window = knobs.whole("packer", "budget"), knobs.whole("packer", "window")
    if budget:
        kept = (knobs.whole("packer", "system") or 0) + (knobs.whole("packer", "answer") or 0)
        wanted = 2 * budget + kept + _QUESTION
        wider = (f"pipeline.packer.window={wanted}",) if window and window < wanted else ()
        yield (f"pipeline.packer.budget={2 * budget}", *wider)
    size = knobs.root("chunk_size")
    if size and size >= 2 * _SMALL:
        yield (f"chunk_size={size // 2}",)
    if knobs.of("packer", "truncate") is False:
        yield ("pipeline.packer.truncate=true",)


def _sentences(knobs: Knobs) -> Iterator[Change]:
    n = knobs.whole("generator", "max_sentences")
    if n:
        yield (f"pipeline.generator.max_sentences={2 * n}",)


def _unused(knobs: Knobs) -> Iterator[Change]:
    yield from _sharper(knobs)
    yield from _sentences(knobs)
    k = knobs.root("k")
    if k and k > 1:
        yield (f"k={max(1, k // 2)}",)


def _sharper(knobs: Knobs) -> Iterator[Change]:
    """Sentences chosen by more than their words."""
    if knobs.of("generator", "scorer") == "lexical":
        yield ("pipeline.generator.scorer=maxsim",)


def _incomplete(knobs: Knobs) -> Iterator[Change]:
    yield from _sentences(knobs)
    yield from _larger_k(knobs)


def _off_topic(knobs: Knobs) -> Iterator[Change]:
    yield from _sharper(knobs)
    if knobs.of("generator", "prompt") == "loose":
        yield ("pipeline.generator.prompt=strict",)


def _unfaithful(knobs: Knobs) -> Iterator[Change]:
    if knobs.of("generator", "prompt") == "loose":
        yield ("pipeline.generator.prompt=strict",)
    if knobs.of("generator", "grounding") == "off":
        yield ("pipeline.generator.grounding=drop",)
    yield from _other(knobs, "generator", "extractive")


def _false_answer(knobs: Knobs) -> Iterator[Change]:
    yield from _threshold(knobs, _STEP)
    if knobs.of("generator", "prompt") == "loose":
        yield ("pipeline.generator.prompt=strict",)


def _false_refusal(knobs: Knobs) -> Iterator[Change]:
    yield from _threshold(knobs, -_STEP)


def _threshold(knobs: Knobs, step: float) -> Iterator[Change]:
    at = knobs.of("generator", "refuse_below")
    if isinstance(at, int | float) and not isinstance(at, bool):
        moved = round(min(1.0, max(0.0, at + step)), 4)
        if moved != at:
            yield (f"pipeline.generator.refuse_below={moved:g}",)


def _clarified(knobs: Knobs) -> Iterator[Change]:
    yield from _other(knobs, "flow", "one_shot")


_STEP = 0.2
_SMALL = 100
_QUESTION = 1000
"""Tokens left for the question and earlier turns."""

ADVICE: Mapping[Loss, Advice] = {
    Loss.CHUNK_CUT: Advice(
        "the evidence lies across chunks or in none",
        "larger chunks, overlap, or a splitter that follows the structure",
        _chunk_cut,
    ),
    Loss.QUERY: Advice(
        "the question's own words would have found it, or a number of the question was lost",
        "search with the question as asked",
        _query,
    ),
    Loss.NOT_RECALLED: Advice(
        "no route brings the evidence near the top",
        "another route or more weight for the one that finds it, headings in the searched text, a deeper list",
        _not_recalled,
    ),
    Loss.RANKED_OUT: Advice(
        "the evidence is recalled but stands below k", "another reranker, or a larger k", _ranked_out
    ),
    Loss.PACKED_OUT: Advice(
        "the evidence is ranked but did not fit the context",
        "a larger budget where the model's window allows it, or smaller chunks",
        _packed_out,
    ),
    Loss.UNUSED: Advice(
        "the evidence is in the context and the answer states nothing of the reference",
        "a sharper generator, more sentences, or a smaller context",
        _unused,
    ),
    Loss.INCOMPLETE: Advice(
        "the answer states only a part of the reference",
        "more sentences, a larger k, or a generator that joins sources",
        _incomplete,
    ),
    Loss.OFF_TOPIC: Advice("the answer does not address the question", "another prompt or generator", _off_topic),
    Loss.UNFAITHFUL: Advice(
        "the answer claims what the context does not support",
        "a stricter prompt, claims checked against the context, or a generator that quotes",
        _unfaithful,
    ),
    Loss.FALSE_ANSWER: Advice(
        "an unanswerable question is answered",
        "a stricter refusal threshold, which finds questions off the corpus but no near misses",
        _false_answer,
    ),
    Loss.FALSE_REFUSAL: Advice(
        "the evidence is in the context and the answer is refused", "a looser refusal threshold", _false_refusal
    ),
    Loss.CLARIFIED: Advice(
        "the question says what it wants, and is answered with a question back",
        "a flow that answers ambiguous questions, or a classifier that takes fewer for ambiguous",
        _clarified,
    ),
    Loss.FAILED: Advice("the question raised an error", "read the error in the trace", _none),
    Loss.UNJUDGED: Advice("the judge gave no usable verdict", "another judge, or run the judge again", _none),
}
