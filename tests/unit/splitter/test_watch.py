"""Chunking tells how far it has come."""

from __future__ import annotations

import pytest

from ragbench.splitter import length
from ragbench.splitter.chunking import chunk_corpus
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.parent_child import ParentChildSplitter
from ragbench.splitter.watch import course, reached, watched
from ragbench.testing.splitter_contract import make

DOCUMENTS = [make(f"员工年假有五天。Five days of leave. {number}\n" * 40, "text") for number in range(3)]
WORDS = FixedSplitter(chunk_size=20, overlap=0, chunk_unit="words")


def told(splitter, documents=DOCUMENTS):
    reports = []
    length._memory.clear()
    with watched(lambda done, total: reports.append((done, total))):
        chunk_corpus(splitter, documents)
    return reports


def test_each_document_is_a_step_from_nothing_to_all():
    total = sum(len(document.text) for document in DOCUMENTS)
    reports = told(FixedSplitter(chunk_size=50, overlap=0, chunk_unit="chars"))
    assert [done for done, _ in reports] == [0, *(sum(len(d.text) for d in DOCUMENTS[:n]) for n in (1, 2, 3))]
    assert {of for _, of in reports} == {total}


def test_stretches_of_a_large_document_are_told(monkeypatch):
    monkeypatch.setattr(length, "_STRETCH", 100)
    steps = [done for done, _ in told(WORDS, DOCUMENTS[:1])]
    assert len(steps) > len(DOCUMENTS[0].text) // 100 and steps[-1] == len(DOCUMENTS[0].text)


@pytest.mark.parametrize(
    "splitter",
    [WORDS, ParentChildSplitter(parents=FixedSplitter(chunk_size=90, overlap=30, chunk_unit="words"), children=WORDS)],
)
def test_steps_ascend(splitter, monkeypatch):
    monkeypatch.setattr(length, "_STRETCH", 100)
    steps = [done for done, _ in told(splitter)]
    assert steps == sorted(set(steps)) and steps[0] == 0


def test_unwatched_and_afterwards_nothing_is_told():
    reports = []
    with pytest.raises(RuntimeError), watched(lambda done, total: reports.append((done, total))):
        raise RuntimeError
    chunk_corpus(WORDS, DOCUMENTS)
    reached(5)
    with course(10) as done:
        done(10)
    assert reports == []


def test_no_documents():
    assert told(WORDS, []) == [(0, 0)]
