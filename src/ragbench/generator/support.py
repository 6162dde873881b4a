"""Sentences of a packed context that may answer, and how well they match a question by words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragbench.records.trace import PackedContext
from ragbench.text.sentences import Sentence, sentences
from ragbench.text.terms import content_terms

AROUND_WEIGHT = 0.5
_ASKS = ("?", "？")
_MARKUP = "*_`\"'”’」』）)"


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable sentence: `text` is that of block number `block` (index from 0) at `[start, end)` of the block's
    text.

    `header` is the interval of the table's header row above it; `items` the end of the short list that follows an
    intro (0: none); `around` the words it stands under (heading, list intro, table header).
    """

    block: int
    start: int
    end: int
    text: str
    kind: str
    header: tuple[int, int] | None
    items: int
    around: str


def units(context: PackedContext, short_list: int) -> list[Unit]:
    """Every quotable sentence of the context in reading order; headings, table headers and questions are no units of
    their own, but words that what follows stands under.

    Intro lines keep the list behind them where it has at most `short_list` characters. A question counts until the
    next question or heading.
    """
    found: list[Unit] = []
    for number, block in enumerate(context.blocks):
        prefix = max(0, len(block.text) - (block.end - block.start))
        found.extend(_block_units(number, block.text, prefix, short_list))
    return found


def _block_units(block: int, text: str, prefix: int, short_list: int) -> list[Unit]:
    found: list[Unit] = []
    heading, intro, asked = text[:prefix].strip(), "", ""
    header: tuple[int, int] | None = None
    every = _sentences(text)
    for place, sentence in enumerate(every):
        if sentence.start < prefix:
            continue
        words = text[sentence.start : sentence.end]
        if sentence.kind == "heading":
            heading, intro, asked, header = words.lstrip("# ").strip(), "", "", None
            continue
        if sentence.kind in ("prose", "item") and words.rstrip(_MARKUP).endswith(_ASKS):
            intro, asked, header = "", words.strip(_MARKUP), None
            continue
        if sentence.kind == "row" and (place == 0 or every[place - 1].kind != "row" or every[place - 1].start < prefix):
            header = (sentence.start, sentence.end) if _has_rule(text, sentence.end) else None
            if header is not None:
                continue
        if sentence.kind != "row":
            header = None
        if sentence.kind == "prose":
            intro = ""
        items = _items_end(every, place, text, short_list)
        start = sentence.start + sentence.marker
        under = " ".join(part for part in (heading, asked, intro, text[slice(*header)] if header else "") if part)
        found.append(Unit(block, start, sentence.end, text[start : sentence.end], sentence.kind, header, items, under))
        if words.endswith(("：", ":")):
            intro = words
    return found


@lru_cache(maxsize=4096)
def _sentences(text: str) -> tuple[Sentence, ...]:
    return tuple(sentences(text))


def _has_rule(text: str, end: int) -> bool:
    """Whether the next line is a table rule, which makes this row a header."""
    line = text[end:].lstrip("\n").split("\n", 1)[0].strip()
    return "-" in line and not line.strip("|:- ")


def _items_end(every: Sequence[Sentence], place: int, text: str, limit: int) -> int:
    """End of the list that the sentence introduces, or 0."""
    if not text[: every[place].end].endswith(("：", ":")):
        return 0
    end = 0
    for following in every[place + 1 :]:
        if following.kind != "item" or following.end - every[place].start > limit:
            return end if following.kind != "item" else 0
        end = following.end
    return end


@dataclass(frozen=True, slots=True)
class LexicalMatch:
    """Word match of a question with units: `scores` in [0, 1] each; `covered` the share of the question's weight
    found anywhere; `weights` the idf weight of each distinct question term; `found` the question terms of each
    unit."""

    scores: tuple[float, ...]
    covered: float
    weights: dict[str, float]
    found: tuple[frozenset[str], ...]


def lexical_match(question: str, pool: Sequence[Unit]) -> LexicalMatch:
    """Share of the question's content terms, weighted by idf over the units, that a unit holds; a term that stands
    only around it (heading, intro, header) counts half. idf = ln(1 + (n + 1) / (df + 0.5)) with df over unit and
    surroundings.
    """
    wanted = list(dict.fromkeys(content_terms(question)))
    inside = [_terms(unit.text) for unit in pool]
    around = [_terms(unit.around) for unit in pool]
    frequency = Counter(term for a, b in zip(inside, around) for term in a | b)
    weights = {term: math.log(1 + (len(pool) + 1) / (frequency[term] + 0.5)) for term in wanted}
    total = sum(weights.values()) or 1.0
    scores = tuple(
        sum(weights[term] * (1.0 if term in a else AROUND_WEIGHT if term in b else 0.0) for term in wanted) / total
        for a, b in zip(inside, around)
    )
    covered = sum(weight for term, weight in weights.items() if frequency[term]) / total
    found = tuple(frozenset(term for term in wanted if term in a) for a in inside)
    return LexicalMatch(scores, covered, weights, found)


@lru_cache(maxsize=8192)
def _terms(text: str) -> frozenset[str]:
    return frozenset(content_terms(text)) if text else frozenset()
