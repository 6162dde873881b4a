"""An embedder of hashed words and a corpus in three languages, for tests of whole pipelines without a model."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ragbench.core.store import Store
from ragbench.corpus.loader import CorpusLoader
from ragbench.embedder.cached import CachedEmbedder
from ragbench.pipeline.offline import Corpus, build, load
from ragbench.pipeline.online import open_bench
from ragbench.pipeline.pipeline import Pipeline
from ragbench.records.question import Question
from ragbench.records.trace import Trace
from ragbench.run.build import experiment

_WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")
TEXTS = {
    "zh": "入职满{n}年的员工每年享有{n}天带薪年假，未休完的部分最多结转{n}天，逾期作废，由主管审批。",
    "en": "Employees with {n} years of service have {n} days of paid annual leave; at most {n} days carry over.",
    "mixed": "年假 annual leave 的 quota 是 {n} 天，carry over 上限 {n} 天，由 manager 审批 approve。",
}
QUESTIONS = {
    "zh": "年假可以结转多少天？",
    "en": "How many days of annual leave carry over?",
    "mixed": "annual leave 的结转 quota 是多少天？",
}


class Words:
    """Vectors of hashed words, always the same; `computed` are the texts it was asked for."""

    dimension, max_tokens, space = 64, 512, "words"

    def __init__(self) -> None:
        self.computed: list[str] = []

    def embed_documents(self, texts: Sequence[str]):
        self.computed += texts
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts):
            row[0] = 0.1
            for word in _WORD.findall(text.lower()):
                row[1 + zlib.crc32(word.encode()) % (self.dimension - 1)] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    embed_queries = embed_documents

    def token_vectors(self, texts: Sequence[str], role: str):
        return [self.embed_documents(_WORD.findall(text.lower()) or ["x"]) for text in texts]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(_WORD.findall(text.lower())) for text in texts]


def document(language: str, n: int, head: str = "") -> str:
    """A few paragraphs that differ in their numbers."""
    return head + "\n\n".join(TEXTS[language].format(n=n * 10 + part) for part in range(12)) + "\n"


def corpus_of(folder: Path, documents: Mapping[str, str], store: Store) -> Corpus:
    """A loaded folder of texts."""
    for name, text in documents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return load(folder, CorpusLoader(), store)


def pipeline_of(*overrides: str) -> Pipeline:
    """A pipeline of everyday overrides, cut by characters so that no tokeniser is loaded."""
    return experiment(
        ["generator=none", "judge=none", "chunk_unit=chars", "chunk_size=60", "overlap=0", *overrides]
    ).pipeline


class Place:
    """A corpus and a store with one embedder in front of it, that many variants work on."""

    def __init__(self, corpus: Corpus, store: Store) -> None:
        self.corpus, self.store = corpus, store
        self.words = Words()
        self.n_searched = 0

    def embedder(self) -> CachedEmbedder:
        return CachedEmbedder(self.words, self.store)

    def bench(self, pipeline: Pipeline):
        built = build(pipeline, self.corpus, self.store, self.embedder)
        return open_bench(pipeline, built, self.store, self.embedder)

    def ask(self, pipeline: Pipeline, questions: Sequence[Question]) -> list[Trace]:
        """One trace a question; adds the searches that were made to `n_searched`."""
        with self.bench(pipeline) as bench:
            traces = list(pipeline.flow.run(questions, bench))
            self.n_searched += bench.lists.n_searched
        return traces
