"""The measures of chunking_evaluation on its own questions, for some of our splitters with keyword search.

    python benchmarks/chunking_evaluation.py

Recall, precision and IoU are those of the first five chunks (the package's `retrieve=5`); precision-omega does not
depend on the search. Beside ours stands precision-omega with closed intervals, as the package computes it: there a
chunk that ends where a reference starts holds evidence. Data: RAGBENCH_DATA (default ../shared/data).
"""

from __future__ import annotations

import csv
import json
import os
import tempfile
from pathlib import Path

from ragbench.measure.case import Case, ChunkedCorpus, make_cases
from ragbench.measure.registry import measure
from ragbench.records.document import Document
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question
from ragbench.sparse.bm25 import Bm25Sparse
from ragbench.splitter.base import Splitter
from ragbench.splitter.chunking import chunk_corpus
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.testing.cases import document, trace

DATA = Path(os.environ.get("RAGBENCH_DATA") or "../shared/data") / "chunking_evaluation"
MEASURES = ("token_recall@5", "token_precision@5", "token_iou@5", "precision_omega")
SIZES = ((200, 0), (400, 0), (400, 200), (800, 0), (800, 400))


def published() -> tuple[dict[str, Document], list[Question]]:
    """The corpora and the questions, each reference a group of its own."""
    documents = {}
    for path in sorted((DATA / "corpora").glob("*.md")):
        with path.open(encoding="utf-8", newline="") as handle:
            documents[path.stem] = document(path.stem, handle.read())
    with (DATA / "questions_df.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    questions = []
    for number, row in enumerate(rows):
        items = [
            EvidenceItem(row["corpus_id"], found["start_index"], found["end_index"])
            for found in json.loads(row["references"])
        ]
        groups = tuple(EvidenceGroup(f"g{at}", (item,)) for at, item in enumerate(items))
        questions.append(Question(f"q{number}", row["question"], groups=groups))
    return documents, questions


def cases_of(splitter: Splitter, documents: dict[str, Document], questions: list[Question]) -> list[Case]:
    """The questions, searched with BM25 among the chunks of all corpora."""
    chunks = chunk_corpus(splitter, documents.values())
    sparse = Bm25Sparse(analyser="jieba", stop_words="none", k1=1.5, b=0.75, method="lucene")
    with tempfile.TemporaryDirectory() as folder:
        sparse.build(Path(folder), [chunk.text for chunk in chunks])
        with sparse.open(Path(folder)) as index:
            traces = [trace(one.id, index.search(one.question, 5)[0].tolist()) for one in questions]
    return make_cases(questions, traces, ChunkedCorpus(documents, chunks, [1] * len(chunks)))


def closed_omega(case: Case) -> float:
    """Precision-omega where touching is enough, counted by positions."""
    gold: set[int] = set()
    held: set[int] = set()
    for group in case.question.groups:
        item = group.items[0]
        gold |= set(range(item.start, item.end))
        for chunk in case.corpus.by_document[item.doc_id]:
            if chunk.start <= item.end and item.start <= chunk.end:
                held |= set(range(chunk.start, chunk.end))
    return len(gold & held) / len(gold | held)


def main() -> None:
    """One line a splitter."""
    documents, questions = published()
    print(f"{len(questions)} questions, {sum(len(one.groups) for one in questions)} references")
    print(f"{'':<20} {'chunks':>6} {'recall@5':>9} {'prec.@5':>8} {'IoU@5':>7} {'omega':>7} {'closed':>7} differ")
    for name, kind in (("fixed", FixedSplitter), ("recursive", RecursiveSplitter)):
        for size, overlap in SIZES:
            more = {} if kind is FixedSplitter else {"min_size": None}
            cases = cases_of(kind(chunk_size=size, chunk_unit="tokens", overlap=overlap, **more), documents, questions)
            columns = [[measure(f"chunks/{one}").find(case).value or 0.0 for case in cases] for one in MEASURES]
            closed = [closed_omega(case) for case in cases]
            means = " ".join(f"{sum(column) / len(column):.3f}".rjust(w) for column, w in zip(columns, (9, 8, 7, 7)))
            differ = sum(abs(a - b) > 1e-12 for a, b in zip(columns[-1], closed))
            label = f"{name} {size}/{overlap}"
            n = len(cases[0].corpus.chunks)
            print(f"{label:<20} {n:>6} {means} {sum(closed) / len(closed):>7.3f} {differ:>6}")


if __name__ == "__main__":
    main()
