"""What calls cost, by role and model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from ragbench.errors import UserError
from ragbench.llm.base import Reply
from ragbench.llm.usage import spent

TOKENS = ("prompt_tokens", "completion_tokens")
Row = tuple[str, str]
"""Role and fingerprint of a model."""


@dataclass(frozen=True, slots=True)
class Tariff:
    """What a model is called and charges, by million tokens; None: unknown."""

    model: str
    input: float | None = None
    output: float | None = None
    currency: str = ""
    source: str = ""
    date: str = ""

    def price(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """What some tokens cost; None where that is not known."""
        if self.input is None or self.output is None:
            return None
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1_000_000


@dataclass(slots=True)
class Counts:
    """A state of the ledger: numbers by role and model, and what failed first."""

    numbers: dict[Row, Counter[str]] = field(default_factory=dict)
    reasons: dict[str, list[str]] = field(default_factory=dict)


class Ledger:
    """Counts by role and model; threads may share it.

    `asks` are replies that stages wanted, `calls`, tokens and `ms` what they cost when they were first made, also where
    they came from the store; `sent`, `sent_tokens` are what was really sent now; `stored` and `replayed` replies that
    were not; `failed` asks without a reply, `refused` those of them because models are off.
    """

    def __init__(self) -> None:
        self.tariffs: dict[str, Tariff] = {}
        self._lock = Lock()
        self._counts = Counts()

    def charge(self, row: Row, reply: Reply, source: str) -> None:
        """Note a reply; `source` is `sent`, `stored` or `replayed`."""
        used = spent(reply)
        now = _sent(used) if source == "sent" else {source: 1}
        cost = {"asks": 1, "ms": reply.ms, **used}
        self.add(row, cost | now)
        self._bill(row, cost)

    def add(self, row: Row, numbers: Mapping[str, float]) -> None:
        """Add numbers, also those of results that a stage's own memory kept."""
        with self._lock:
            self._counts.numbers.setdefault(row, Counter()).update(dict(numbers))

    def fail(self, row: Row, error: UserError, refused: bool = False) -> None:
        """Note an ask without a reply, and what was spent on it."""
        used, reason = spent(error), str(error)
        cost = {"asks": 1, "failed": 1, **used}
        self.add(row, cost | _sent(used) | ({"refused": 1} if refused else {}))
        self._bill(row, cost)
        with self._lock:
            told = self._counts.reasons.setdefault(row[0], [])
            if len(told) < _TOLD and reason not in told:
                told.append(reason)

    def _bill(self, row: Row, cost: Mapping[str, float]) -> None:
        bill = _BILL.get()
        if bill is not None:
            bill.append(Item(self, row, cost))

    def state(self) -> Counts:
        """A copy of what is counted so far."""
        with self._lock:
            numbers = {row: Counter(found) for row, found in self._counts.numbers.items()}
            return Counts(numbers, {role: list(told) for role, told in self._counts.reasons.items()})

    def since(self, before: Counts) -> Counts:
        """What was counted after a state."""
        now = self.state()
        numbers = {}
        for row, found in now.numbers.items():
            new = Counter({name: n - before.numbers.get(row, Counter())[name] for name, n in found.items()})
            if any(new.values()):
                numbers[row] = new
        roles = {role for role, _ in numbers}
        return Counts(numbers, {role: told for role, told in now.reasons.items() if role in roles})

    def cost(self, counts: Counts) -> dict[str, dict[str, Any]]:
        """What each role cost, whether or not its replies came from a store: `calls`, tokens, `failed`, the models and
        the price in its currency; None where any of it is unknown. `untold` answers did not say what they used: tokens
        are then unknown, and so is the price, but that of a model that costs nothing."""
        found: dict[str, dict[str, Any]] = {}
        for role in sorted({role for role, _ in counts.numbers}):
            rows = {model: one for (of, model), one in counts.numbers.items() if of == role}
            total = sum(rows.values(), Counter[str]())
            tariffs = {model: self.tariffs.get(model, Tariff("")) for model in rows}
            prices = [_price(tariffs[model], one) for model, one in rows.items()]
            currencies = {one.currency for one in tariffs.values()}
            known = [price for price in prices if price is not None]
            priced = len(known) == len(prices) and len(currencies) == 1
            found[role] = {
                "models": sorted(one.model for one in tariffs.values()),
                "calls": int(total["calls"]),
                **{name: None if total["untold"] else int(total[name]) for name in TOKENS},
                "untold": int(total["untold"]),
                "failed": int(total["failed"]),
                "price": round(sum(known), 8) if priced else None,
                "currency": currencies.pop() if priced else None,
            }
        return found


@dataclass(frozen=True, slots=True)
class Item:
    """What one ask cost when its reply was first made, and where it was counted."""

    ledger: Ledger
    row: Row
    cost: Mapping[str, float]


_BILL: ContextVar[list[Item] | None] = ContextVar("bill", default=None)


@contextmanager
def billed() -> Iterator[list[Item]]:
    """While it lasts, asks in this context (also in threads that run a copy of it) are listed, for whoever keeps a
    result in memory."""
    bill: list[Item] = []
    token = _BILL.set(bill)
    try:
        yield bill
    finally:
        _BILL.reset(token)


def charge_again(bill: Iterable[Item]) -> None:
    """Count what a result cost that was taken from memory."""
    for item in bill:
        item.ledger.add(item.row, {**item.cost, "stored": 1})


def now_counts(counts: Counts) -> dict[str, dict[str, int | None]]:
    """What was really done, by role: requests `sent` and their tokens (None: unknown), asks answered by store or
    cassettes."""
    totals: dict[str, Counter[str]] = {}
    for (role, _), one in sorted(counts.numbers.items()):
        totals.setdefault(role, Counter()).update(one)
    return {
        role: {name: None if name == "sent_tokens" and one["sent_untold"] else int(one[name]) for name in _NOW}
        for role, one in totals.items()
    }


_TOLD = 3
_NOW = ("asks", "sent", "sent_tokens", "stored", "replayed", "failed", "refused")


def _sent(used: Mapping[str, int]) -> dict[str, int]:
    tokens = sum(used[name] for name in TOKENS)
    return {"sent": used["calls"], "sent_tokens": tokens, "sent_untold": used["untold"]}


def _price(tariff: Tariff, one: Mapping[str, float]) -> float | None:
    price = tariff.price(int(one["prompt_tokens"]), int(one["completion_tokens"]))
    free = tariff.input == tariff.output == 0
    return price if free or not one["untold"] else None
