"""Which questions of a split are asked: all, so many of them, or those that are named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ragbench.core.fingerprint import fingerprint
from ragbench.errors import ConfigError, DataError
from ragbench.records.question import Question

T = TypeVar("T")
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Chosen:
    """All questions of a split where both are None, else `n` of them at equal distances (all where there are not so
    many), or those of `ids`."""

    n: int | None = None
    ids: tuple[str, ...] | None = None

    def of(self, questions: Sequence[Question], where: str) -> tuple[Question, ...]:
        """The questions that are asked, in the order they have; `where` names what they are of.

        Raises DataError for an id that none of them has.
        """
        if self.n is not None:
            return tuple(spread(questions, self.n))
        if self.ids is None:
            return tuple(questions)
        wanted = set(self.ids)
        unknown = sorted(wanted - {question.id for question in questions})
        if unknown:
            found = ", ".join(unknown[:_SHOWN]) + (f" and {len(unknown) - _SHOWN} more" if unknown[_SHOWN:] else "")
            hint = "split=all takes those of dev and test."
            raise DataError("questions", expected=f"a number, a file, or ids of {where}", found=found, hint=hint)
        return tuple(question for question in questions if question.id in wanted)


def chosen_questions(value: Any) -> Chosen:
    """What the root value `questions` says: null, a number, an id or a list of ids, or a file with one id a line
    (blank lines and what follows a `#` are skipped).

    Raises ConfigError for anything else, and for a list or file without an id.
    """
    if value is None:
        return Chosen()
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return Chosen(n=value)
    ids: Sequence[str] = ()
    if isinstance(value, str):
        ids = _listed(value) if Path(value).expanduser().is_file() else (value.strip(),)
    elif isinstance(value, list | tuple):
        ids = [str(item).strip() for item in value if isinstance(item, str | int) and not isinstance(item, bool)]
        ids = ids if len(ids) == len(value) else ()
    if not all(ids) or not ids:
        expected = "a number of at least 1, a list of ids, or a file of ids, one a line"
        raise ConfigError("questions", expected=expected, found=repr(value))
    return Chosen(ids=tuple(sorted(set(ids))))


def _listed(path: str) -> Sequence[str]:
    try:
        lines = Path(path).expanduser().read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("questions", expected="a text file in UTF-8", found=f"{path} ({error})") from error
    return [one for line in lines if (one := line.partition("#")[0].strip())]


def subset_facts(asked: Sequence[Question], among: Sequence[Question]) -> dict[str, Any] | None:
    """How results name a part of a split: how many questions `of` how many, and a key of their ids; None for all."""
    if len(asked) == len(among):
        return None
    return {"n": len(asked), "of": len(among), "key": fingerprint("questions", [one.id for one in asked])[:16]}


def asked_of(facts: Mapping[str, Any] | None) -> tuple[Any, Any]:
    """What tells the questions of two results of one set apart: the split, and the key of a part of it."""
    found = facts or {}
    return found.get("split"), (found.get("questions") or {}).get("key")


def spread(items: Sequence[T], n: int) -> list[T]:
    """At most `n` of the items, at equal distances."""
    step = max(1.0, len(items) / n)
    return [items[int(at * step)] for at in range(min(n, len(items)))]
