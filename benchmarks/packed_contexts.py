"""Development questions of the shipped eval sets with the contexts the shipped default pipeline packs for them.

Nothing about the pipeline is repeated here: splitter, sparse index, fusion, k and packer are those that
`ragbench run` composes without overrides. Questions of the split `test` are never read: figures made from these
cases set weights.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragbench.core.codec import read_json
from ragbench.pipeline.offline import build
from ragbench.pipeline.online import OnlineBench, open_bench
from ragbench.records.document import Chunk
from ragbench.records.question import Question
from ragbench.records.search import Ranked
from ragbench.records.trace import Asked, PackedContext
from ragbench.run.build import experiment
from ragbench.run.experiment import Experiment
from ragbench.run.session import Session

LANGUAGES = {"policy_zh": "zh", "product_en": "en"}
SPLIT = "dev"


@dataclass(frozen=True)
class Case:
    """A question with a context; `kind` is `found` (as retrieved), `oracle` (evidence put in) or `removed` (evidence
    taken out) or `off_topic` (a question of XQuAD, CC BY-SA 4.0, on the set's corpus)."""

    set_name: str
    kind: str
    question: Question
    context: PackedContext
    holds_evidence: bool


def default(set_name: str) -> Experiment:
    """The shipped defaults on a set, without an answer."""
    return experiment([f"eval_set={set_name}", f"split={SPLIT}", "generator=none", "judge=none"])


def cases(session: Session) -> Iterator[Case]:
    """All cases of the development split, set by set."""
    for name, language in LANGUAGES.items():
        chosen = default(name)
        corpus = session.corpus(chosen)
        opener = session.embedder(chosen.pipeline.embedder)
        built = build(chosen.pipeline, corpus, session.store, opener)
        questions = [*session.eval_set(chosen).of_split(chosen.split), *_strangers(language)]
        with open_bench(chosen.pipeline, built, session.store, opener) as bench:
            for question, trace in zip(questions, chosen.pipeline.flow.run(questions, bench), strict=True):
                if trace.error is not None:
                    raise RuntimeError(f"{question.id}: {trace.error}")
                yield from _kinds(name, question, trace.reranked, bench, chosen.pipeline.flow.cuts.k)


def _strangers(language: str, count: int = 100) -> list[Question]:
    """Questions that have nothing to do with the corpus, evenly over XQuAD."""
    folder = Path(os.environ.get("RAGBENCH_DATA", "../shared/data")) / "xquad"
    data = read_json(next(folder.rglob(f"xquad.{language}.json")))["data"]
    asked = [qa["question"] for article in data for paragraph in article["paragraphs"] for qa in paragraph["qas"]]
    step = len(asked) // count
    return [Question(f"off-{at}", text, answerable=False) for at, text in enumerate(asked[::step][:count])]


def _kinds(name: str, question: Question, ranking: Sequence[Ranked], bench: OnlineBench, k: int) -> Iterator[Case]:
    chunks = bench.built.chunks

    def case(kind: str, items: Sequence[Ranked]) -> Case:
        context = bench.pack(tuple(items), {}, Asked(question.question))
        return Case(name, kind, question, context, holds(question, context))

    yield case("off_topic" if question.id.startswith("off-") else "found", ranking[:k])
    if not question.groups:
        return
    gold = [item for item in ranking if _touches(question, chunks[item.chunk])]
    rest = [item for item in ranking if not _touches(question, chunks[item.chunk])]
    yield case("removed", rest[:k])
    if gold:
        yield case("oracle", sorted([*gold[: k - 2], *rest[: max(2, k - len(gold))]], key=lambda item: item.rank))


def _touches(question: Question, chunk: Chunk) -> bool:
    return any(
        item.doc_id == chunk.doc_id and item.start < chunk.end and chunk.start < item.end
        for group in question.groups
        for item in group.items
    )


def holds(question: Question, context: PackedContext) -> bool:
    """Whether some evidence group is in the context to nine tenths."""
    return any(
        block.doc_id == item.doc_id
        and min(block.end, item.end) - max(block.start, item.start) >= 0.9 * (item.end - item.start)
        for group in question.groups
        for item in group.items
        for block in context.blocks
    )
