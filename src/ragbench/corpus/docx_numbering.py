"""Numbers that Word generates in front of headings, clauses and list items."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ragbench.corpus.docx_xml import VAL, W

_PLACE = re.compile(r"%([1-9])")
_HAN = "〇一二三四五六七八九"
_MAX_LEVELS = 9


class Numbering:
    """Counts as Word does: one counter a level and abstract list, deeper levels start again below a higher one.

    A list that is plainly numbered 1, 2, 3 on one level counts too, but its numbers are told by `is_plain`.
    """

    def __init__(self, root: Any) -> None:
        self._lists: dict[str, str] = {}
        self._starts: dict[tuple[str, int], int] = {}
        self._levels: dict[str, dict[int, _Level]] = {}
        self._counts: dict[str, list[int | None]] = {}
        self._restarted: set[str] = set()
        if root is None:
            return
        for abstract in root.iter(f"{W}abstractNum"):
            name = abstract.get(f"{W}abstractNumId") or ""
            self._levels[name] = {level.depth: level for node in abstract.iter(f"{W}lvl") if (level := _Level(node))}
        for number in root.iter(f"{W}num"):
            found = number.find(f"{W}abstractNumId")
            name = number.get(f"{W}numId") or ""
            self._lists[name] = found.get(VAL, "") if found is not None else ""
            for override in number.iter(f"{W}lvlOverride"):
                start = override.find(f"{W}startOverride")
                if start is not None:
                    self._starts[name, _integer(override.get(f"{W}ilvl"), 0)] = _integer(start.get(VAL), 1)

    def next(self, number_id: str, depth: int) -> str:
        """The number of the next paragraph of a list at a depth, as it is printed; empty for bullets."""
        levels = self._levels.get(self._lists.get(number_id, ""), {})
        level = levels.get(depth)
        if level is None:
            return ""
        counts = self._counts.setdefault(self._lists[number_id], [None] * _MAX_LEVELS)
        if number_id not in self._restarted:
            self._restarted.add(number_id)
            for (name, at), start in self._starts.items():
                if name == number_id:
                    counts[at] = start - 1
        for above in range(depth):  # a level that is skipped counts as begun
            if counts[above] is None and above in levels:
                counts[above] = levels[above].start
        before = counts[depth]
        counts[depth] = level.start if before is None else before + 1
        counts[depth + 1 :] = [None] * (_MAX_LEVELS - depth - 1)
        return _PLACE.sub(lambda found: _shown(levels, counts, int(found[1]) - 1, level.legal), level.text).strip()

    def depth_of(self, number_id: str, style: str) -> int:
        """The depth that belongs to a paragraph style in a list; 0 where none does."""
        levels = self._levels.get(self._lists.get(number_id, ""), {})
        return next((depth for depth, level in levels.items() if style and level.style == style), 0)

    def is_plain(self, number_id: str, depth: int) -> bool:
        """Whether the level is numbered by a bare figure or not at all, so that the order of its items says as much."""
        level = self._levels.get(self._lists.get(number_id, ""), {}).get(depth)
        return level is None or level.kind == "bullet" or (level.kind == "decimal" and _is_bare(level.text))

    def is_worded(self, number_id: str, depth: int) -> bool:
        """Whether the number is words (第%1条, Article %1): the paragraph is a clause then, and no item of a list."""
        level = self._levels.get(self._lists.get(number_id, ""), {}).get(depth)
        return level is not None and re.search(r"[^\W\d_]", _PLACE.sub("", level.text)) is not None


class _Level:
    """One level of an abstract list."""

    def __init__(self, node: Any) -> None:
        def value(name: str, default: str) -> str:
            found = node.find(f"{W}{name}")
            return found.get(VAL, default) if found is not None else default

        self.depth = min(_integer(node.get(f"{W}ilvl"), 0), _MAX_LEVELS - 1)
        self.start = _integer(value("start", "1"), 1)
        self.style = value("pStyle", "")
        self.kind = value("numFmt", "decimal")
        self.text = "" if self.kind in ("bullet", "none") else value("lvlText", "")
        self.legal = node.find(f"{W}isLgl") is not None


def _is_bare(text: str) -> bool:
    return len(_PLACE.findall(text)) == 1 and re.search(r"[^\W\d_]", _PLACE.sub("", text)) is None


def _shown(levels: dict[int, _Level], counts: list[int | None], depth: int, legal: bool) -> str:
    level = levels.get(depth)
    if level is None:
        return ""
    count = counts[depth]
    written: Callable[[int], str] = str if legal else _FORMATS.get(level.kind, str)
    return written(level.start if count is None else count)


def _letter(count: int) -> str:
    return chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1) if 0 < count < 1000 else str(count)


def _roman(count: int) -> str:
    if not 0 < count < 4000:
        return str(count)
    signs = ("m", 1000), ("cm", 900), ("d", 500), ("cd", 400), ("c", 100), ("xc", 90), ("l", 50)
    out = ""
    for sign, worth in (*signs, ("xl", 40), ("x", 10), ("ix", 9), ("v", 5), ("iv", 4), ("i", 1)):
        out, count = out + sign * (count // worth), count % worth
    return out


def _chinese(count: int) -> str:
    """Chinese numerals up to 9,999: 十二, 一百〇三 is written 一百零三."""
    if not 0 < count < 10_000:
        return str(count)
    out, zero = "", False
    for unit, worth in (("千", 1000), ("百", 100), ("十", 10), ("", 1)):
        digit, count = divmod(count, worth)
        if digit:
            out += ("零" if zero and out else "") + _HAN[digit] + unit
            zero = False
        elif out:
            zero = count > 0
    return out[1:] if out.startswith("一十") else out


_FORMATS: dict[str, Callable[[int], str]] = {
    "decimalZero": lambda count: f"{count:02d}",
    "lowerLetter": _letter,
    "upperLetter": lambda count: _letter(count).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda count: _roman(count).upper(),
    "chineseCounting": _chinese,
    "chineseCountingThousand": _chinese,
    "japaneseCounting": _chinese,
    "taiwaneseCountingThousand": _chinese,
    "decimalEnclosedCircle": lambda count: chr(0x245F + count) if 0 < count <= 20 else str(count),
    "decimalEnclosedCircleChinese": lambda count: chr(0x245F + count) if 0 < count <= 20 else str(count),
}


def _integer(value: str | None, default: int) -> int:
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 8 else default
