"""Claims of an answer checked against its context before the answer leaves."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from ragbench.generator import messages
from ragbench.judge.claims import split_claims, without_citations
from ragbench.judge.evidence import Evidence
from ragbench.judge.support import SupportModel, check_claim
from ragbench.records.score import ClaimState, ClaimVerdict
from ragbench.records.trace import Answer, Citation, Grounding, PackedContext
from ragbench.text.sentences import sentences

MODES = ("off", "flag", "drop", "refuse")

Span = tuple[int, int]


def grounded(answer: Answer, question: str, context: PackedContext, mode: str) -> Answer:
    """The answer after a check of each claim by the support score of the offline judge; `mode` is one of `MODES`.

    `off` and a refusal: as it is. `flag`: the same text, with what was found. `drop`: without the sentences that hold
    an unsupported claim; where no supported claim is left, a refusal. `refuse`: a refusal where any claim is
    unsupported. An answer without claims is not changed.
    """
    if mode == "off" or answer.refused:
        return answer
    started = time.perf_counter()
    evidence = Evidence([(block.citation, block.text) for block in context.blocks])
    model = SupportModel.load()
    verdicts = [check_claim(claim, evidence, model).verdict for claim in split_claims(answer.text)]
    bad = [one for one in verdicts if one.state is not ClaimState.SUPPORTED]
    ms = (time.perf_counter() - started) * 1000
    found = Grounding(len(verdicts), tuple(one.claim for one in bad), ms, tuple(bad))
    if not bad or mode == "flag":
        return replace(answer, grounding=found)
    left = _without(answer, bad) if mode == "drop" else None
    if left is None or not _keeps_one(verdicts, bad, left[1]):
        text = messages.refusal_message(messages.NOT_GROUNDED, question)
        return Answer(text, refused=True, reason=messages.NOT_GROUNDED, grounding=found)
    return replace(left[0], grounding=found)


def _keeps_one(verdicts: Sequence[ClaimVerdict], bad: Sequence[ClaimVerdict], cuts: Sequence[Span]) -> bool:
    """Whether a supported claim stands outside the cuts."""
    good = [one for one in verdicts if one not in bad]
    return any(not any(start <= one.start < end for start, end in cuts) for one in good)


def _without(answer: Answer, bad: Sequence[ClaimVerdict]) -> tuple[Answer, list[Span]]:
    """The answer without the sentences of some claims and the marks behind them, and what was cut."""
    every = sentences(without_citations(answer.text))
    cuts: list[Span] = []
    for place, sentence in enumerate(every):
        end = every[place + 1].start if place + 1 < len(every) else len(answer.text)
        if any(sentence.start <= claim.start < sentence.end for claim in bad):
            cuts.append((sentence.start, end))
    text, last = "", 0
    for start, end in cuts:
        text += answer.text[last:start]
        last = end
    text = (text + answer.text[last:]).rstrip()
    kept = [one for one in answer.citations if not any(start <= one.start < end for start, end in cuts)]
    return replace(answer, text=text, citations=tuple(_moved(one, cuts) for one in kept)), cuts


def _moved(citation: Citation, cuts: Sequence[Span]) -> Citation:
    by = sum(end - start for start, end in cuts if end <= citation.start)
    return replace(citation, start=citation.start - by, end=citation.end - by)
