"""What may be spent."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from ragbench.errors import UserError
from ragbench.llm.ledger import Tariff
from ragbench.llm.settings import Limits


class BudgetSpent(UserError):
    """The budget is over; nothing more is asked."""


class Budget:
    """Requests, tokens and money of one process; threads may share it.

    A request begins only while every limit holds. Requests under way count as one each; what they use beyond is known
    when they end, so that tokens and money may pass a limit by what was under way, and requests by their retries.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.calls = 0
        self.tokens = 0
        self.money = 0.0
        self.untold = 0
        self._under_way = 0
        self._lock = Lock()

    def begin(self) -> None:
        """Raises BudgetSpent where a limit is reached."""
        with self._lock:
            spent = {"calls": self.calls + self._under_way, "tokens": self.tokens, "money": self.money}
            for name, value in spent.items():
                limit = getattr(self.limits, name)
                if limit is not None and value >= limit:
                    raise BudgetSpent(
                        f"budget calls.budget.{name}={limit:g}",
                        expected="something left of it",
                        found=f"{value:.6g} spent",
                        hint="Raise it or leave it out; replies so far are in the store.",
                    )
            self._under_way += 1

    def end(self, used: Mapping[str, int], tariff: Tariff) -> None:
        """Note what a request that began has used, with a reply or without: see `usage.spent`."""
        prompt, completion = used.get("prompt_tokens", 0), used.get("completion_tokens", 0)
        with self._lock:
            self._under_way -= 1
            self.calls += used.get("calls", 0)
            self.untold += used.get("untold", 0)
            self.tokens += prompt + completion
            self.money += tariff.price(prompt, completion) or 0.0

    def notes(self) -> list[str]:
        """The limits that could not be kept, since answers did not say what they used."""
        limits = [name for name in ("tokens", "money") if getattr(self.limits, name) is not None]
        if not self.untold or not limits:
            return []
        told = " and ".join(f"calls.budget.{name}" for name in limits)
        return [
            f"{told} cannot be checked: {self.untold} answers did not say what they used, and count as nothing. "
            "calls.budget.calls limits such a server."
        ]
