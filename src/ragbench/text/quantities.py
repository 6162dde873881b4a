"""Numbers with units, dates and quarters in one form, Chinese and English."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2}
_SCALES = {"十": 10, "百": 100, "千": 1000}
_BIG = {"万": 10_000, "亿": 100_000_000}
_TEENS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
""".split()  # noqa: SIM905 - words are read more easily than a list of quotes
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: value for value, word in enumerate(_TEENS)} | {word: 10 * tens for tens, word in enumerate(_TENS, 2)}
_FACTORS = {"万": 10_000, "亿": 100_000_000, "千": 1000, "百": 100, "k": 1000, "thousand": 1000, "hundred": 100} | {
    "million": 1_000_000,
    "billion": 1_000_000_000,
}
_MONTH_STEMS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {stem: number for number, stem in enumerate(_MONTH_STEMS, 1)}
_SPELLINGS = {
    "CNY": "元 块 块钱 人民币 rmb yuan cny ¥ ￥",
    "USD": "美元 usd dollar dollars $",
    "EUR": "欧元 eur euro euros €",
    "%": "% percent 个百分点",
    "workday": "个工作日 工作日 workdays workday working-days working-day business-days business-day",
    "day": "天 日 个自然日 自然日 day days d",
    "hour": "小时 个小时 hour hours hr hrs h",
    "minute": "分钟 minute minutes min mins",
    "second": "秒 秒钟 second seconds sec secs s",
    "ms": "毫秒 ms millisecond milliseconds",
    "week": "周 个星期 星期 week weeks",
    "month": "个月 月 month months",
    "year": "年 周年 year years",
    "person": "人 名 位 people persons person",
    "times": "次 times",
    "kg": "公斤 千克 kg",
    "km": "公里 千米 km",
    "m": "米 m",
    "cm": "厘米 cm",
    "gb": "gb gib",
    "mb": "mb mib",
    "kb": "kb kib",
    "tb": "tb tib",
    "degree": "度 °c ℃",
    "fold": "倍",
}
_UNITS = {spelling: unit for unit, spellings in _SPELLINGS.items() for spelling in spellings.split()}
_UNIT_PATTERN = "|".join(
    re.escape(unit).replace(r"\-", "[ -]") + (r"(?![a-z])" if unit[-1].isascii() and unit[-1].isalpha() else "")
    for unit in sorted(_UNITS, key=len, reverse=True)
)
_RANGE = re.compile(
    r"^(?:一二|一两|二三|两三|三四|三五|四五|五六|六七|七八|八九)$|[一二两三四五六七八九]{2}(?=[十百千万亿])|(?<=[十百千万亿])[一二两三四五六七八九]{2}"
)
"""Two numbers in one (六七天, 五六十, 十五六): a range, and no number."""
_EVERYDAY = re.compile(r"(?P<scale>[百千万亿])(?P<digit>[一二两三四五六七八九])$")
_ZH_NUMBER = "[零〇一二两三四五六七八九十百千万亿]"
_MONTH_NAME = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*"
_TOKEN = re.compile(
    rf"""
    (?P<date>(?<!\d)(?P<y>(?:19|20)\d\d)\s*[-/.年]\s*(?P<m>0?[1-9]|1[0-2])(?!\d)(?:\s*[-/.月]\s*(?P<d>0?[1-9]|[12]\d|3[01])(?![\d])\s*[日号]?|\s*月)?)
    |(?P<ed>\b(?P<em>{_MONTH_NAME})\.?\s+(?P<edd>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<ey>(?:19|20)\d\d)\b)
    |(?P<de>\b(?P<ded>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<dem>{_MONTH_NAME})\.?,?\s+(?P<dey>(?:19|20)\d\d)\b)
    |(?P<md>(?<![\d.])(?P<mdm>0?[1-9]|1[0-2])\s*月\s*(?P<mdd>0?[1-9]|[12]\d|3[01])\s*[日号])
    |(?P<q>\bq(?P<q1>[1-4])\s*(?P<qy1>(?:19|20)\d\d)\b|(?P<qy2>(?:19|20)\d\d)\s*(?:年|[- ])?\s*(?:q(?P<q2>[1-4])
            |第?(?P<q3>[1-4一二三四])季度)
        |第?(?P<q4>[1-4一二三四])季度|\bq(?P<q5>[1-4])\b)
    |(?P<time>(?<![\d:])(?P<hh>[01]?\d|2[0-4]):(?P<mm>[0-5]\d)(?![\d:]))
    |(?P<version>(?<![\w.])v?\d+(?:\.\d+){{2,}}(?![\w]))
    |百分之(?P<zhpercent>{_ZH_NUMBER}+|\d+(?:\.\d+)?)
    |(?P<prefix>[¥$€]|rmb\s?|usd\s?)?(?P<number>(?<![\w.-])(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?|(?<=[\u2e80-\uffef¥$€~(/*_-])\d+(?:,\d{{3}})*(?:\.\d+)?)
        (?:\s?(?P<factor>[万亿千百]|k(?![a-z])|thousand\b|hundred\b|million\b|billion\b))?\s?-?(?P<unit>{_UNIT_PATTERN})?
    |(?P<few>(?<=[几数])(?=[十百千万亿]))?(?P<zh>(?<![第统唯万之]){_ZH_NUMBER}+)(?P<more>几)?(?P<zhunit>{_UNIT_PATTERN}|[个项条份台张家款种级款套节季倍页层])?
    |\b(?P<word>{"|".join(_WORDS)})\b(?:[ -](?P<ones>one|two|three|four|five|six|seven|eight|nine)\b)?
        [\s-]?(?P<wordunit>{_UNIT_PATTERN})?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_RATE = re.compile(rf"(?:[每按单]一?|\b(?:per|an?|each|every)\s)(?P<unit>{_UNIT_PATTERN})")
_ADVERBS = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annual": "year",
} | {"annually": "year"}
_ADVERB = re.compile(rf"\b(?:{'|'.join(sorted(_ADVERBS, key=len, reverse=True))})\b")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, date, quarter, time or version found at `[start, end)` of the comparison text (NFKC, casefolded).

    `value` is canonical: `80`, `0.5`, `2024-03-05`, `2024-Q3`, `09:30`; `unit` is canonical or empty.
    """

    kind: Literal["number", "date", "quarter", "time", "version"]
    value: str
    unit: str
    start: int
    end: int

    def agrees(self, other: Quantity) -> bool:
        """Same value, and same unit where both name one; a date agrees with one that gives less of it."""
        if self.kind != other.kind:
            return False
        if self.kind in ("date", "quarter"):
            return self.value == other.value or self.value.endswith(other.value) or other.value.endswith(self.value)
        return self.value == other.value and (not self.unit or not other.unit or self.unit == other.unit)


def quantities(text: str) -> list[Quantity]:
    """All quantities of a text in order. Everyday numerals are read as they are meant (三百五 is 350). Ordinary uses of
    Chinese numerals (一些, 统一, 十分), ranges and guesses (六七天, 十几个, 几十人) and the word `one` are left out."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return list(_find(text))


def is_unit(word: str) -> bool:
    """Whether a casefolded word is a unit of measure (`gib`)."""
    return word in _UNITS


def rates(text: str) -> frozenset[str]:
    """The units that something is said of each of: `month` in 每月, 每个月, 按月, per month, a month and monthly."""
    text = unicodedata.normalize("NFKC", text).casefold()
    adverbs = {_ADVERBS[match] for match in _ADVERB.findall(text)}
    return frozenset(_UNITS[match["unit"].replace(" ", "-")] for match in _RATE.finditer(text)) | adverbs


def _find(text: str) -> Iterator[Quantity]:
    for match in _TOKEN.finditer(text):
        found = _canonical(match)
        if found is not None:
            yield Quantity(*found, match.start(), match.end())


_Found = tuple[Literal["number", "date", "quarter", "time", "version"], str, str]


def _canonical(match: re.Match[str]) -> _Found | None:
    part = match.groupdict()
    if part["date"]:
        day = f"-{int(part['d']):02d}" if part["d"] else ""
        return "date", f"{part['y']}-{int(part['m']):02d}{day}", ""
    if part["ed"]:
        return "date", f"{part['ey']}-{_MONTHS[part['em'][:3]]:02d}-{int(part['edd']):02d}", ""
    if part["de"]:
        return "date", f"{part['dey']}-{_MONTHS[part['dem'][:3]]:02d}-{int(part['ded']):02d}", ""
    if part["md"]:
        return "date", f"{int(part['mdm']):02d}-{int(part['mdd']):02d}", ""
    if part["q"]:
        quarter = next(part[key] for key in ("q1", "q2", "q3", "q4", "q5") if part[key])
        year = part["qy1"] or part["qy2"]
        return "quarter", (f"{year}-" if year else "") + f"Q{_DIGITS.get(quarter, quarter)}", ""
    if part["time"]:
        return "time", f"{int(part['hh']):02d}:{part['mm']}", ""
    if part["version"]:
        return "version", part["version"].lstrip("v"), ""
    return _number(part)


def _number(part: dict[str, str | None]) -> _Found | None:
    if percent := part["zhpercent"]:
        value = _everyday_number(percent) if percent[0] in _DIGITS or percent[0] in _SCALES else Decimal(percent)
        return None if value is None else ("number", _plain(value), "%")
    if digits := part["number"]:
        try:
            value = Decimal(digits.replace(",", ""))
        except InvalidOperation:
            return None
        value *= _FACTORS.get(part["factor"] or "", 1)
        unit = _UNITS.get(
            (part["unit"] or "").replace(" ", "-") if part["unit"] else (part["prefix"] or "").strip(), ""
        )
        return "number", _plain(value), unit
    if numeral := part["zh"]:
        guessed = part["more"] or part["few"] is not None or _RANGE.search(numeral)
        return None if guessed else _chinese(numeral, part["zhunit"] or "")
    word, ones = part["word"] or "", part["ones"]
    if word in ("one", "zero") and not part["wordunit"]:
        return None
    total = _WORDS[word] + (_WORDS[ones] if ones and _WORDS[word] >= 20 else 0)
    return "number", str(total), _UNITS.get((part["wordunit"] or "").replace(" ", "-"), "")


def _chinese(numeral: str, unit: str) -> _Found | None:
    canonical = _UNITS.get(unit, "")
    if len(numeral) == 1 and (
        not unit or (numeral in "一百千万亿" and not (canonical and canonical not in ("person", "times", "degree")))
    ):
        return None
    value = _everyday_number(numeral)
    return None if value is None else ("number", _plain(value), canonical)


def _everyday_number(numeral: str) -> Decimal | None:
    """As `chinese_number`, and a last digit counts tenths of the scale before it: 三百五 = 350, 一万八 = 18000."""
    value, short = chinese_number(numeral), _EVERYDAY.search(numeral)
    if value is None or short is None:
        return value
    scale = (_SCALES | _BIG)[short["scale"]]
    return value + _DIGITS[short["digit"]] * (scale // 10 - 1)


def chinese_number(numeral: str) -> Decimal | None:
    """The value of a Chinese numeral as it is written in full, as of a clause (三十 = 30, 一百零五 = 105, 二〇二四 =
    2024); None where it is none."""
    if not numeral or numeral[0] in "百千万亿":
        return None
    if len(numeral) > 1 and all(char in _DIGITS for char in numeral):
        return Decimal("".join(str(_DIGITS[char]) for char in numeral))
    total = section = digit = 0
    for char in numeral:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _SCALES:
            section += (digit or 1) * _SCALES[char]
            digit = 0
        else:
            total = (total + section + digit) * _BIG[char]
            section = digit = 0
    return Decimal(total + section + digit)


def _plain(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
