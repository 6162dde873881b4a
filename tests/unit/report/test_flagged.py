"""What a page is told of claims that were checked before an answer left."""

from __future__ import annotations

import pytest

from ragbench.core.rows import from_row, to_row
from ragbench.records.question import Question
from ragbench.records.score import ClaimState, ClaimVerdict
from ragbench.records.trace import Answer, ContextBlock, Grounding, PackedContext, Trace
from ragbench.report.labels import texts
from ragbench.report.view_questions import ChunkTexts, details

SAID = {
    "zh": ("年假二十天。", "员工年假为十天。病假需要证明。", "员工年假为十天。"),
    "en": ("Leave is twenty days.", "Leave is ten days. Sick leave needs a note.", "Leave is ten days."),
    "mixed": ("annual leave 二十天。", "annual leave 为十天。病假 needs a note.", "annual leave 为十天。"),
}


def flagged(language: str, grounding: Grounding | None, refused: bool = False) -> object:
    claim, passage, _ = SAID[language]
    context = PackedContext((ContextBlock(3, "d.md", 0, 20, (), passage, 9),), 9, 100)
    trace = Trace("q", context=context, answer=Answer(claim, refused=refused, grounding=grounding))
    return details(Question("q", claim), trace, None, ChunkTexts([]), lambda _: None)["flagged"]


@pytest.mark.parametrize("refused", [False, True])
@pytest.mark.parametrize("language", SAID)
def test_each_claim_has_its_verdict_and_the_sentence_that_decides(language: str, refused: bool) -> None:
    claim, passage, sentence = SAID[language]
    verdict = ClaimVerdict(claim, ClaimState.CONTRADICTED, 0.2, 0, len(claim), 3, sentence)
    found = flagged(language, from_row(Grounding, to_row(Grounding(2, (claim,), 1.0, (verdict,)))), refused)
    after = passage.partition(sentence)[2]
    assert found == {"of": 2, "claims": [[claim, "contradicted", 0.2, 3, ["", sentence, after]]]}


def test_of_an_older_trace_the_words_are_told_alone() -> None:
    old = from_row(Grounding, {"claims": 4, "unsupported": ["Leave is twenty days."], "ms": 2.0})
    assert flagged("en", old) == {
        "of": 4,
        "claims": [["Leave is twenty days.", None, None, None, ["", "", ""]]],
    }


def test_what_was_not_checked_is_not_told_and_what_was_all_supported_is() -> None:
    assert flagged("en", None) is None
    assert flagged("en", Grounding(2)) == {"of": 2, "claims": []}
    assert details(Question("q", "?"), None, None, ChunkTexts([]), lambda _: None)["flagged"] is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_heading_has_words(language: str) -> None:
    told = texts(language)["ui"]["d_flagged"].format(n=2, of=5)
    assert "2" in told and "5" in told
