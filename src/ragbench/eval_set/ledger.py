"""What an import put right, left out, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KINDS: Mapping[str, str] = {
    "repaired": "evidence put right",
    "dropped": "alternatives left out of questions that were kept",
    "rejected": "questions left out",
    "unread": "files left out",
    "noted": "kept, but to be looked at",
}
_SHOWN, _ROOM, _LONGEST = 10, 60, 200


class Ledger:
    """Counts by kind and reason, with the ids they are about, in the order they were met.

    `repaired` and `dropped` count pieces of evidence, `rejected` questions, `unread` files, `noted` either.
    """

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], list[str]] = {}

    def add(self, kind: str, reason: str, name: str) -> None:
        """Count one; `name` is the id of the question, the name of the file, or the row."""
        if kind not in KINDS:
            raise ValueError(f"kind {kind!r} is none of {', '.join(KINDS)}")
        self._entries.setdefault((kind, reason), []).append(name)

    def count(self, kind: str) -> int:
        """How many of a kind."""
        return sum(len(names) for (own, _), names in self._entries.items() if own == kind)

    def reasons(self, shown: int | None = _SHOWN) -> list[dict[str, Any]]:
        """`{kind, reason, count, ids}` by kind, the commonest reason first; at most `shown` ids each, None for all."""
        order = list(KINDS)
        entries = sorted(self._entries.items(), key=lambda entry: (order.index(entry[0][0]), -len(entry[1]), entry[0]))
        return [
            {"kind": kind, "reason": reason, "count": len(names), "ids": list(dict.fromkeys(names))[:shown]}
            for (kind, reason), names in entries
        ]

    def lines(self) -> list[str]:
        """One line a reason for people."""
        return [
            f"{row['kind']:<8} {row['count']:>6}  {row['reason']} ({_few(row['ids'])})" for row in self.reasons(None)
        ]


def _few(names: list[str]) -> str:
    """The first name, more as long as they are short, and how many are not shown."""
    names = [" ".join(name.split())[:_LONGEST] for name in names]
    shown = names[:1]
    for name in names[1:]:
        if len(", ".join((*shown, name))) > _ROOM:
            break
        shown.append(name)
    more = len(names) - len(shown)
    return ", ".join(shown) + (f", … {more} more" if more else "")
