"""Which of the matching sentences make the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragbench.generator.late_match import LateScore
from ragbench.generator.support import Unit

LATE_SHARE, WORD_SHARE, NUMBER_SHARE = 0.8, 0.15, 0.05
_WANTS_NUMBER = re.compile(
    r"多少|几|多久|多长|多大|什么时候|何时"
    r"|\bhow (?:many|much|long|often|soon|late|big|large|far|quickly|fast)\b|\bwhen\b|\blimit\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"和|与|及|分别|对比|区别|比较|相比|差别|哪些|怎么|如何|步骤|流程|另外|并且|[?？].*[?？]"
    r"|\b(?:and|both|compare[ds]?|comparison|differ\w*|versus|vs)\b"
    r"|\b(?:steps?|each|respectively|also|change[ds]?)\b|\bhow (?:do|can|should|to)\b",
    re.IGNORECASE,
)
_NEAR = 0.8
_ADDS = 0.12


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate: its word score, its late-interaction score (None: not measured), whether it gives the number that
    is asked for, and the question terms it holds."""

    unit: Unit
    lexical: float
    late: LateScore | None
    number: bool
    found: frozenset[str]

    @property
    def score(self) -> float:
        """In [0, 1]: 0.8 late interaction, 0.15 words, 0.05 for a number that is asked for; without late interaction
        0.95 words."""
        if self.late is None:
            return (1 - NUMBER_SHARE) * self.lexical + NUMBER_SHARE * self.number
        return LATE_SHARE * self.late.weighted + WORD_SHARE * self.lexical + NUMBER_SHARE * self.number


def wants_number(question: str) -> bool:
    """Whether a count, amount, duration or time is asked for (多少, 几, 多久, how many, when)."""
    return bool(_WANTS_NUMBER.search(question))


def needs_several(question: str) -> bool:
    """Whether the question asks for more than one thing (and, 分别, 对比, steps, two question marks)."""
    return bool(_SEVERAL.search(question))


def choose(scored: Sequence[Scored], most: int, weights: dict[str, float]) -> list[Scored]:
    """The best candidate and up to `most - 1` more, in reading order.

    A further one must add at least 12 % of the question's term weight, or score at least 0.8 of the best, and must
    not repeat a text. Ties: better word score, then earlier in the context.
    """
    ranked = sorted(scored, key=lambda item: (-round(item.score, 6), -item.lexical, item.unit.block, item.unit.start))
    chosen = ranked[:1]
    total = sum(weights.values()) or 1.0
    for item in ranked[1:]:
        if len(chosen) >= most:
            break
        held = frozenset().union(*(one.found for one in chosen))
        adds = sum(weights[term] for term in item.found - held) / total
        near = item.score >= _NEAR * chosen[0].score and item.score > 0
        if (adds >= _ADDS or near) and all(item.unit.text != one.unit.text for one in chosen):
            chosen.append(item)
    return sorted(chosen, key=lambda item: (item.unit.block, item.unit.start))
