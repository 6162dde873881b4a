"""A line of a page, the numbers in it, whichever way they are written, and which of them is the page's."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

_PRINTED = re.compile(
    r"\W*(?:printed|exported|downloaded|generated|print(?:ing)? (?:date|time)|打印|列印|导出|匯出|下载|下載|印刷)",
    re.IGNORECASE,
)
_TIME = re.compile(r"(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m\b)?(?![\d:])", re.IGNORECASE)
_DATE = re.compile(r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}")
_NUMBER = re.compile(r"\d+|(?:(?<=[第共])|(?<=[第共] ))[一二三四五六七八九十百〇零]+(?= ?[页頁])")
_ALONE = re.compile(r"([-–—·• ]*(?:page |p\. ?)?)([ivxlc]+)([-–—·• ]*)", re.IGNORECASE)
_SIGN = r"[\s\-–—―·•|｜/,，.:：()（）\[\]_]"
_WORDED = re.compile(
    rf"(?=.*(?:页|頁|ページ|\b(?:pages?|pg|pp?|seite|página)\b))"
    rf"(?:#|{_SIGN}|第|页|頁|共|总|總|全|页码|頁碼|ページ|\b(?:pages?|pg|pp?|of|seite|von|sur|de|página)\b)+",
    re.IGNORECASE,
)
_PAIR = r"# ?(?:/|\bof\b|\bvon\b|\bsur\b|\bde\b) ?#|#"
_BARE = re.compile(rf"[-–—―] ?(?:{_PAIR}) ?[-–—―]|[·•|｜]? ?(?:{_PAIR}) ?[·•|｜]?", re.IGNORECASE)
_TOTAL_FIRST = re.compile(r"\W*[共总總全]")
# A page number beside other words: at one end of the line, and parted from them.
_PHRASE = r"(?:(?:page|pg\.?|p\.) ?#(?: ?(?:of|/) ?#)?|第 ?# ?[页頁](?: ?[,，/]? ?共 ?# ?[页頁])?)"
_BEFORE = re.compile(rf"[\s\-–—]*(?P<phrase>{_PHRASE})(?P<parted> ?[|｜·•–—-] ?| )(?P<rest>.+)", re.IGNORECASE)
_AFTER = re.compile(rf"(?P<rest>.+?)(?P<parted> ?[|｜·•–—-] ?| ){_PHRASE}[\s\-–—]*", re.IGNORECASE)
_LEADS_TO = re.compile(
    r"(?:\b(?:on|to|at|see|from|in|of|and|until|through|than)|[见見至到于於在自从從和及])\W*\Z", re.IGNORECASE
)
_FIRST = re.compile(r"\d+(?: ?[|｜·•–—-] ?| )(?P<rest>.+)")
_LAST = re.compile(r"(?P<rest>.+?)(?: ?[|｜·•–—-] ?| )\d+")
_WORDS, _HAN = re.compile(r"[^\W\d_]{2,}"), re.compile("[\u4e00-\u9fff]")
_LONGEST = 200


class Shape(NamedTuple):
    """`words` is the line without needless blanks (`@` for when it was printed), `pattern` has `#` for each number."""

    words: str
    pattern: str
    numbers: tuple[int, ...]

    def without(self, number: int) -> str:
        """The words without one of the numbers."""
        return re.sub(rf"(?<!\d)0*{number}(?!\d)", "#", self.words)


def words_of(line: str) -> str:
    """The line with one blank between words."""
    return " ".join(line.split())


def shape_of(line: str) -> Shape:
    """What lines of different pages are compared by. Long lines are compared as they are."""
    words = words_of(line)
    if len(words) > _LONGEST:
        return Shape(words, words, ())
    if _PRINTED.match(words) and _DATE.search(words):
        words = _TIME.sub("@", words)
    found = _ALONE.fullmatch(words)
    if found and found[2].lower() in _numerals():
        return Shape(words, f"{found[1]}#{found[3]}", (_numerals()[found[2].lower()],))
    numbers = tuple(_value(number) for number in _NUMBER.findall(words))
    return Shape(words, _NUMBER.sub("#", words), numbers)


def _value(number: str) -> int:
    return int(number[:9]) if number.isdecimal() else _numerals().get(number, -1)


def is_worded(shape: Shape) -> bool:
    """Whether a line holds nothing but which page it is, of how many, and says `page`."""
    return 1 <= len(shape.numbers) <= 2 and _WORDED.fullmatch(shape.pattern) is not None


def is_bare(shape: Shape) -> bool:
    """Whether a line is a number alone, between dashes, or `7 / 9`. `7.`, `(7)` and `7 %` may count something else."""
    return 1 <= len(shape.numbers) <= 2 and _BARE.fullmatch(shape.pattern) is not None


def page_column(shape: Shape) -> int:
    """Which number of a page number is the page, not the total: the second of 共 9 页 第 7 页."""
    return len(shape.numbers) - 1 if _TOTAL_FIRST.match(shape.pattern) else 0


def phrase_column(shape: Shape) -> int | None:
    """Which number of a line is the page's in words set apart from the rest: the second of `Handbook 2024 | Page 3`.

    None without such words, and where the rest goes on to them or from them as a sentence does (`see page 3`,
    `Page 3 lists the fees`, 见第 3 页).
    """
    if shape.pattern.count("#") != len(shape.numbers):
        return None  # a number sign of the line's own
    found = _AFTER.fullmatch(shape.pattern)
    if found and (found["parted"].strip() or not _LEADS_TO.search(found["rest"])):
        return found["rest"].count("#")
    found = _BEFORE.fullmatch(shape.pattern)
    return 0 if found and (found["parted"].strip() or found["phrase"].count("#") == 2) else None


def title_beside(shape: Shape, column: int) -> str:
    """What is left of a line that begins or ends with a number, where that is the title-like rest of `Handbook 12`:
    two words or four Chinese characters at least. Empty otherwise: `Article 12`, `表 3`.
    """
    if column not in (0, len(shape.numbers) - 1):
        return ""
    found = _LAST.fullmatch(shape.words) if column else _FIRST.fullmatch(shape.words)
    if found is None and column == 0 and len(shape.numbers) == 1:
        found = _LAST.fullmatch(shape.words)
    rest = found["rest"] if found else ""
    return rest if len(_WORDS.findall(rest)) >= 2 or len(_HAN.findall(rest)) >= 4 else ""


@cache
def _numerals() -> dict[str, int]:
    """Roman and Chinese numerals up to 199."""
    tens = ["", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc"]
    ones = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"]
    found = {"c" * (n // 100) + tens[n // 10 % 10] + ones[n % 10]: n for n in range(1, 200)}
    digits = "〇一二三四五六七八九"
    for n in range(1, 200):
        head = "一百" if n >= 100 else ""
        ten, one = n // 10 % 10, digits[n % 10] if n % 10 else ""
        if n < 20:
            name = ("十" if ten else "") + one
        else:
            name = head + (f"{digits[ten]}十" if ten else ("零" if head and one else "")) + one
        found[name] = n
    return found
