"""Passages kept whole beside the chunks of another splitter."""

import pytest

from ragbench.run.whole_spans import WholeSpans
from ragbench.splitter.chunking import chunk_corpus
from ragbench.splitter.fixed import FixedSplitter
from ragbench.testing.cases import document

TEXTS = {
    "zh": "年假可以结转五天逾期作废由主管审批",
    "en": "leave carries over five",
    "mixed": "年假 carry over 五天 逾期",
}
FIXED = FixedSplitter(chunk_size=5, chunk_unit="chars", overlap=0)


@pytest.mark.parametrize("language", TEXTS)
def test_a_cut_passage_becomes_a_chunk_and_its_pieces_go(language):
    text = TEXTS[language]
    whole = WholeSpans(splitter=FIXED, passages=(("d", 3, 14), ("other", 0, 4)))
    plain = {(chunk.start, chunk.end) for chunk in chunk_corpus(FIXED, [document("d", text)])}
    found = {(chunk.start, chunk.end) for chunk in chunk_corpus(whole, [document("d", text)])}
    start = 3 + len(text[3:14]) - len(text[3:14].lstrip())
    end = 3 + len(text[3:14].rstrip())
    assert (start, end) in found and (start, end) not in plain
    assert found - plain == {(start, end)}
    assert plain - found == {span for span in plain if start <= span[0] and span[1] <= end}
    assert whole.fingerprint() != WholeSpans(splitter=FIXED, passages=()).fingerprint()


def test_what_a_chunk_holds_already_adds_nothing_and_starts_stay_distinct():
    text = TEXTS["zh"]
    held = WholeSpans(splitter=FIXED, passages=(("d", 1, 4), ("d", 6, 6)))
    assert chunk_corpus(held, [document("d", text)]) == chunk_corpus(FIXED, [document("d", text)])
    same_start = WholeSpans(splitter=FIXED, passages=(("d", 5, 12), ("d", 5, 14)))
    starts = [chunk.start for chunk in chunk_corpus(same_start, [document("d", text)])]
    assert starts == sorted(set(starts))
    spans = [(chunk.start, chunk.end) for chunk in chunk_corpus(same_start, [document("d", text)])]
    assert (5, 14) in spans
