"""What answers say they used: of each of them, whatever becomes of the reply, and how many said nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ragbench.errors import UserError
from ragbench.llm.base import Reply
from ragbench.llm.endpoint import token_count

COUNTS = ("calls", "prompt_tokens", "completion_tokens", "untold")


@dataclass(slots=True)
class Usage:
    """Tokens of the answers to one ask, also of those that were of no use; `untold` counts answers that did not tell
    both numbers, so that the sums are too low."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    untold: int = 0

    def note(self, answer: Any) -> None:
        """Add what an answer tells in `usage`. No prompt has 0 tokens: a server that says so does not know."""
        told = answer.get("usage") if isinstance(answer, Mapping) else None
        told = told if isinstance(told, Mapping) else {}
        prompt, completion = told.get("prompt_tokens"), told.get("completion_tokens")
        self.prompt_tokens += token_count(prompt)
        self.completion_tokens += token_count(completion)
        # A count is its own number: NaN, a text and a negative one are none.
        self.untold += not (token_count(prompt) and completion is not None and token_count(completion) == completion)

    def miss(self) -> None:
        """Count an answer that was lost, and with it what it used."""
        self.untold += 1

    def counts(self) -> dict[str, int]:
        """The numbers by name, as fields of Reply and of UserError."""
        return asdict(self)

    def on(self, error: UserError) -> None:
        """Note on an error what was used before it was raised."""
        for name, number in self.counts().items():
            setattr(error, name, number)


def spent(outcome: Reply | UserError) -> dict[str, int]:
    """`calls`, `prompt_tokens`, `completion_tokens` and `untold` of an ask, with a reply or without."""
    return {name: getattr(outcome, name) for name in COUNTS}
