"""Recall, precision, IoU and precision-omega on the questions of chunking_evaluation, against a plain loop.

The loop counts sets of character positions and knows nothing of intervals, groups or ranked views. Definitions are
those of chunking_evaluation (Smith and Troynikov, 2024), with half-open intervals.
"""

import csv
import json

import pytest

from ragbench.measure.case import ChunkedCorpus, make_cases
from ragbench.measure.registry import measure
from ragbench.records.document import Document
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question
from ragbench.sparse.bm25 import Bm25Sparse
from ragbench.splitter.chunking import chunk_corpus
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.testing.cases import document, trace

pytestmark = pytest.mark.data
N_QUESTIONS, N_REFERENCES = 276, 452
CUTS = (1, 5, 10)
SPLITTERS = {
    "fixed": FixedSplitter(chunk_size=800, chunk_unit="chars", overlap=0),
    "fixed, overlapping": FixedSplitter(chunk_size=400, chunk_unit="chars", overlap=200),
    "recursive": RecursiveSplitter(chunk_size=800, chunk_unit="chars", overlap=100, min_size=None),
    "recursive, small": RecursiveSplitter(chunk_size=200, chunk_unit="chars", overlap=0, min_size=None),
}


@pytest.fixture(scope="module")
def published(data_dir) -> tuple[dict[str, Document], list[Question]]:
    """The corpora as they stand and the questions with their references, each a group of its own."""
    folder = data_dir / "chunking_evaluation"
    documents = {}
    for path in sorted((folder / "corpora").glob("*.md")):
        with path.open(encoding="utf-8", newline="") as handle:
            documents[path.stem] = document(path.stem, handle.read())
    with (folder / "questions_df.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    questions = []
    for number, row in enumerate(rows):
        items = []
        for found in json.loads(row["references"]):
            item = EvidenceItem(row["corpus_id"], int(found["start_index"]), int(found["end_index"]))
            assert documents[item.doc_id].text[item.start : item.end] == found["content"]
            items.append(item)
        groups = tuple(EvidenceGroup(f"g{at}", (item,)) for at, item in enumerate(items))
        questions.append(Question(f"q{number}", row["question"], groups=groups))
    return documents, questions


def positions(doc_id, start, end):
    return {(doc_id, at) for at in range(start, end)}


def plain_scores(references, retrieved):
    """Recall, precision and IoU of retrieved spans; a character retrieved twice is paid for twice."""
    gold = set().union(*(positions(*one) for one in references))
    found = gold & set().union(*(positions(*one) for one in retrieved))
    read = sum(end - start for _, start, end in retrieved)
    return {
        "recall": len(found) / len(gold),
        "precision": len(found) / read if read else 0.0,
        "iou": len(found) / (read + len(gold) - len(found)),
    }


def plain_omega(references, chunks):
    """Precision when the chunks that hold a character of a reference, and no others, are retrieved."""
    gold = set().union(*(positions(*one) for one in references))
    relevant = [one for one in chunks if any(d == one[0] and s < one[2] and one[1] < e for d, s, e in references)]
    held = set().union(*(positions(*one) for one in relevant))
    return len(gold & held) / len(gold | held)


@pytest.mark.parametrize("name", SPLITTERS)
def test_equal_to_a_plain_loop_on_every_question(name, published, tmp_path):
    documents, questions = published
    assert (len(questions), sum(len(one.groups) for one in questions)) == (N_QUESTIONS, N_REFERENCES)
    chunks = chunk_corpus(SPLITTERS[name], documents.values())
    spans = [(chunk.doc_id, chunk.start, chunk.end) for chunk in chunks]
    sparse = Bm25Sparse(analyser="jieba", stop_words="none", k1=1.5, b=0.75, method="lucene")
    sparse.build(tmp_path, [chunk.text for chunk in chunks])
    with sparse.open(tmp_path) as index:
        rankings = [index.search(one.question, 20)[0].tolist() for one in questions]
    traces = [trace(one.id, found) for one, found in zip(questions, rankings)]
    cases = make_cases(questions, traces, ChunkedCorpus(documents, chunks, [1] * len(chunks)))
    for case, found in zip(cases, rankings):
        references = [(one.items[0].doc_id, one.items[0].start, one.items[0].end) for one in case.question.groups]
        omega = measure("chunks/precision_omega").find(case).value
        assert omega == pytest.approx(plain_omega(references, spans), abs=1e-12), case.subject_id
        for k in CUTS:
            expected = plain_scores(references, [spans[number] for number in found[:k]])
            for part, value in expected.items():
                ours = measure(f"chunks/token_{part}@{k}").find(case).value
                assert ours == pytest.approx(value, abs=1e-12), (case.subject_id, part, k)
