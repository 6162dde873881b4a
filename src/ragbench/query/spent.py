"""What understanding a question cost, and why it had to do without a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self

_TOLD = 240


@dataclass(frozen=True, slots=True)
class Spent:
    """`calls` are requests sent, each try; tokens are what the server says it used; `ms` is the time waited for replies
    as when they were first made. `fallbacks` counts replies that failed or said nothing usable, `reasons` why; `untold`
    answers that did not say what they used."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ms: float = 0.0
    fallbacks: int = 0
    reasons: tuple[str, ...] = ()
    untold: int = 0

    def __add__(self, other: Self) -> Self:
        """Both, one after the other."""
        return type(self)(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.ms + other.ms,
            self.fallbacks + other.fallbacks,
            (*self.reasons, *other.reasons),
            self.untold + other.untold,
        )

    @property
    def usage(self) -> Mapping[str, int]:
        """As `QueryView.usage` holds it; empty where no model was asked."""
        counts = {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "fallbacks": self.fallbacks,
            "ms": round(self.ms),
        }
        if self.untold:
            counts["untold"] = self.untold
        return counts if any(counts.values()) else {}

    @property
    def why(self) -> str:
        """The reasons in one line, cut where they are long."""
        return "; ".join(dict.fromkeys(self.reasons))[:_TOLD]


NOTHING = Spent()


def together(spent: Iterable[Spent]) -> Spent:
    """What was asked at the same time: all of it, in the time of the slowest."""
    every = list(spent)
    total = sum(every, Spent())
    return replace(total, ms=max((one.ms for one in every), default=0.0))
