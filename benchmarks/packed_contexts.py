"""Development questions of the shipped eval sets with the contexts a default pipeline packs for them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragbench.core.codec import read_json
from ragbench.core.store import Store
from ragbench.core.workers import TextEmbedder
from ragbench.corpus.loader import CorpusLoader
from ragbench.embedder.cached import CachedEmbedder
from ragbench.embedder.e5_small import E5Small
from ragbench.eval_set.locate import locate
from ragbench.eval_set.rows import read_rows
from ragbench.packer.relevance import RelevancePacker
from ragbench.packer.tokens import estimate_tokens
from ragbench.pipeline.offline import Corpus, load
from ragbench.records.document import Chunk, Document
from ragbench.records.question import Question
from ragbench.records.search import Ranked, RouteList
from ragbench.records.trace import PackedContext
from ragbench.retriever.hybrid import HybridRetriever
from ragbench.sparse.bm25 import Bm25Sparse
from ragbench.splitter.chunking import chunk_corpus
from ragbench.splitter.recursive import RecursiveSplitter

LANGUAGES = {"policy_zh": "zh", "product_en": "en"}
PACKER = RelevancePacker(budget=4000, show_headings="none", merge_neighbours=True)


@dataclass(frozen=True)
class Case:
    """A question with a context; `kind` is `found` (as retrieved), `oracle` (evidence put in) or `removed` (evidence
    taken out) or `off_topic` (a question of XQuAD, CC BY-SA 4.0, on the set's corpus)."""

    set_name: str
    kind: str
    question: Question
    context: PackedContext
    holds_evidence: bool


@contextmanager
def embedder(store: Store) -> Iterator[TextEmbedder]:
    """The default embedder with its cache."""
    stage = E5Small(runtime="auto", overflow="window_mean", query_prefix="query: ", passage_prefix="passage: ")
    with stage.open() as worker:
        yield CachedEmbedder(worker, store)


def cases(store: Store, embed: TextEmbedder, split: str, k: int = 5) -> Iterator[Case]:
    """All cases of a split, set by set."""
    for name in LANGUAGES:
        folder = Path("eval_sets") / name / "v1"
        corpus = load(folder / "corpus", CorpusLoader(), store)
        documents = corpus.by_id()
        rows = read_rows(folder / "questions.jsonl", strict=True)
        questions = [question for question in locate(rows, documents) if question.split == split]
        yield from _of_set(name, corpus, [*questions, *_strangers(LANGUAGES[name])], embed, k)


def _strangers(language: str, count: int = 100) -> list[Question]:
    """Questions that have nothing to do with the corpus, evenly over XQuAD."""
    folder = Path(os.environ.get("RAGBENCH_DATA", "../shared/data")) / "xquad"
    data = read_json(next(folder.rglob(f"xquad.{language}.json")))["data"]
    asked = [qa["question"] for article in data for paragraph in article["paragraphs"] for qa in paragraph["qas"]]
    step = len(asked) // count
    return [Question(f"off-{at}", text, answerable=False) for at, text in enumerate(asked[::step][:count])]


def _of_set(name: str, corpus: Corpus, questions: Sequence[Question], embed: TextEmbedder, k: int) -> Iterator[Case]:
    documents = corpus.by_id()
    splitter = RecursiveSplitter(chunk_size=500, chunk_unit="chars", overlap=None, min_size=None).resolved()
    chunks = chunk_corpus(splitter, corpus.documents)
    vectors = embed.embed_documents([chunk.index_text for chunk in chunks])
    hybrid = HybridRetriever(fusion="alpha", alpha=0.7, rrf_k=60, weights={"dense": 1.0, "sparse": 1.0}).resolved()
    sparse = Bm25Sparse(analyser="jieba", stop_words="none", k1=1.5, b=0.75, method="lucene")
    with tempfile.TemporaryDirectory() as place:
        sparse.build(Path(place), [chunk.index_text for chunk in chunks])
        with sparse.open(Path(place)) as reader:
            for question in questions:
                dense = vectors @ embed.embed_queries([question.question])[0]
                order = sorted(range(len(chunks)), key=lambda number: (-float(dense[number]), number))[:100]
                lists = [
                    _route("dense", [(number, float(dense[number])) for number in order]),
                    _route("sparse", list(zip(*(part.tolist() for part in reader.search(question.question, 100))))),
                ]
                yield from _kinds(name, question, hybrid.fuse(lists), chunks, documents, k)


def _route(name: str, hits: Sequence[tuple[int, float]]) -> RouteList:
    return RouteList(name, 0, tuple(number for number, _ in hits), tuple(score for _, score in hits))


def _kinds(
    name: str,
    question: Question,
    ranking: Sequence[Ranked],
    chunks: Sequence[Chunk],
    documents: dict[str, Document],
    k: int,
) -> Iterator[Case]:
    def case(kind: str, items: Sequence[Ranked]) -> Case:
        context = PACKER.pack(tuple(items), chunks, documents, estimate_tokens)
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
