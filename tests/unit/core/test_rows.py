"""Records to plain data and back."""

import pytest

from ragbench.core.codec import dumps, loads
from ragbench.core.rows import from_row, to_row
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question, Turn
from ragbench.records.score import ClaimState, ClaimVerdict, Verdict
from ragbench.records.trace import Answer, Citation, ContextBlock, DroppedChunk, PackedContext

BLOCK = ContextBlock(1, "人事/a.md", 0, 9, (3, 4), "年假 5 天", 6, 0.5)
RECORDS = [
    Question(
        "q1",
        "年假几天？",
        groups=(EvidenceGroup("g1", (EvidenceItem("a.md", 1, 5, quote="年假"),)),),
        history=(Turn("user", "hi"),),
    ),
    Question("q2", "x", answerable=False, filter={"site": {"$in": ["a"]}}, metadata={"n": 1}),
    Answer("五天。[1]", citations=(Citation(0, 3, 1, "a.md", 2, 5), Citation(3, 6, None)), confidence=0.7),
    PackedContext((BLOCK,), 6, 4000, (DroppedChunk(9, "budget"),)),
    Verdict("q1", "offline-1", (ClaimVerdict("c", ClaimState.SUPPORTED, 0.9, block=1),), 0.5, error=None),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_record_survives_json(record):
    assert from_row(type(record), loads(dumps(to_row(record)))) == record


def test_unknown_fields_are_ignored_and_missing_ones_default():
    assert from_row(Answer, {"text": "x", "later": 1}) == Answer("x")
