"""The date of a document: what its metadata says, or when its file was last changed."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragbench.text.quantities import quantities

KEYS = (
    "updated", "last_updated", "update_date", "modified", "last_modified", "date", "published", "publish_date",
    "created", "更新日期", "更新时间", "修订日期", "日期", "发布日期", "发布时间", "创建日期",
)  # fmt: skip
"""Metadata that give the date of a document, whatever their case; the first one that can be read counts."""

_DIGITS = re.compile(r"\s*((?:19|20)\d\d)(\d\d)(\d\d)\s*")
_YEAR = re.compile(r"\s*((?:19|20)\d\d)\s*年?\s*")


@dataclass(frozen=True, slots=True)
class Dated:
    """A day and where it comes from: the name of the metadata, or `file`.

    `unread` are the metadata before it (name, value) that should give a date and name none in the calendar.
    """

    day: datetime.date
    source: str
    unread: tuple[tuple[str, str], ...] = ()


def document_date(metadata: Mapping[str, Any], file_day: str) -> Dated:
    """The date of a document; `file_day` (ISO) is that of its file. A month or year counts as its last day."""
    by_name = {str(name).casefold().replace("-", "_").replace(" ", "_"): value for name, value in metadata.items()}
    unread: list[tuple[str, str]] = []
    for name in KEYS:
        value = by_name.get(name)
        day = read_day(value)
        if day is not None:
            return Dated(day, name, tuple(unread))
        if value not in (None, ""):
            unread.append((name, str(value)))
    return Dated(datetime.date.fromisoformat(file_day), "file", tuple(unread))


def read_day(value: Any) -> datetime.date | None:
    """The first day, month or year that a value names (`20260101` too, `15/01/2026` not); None where it names none, or
    one that is not in the calendar."""
    if value is None or isinstance(value, bool | float | Mapping | list):
        return None
    year = _YEAR.fullmatch(str(value))
    if year:
        return datetime.date(int(year[1]), 12, 31)
    digits = _DIGITS.fullmatch(str(value))
    if digits:
        return _day(int(digits[1]), int(digits[2]), int(digits[3]))
    found = next((one.value for one in quantities(str(value)) if one.kind == "date" and len(one.value) >= 7), None)
    if found is None:
        return None
    return _day(*(int(part) for part in found.split("-")))


def _day(year: int, month: int, day: int | None = None) -> datetime.date | None:
    try:
        return datetime.date(year, month, calendar.monthrange(year, month)[1] if day is None else day)
    except ValueError:
        return None
