"""What is asserted of spans and chunks."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import fmean

from ragbench.corpus.structure import structure
from ragbench.records.document import Document, Span
from ragbench.splitter import length
from ragbench.splitter.fenced import fenced


def assert_spans(document: Document, spans: Sequence[Span]) -> None:
    """Spans lie inside the text, ascend, are not blank, and together hold every character that is not blank."""
    text = document.text
    covered = 0
    for span in spans:
        assert 0 <= span.start < span.end <= len(text), f"{span} lies outside the text"
        assert not text[span.start : span.end].isspace(), f"{span} is blank"
        assert not text[covered : max(covered, span.start)].strip(), f"text before {span} is lost"
        covered = max(covered, span.end)
        assert set(span.flags) <= {"atomic"}, f"{span} has a flag that nothing knows"
    assert not text[covered:].strip(), "text at the end is lost"
    assert all(before.start < after.start for before, after in pairwise(spans)), "starts ascend"
    assert all(before.end < after.end for before, after in pairwise(spans)), "each span holds something new"


def assert_parents(document: Document, spans: Sequence[Span], has_parents: bool) -> None:
    """Every span lies inside its parent, parents ascend and hold the text; no span has one where there are none."""
    if not has_parents:
        assert not any(span.parent for span in spans), "a parent of a splitter without parents"
        return
    for span in spans:
        assert span.parent, f"{span} has no parent"
        assert span.parent[0] <= span.start < span.end <= span.parent[1] <= len(document.text), f"{span} lies outside"
    parents = [Span(start, end) for start, end in dict.fromkeys(span.parent for span in spans if span.parent)]
    assert_spans(document, parents)


def expected_trail(document: Document, start: int, end: int) -> tuple[str, ...]:
    """The trail at the first line of `[start, end)` that is neither blank nor a heading, by characters."""
    blocks = [block for block in structure(document.text).blocks if block.kind == "heading"]
    in_heading = {at for block in blocks for at in range(block.start, block.end)}
    text = (at for at in range(start, end) if not document.text[at].isspace() and at not in in_heading)
    position = next(text, end - 1)
    trail: dict[int, str] = {}
    for heading in document.outline:
        if heading.start <= position:
            trail = {level: title for level, title in trail.items() if level < heading.level}
            trail[heading.level] = heading.title
    return tuple(title for title in trail.values() if title)


def has_uncuttable(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` holds a table row or a line of a code fence."""
    if any(low < end and start < high for low, high in fenced(text)):
        return True
    lines = [line.strip(" >\t") for line in text[start:end].split("\n")]
    return any(line.startswith(("```", "~~~")) or "|" in line for line in lines)


def assert_growth(cut: Callable[[Document], Sequence[Span]], documents: Sequence[Document], most: float) -> None:
    """The longer of two documents takes at most so many times the CPU seconds of the shorter (or of 0.05 seconds).

    A round cuts the shorter as often as the longer holds it, half of that before the longer and half after it, so that
    both are measured over as long a time and what else the machine does meets both. Up to seven rounds are measured,
    fewer where the time is far above: one of them within the bound is enough, since work that grows faster does so in
    every round. The cyclic collector rests meanwhile: it walks whatever the process holds, and starts in the longer
    text only. Between two cuts it walks what is new.
    """
    short, long = documents
    gc.collect()
    gc.freeze()
    try:
        _assert_growth(cut, short, long, most)
    finally:
        gc.unfreeze()


def _assert_growth(cut: Callable[[Document], Sequence[Span]], short: Document, long: Document, most: float) -> None:
    cuts = max(2, len(long.text) // max(1, len(short.text)))
    rounds = []
    for _ in range(7):
        before = [_timed(cut, short) for _ in range(cuts // 2)]
        seconds = _timed(cut, long)
        mean = fmean(before + [_timed(cut, short) for _ in range(cuts - cuts // 2)])
        rounds.append((mean, seconds))
        if seconds <= most * max(mean, 0.05):
            return
        if seconds > 3 * most * max(mean, 0.05):
            break
    raise AssertionError(f"{rounds} seconds for {[len(document.text) for document in (short, long)]} characters")


def _timed(cut: Callable[[Document], Sequence[Span]], document: Document) -> float:
    length._memory.clear()  # a text that was measured before is cut in no time
    gc.collect()
    gc.disable()
    try:
        started = time.process_time()
        spans = cut(document)
        seconds = time.process_time() - started
    finally:
        gc.enable()
    assert_spans(document, spans)
    return seconds
