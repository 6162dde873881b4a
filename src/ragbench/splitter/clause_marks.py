"""The lines that open a clause of a statute or contract, and the chapter lines above them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ragbench.records.document import Document
from ragbench.splitter.fenced import fenced, outside
from ragbench.splitter.line_openings import LineOpenings
from ragbench.splitter.sections import UNIT_RANK, Mark, heading_marks, line_end
from ragbench.text.quantities import chinese_number

_NUMERAL = "[零〇○一二三四五六七八九十百千两0-9０-９]{1,9}"
_DOTTED = r"\d{1,4}[A-Za-z]?(?:[.-]\d{1,4}){0,5}"
_LEAD = r"^[ \t\u3000]{0,8}(?P<sign>#{1,6}[ \t]{1,4})?(?:\*{2,3}|__)?[【\[]?"
_CLAUSE = LineOpenings(
    rf"{_LEAD}(?:"
    rf"第[ \u3000]?(?P<zh>{_NUMERAL})[ \u3000]?[条條](?:[ ]?之[ ]?(?P<zh_sub>{_NUMERAL}))?"
    rf"|(?P<family>(?:Article|ARTICLE|Art\.|Section|SECTION|Sec\.|Clause|CLAUSE|Rule|RULE)(?=[ \u3000])|§§?)"
    rf"[ \u3000]{{0,2}}(?P<en>{_DOTTED}|[IVXLC]{{1,8}})(?![\w%])"
    r"|(?P<dotted>\d{1,3}(?:\.\d{1,3}){1,5})(?=[.．、)）]?[ \t\u3000\u2e80-\uffef]|\*\*)"
    r")(?P<close>[】\]*_]{0,4})"
)
_CHAPTER = LineOpenings(
    rf"{_LEAD}(?:第[ \u3000]?{_NUMERAL}[ \u3000]?(?:(?P<part>编|編|篇|卷|部分|部)|(?P<chapter>章)|(?P<section>节|節))"
    r"|附[ \u3000]{0,4}(?:则|則|录|錄|件|表)"
    r"|(?:Part|PART|Title|TITLE|Division|Schedule|SCHEDULE|Annex|ANNEX|Appendix|APPENDIX|Exhibit|EXHIBIT"
    r"|(?P<english>Chapter|CHAPTER))[ \t]+(?:\d{1,3}|[IVXLC]{1,8}|[A-Z])\b)[^\n。；;，,]{0,60}$"
)
_TOP = LineOpenings(r"^[ \t\u3000]{0,8}(?:\*{2,3}|__)?(\d{1,3})[.．、]?[ \t\u3000]{1,4}\S[^\n。；;]{0,80}$")
# What follows the number where the line begins with a reference: 第十条规定的…, 第十条、第十一条, 第十条 第二款.
_CITED_ZH = re.compile(
    r"[ \u3000]?第.{1,5}[款項项]|(?:、|，|和|或|或者|及|以及|与|至|到)第"
    r"|[、，]?(?:规定|所[列称述规]|的|中的|中规|[款项]|以[上下])"
)
_CITED_EN = re.compile(r",|[ \t\n]*(?:[a-z]|&)")
# What stands at the end of the line before where a sentence runs on.
_RUNS_ON = re.compile(
    r"(?:[，、,《（(]|依照|按照|根据|依据|违反|符合|适用|本法|条例|办法|合同|\b(?:of|in|under|to|and|or|with|by|see|the|per))$"
)
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_PLAIN_RANKS = {"part": 10, "chapter": 11, "english": 11, "section": 12}
_BARE_UNIT_RANK, _LONGEST_TITLE = 20, 100

Number = tuple[int, ...]


class _Clause(NamedTuple):
    """A line that may open a clause: its family (第N条, Article, …), its number, whether it reads like a reference."""

    start: int
    family: str
    number: Number
    doubtful: bool


def clause_marks(document: Document) -> list[Mark]:
    """The clauses and the headings of a document; no clause where the numbers of none follow one another.

    A clause opens a line: `第N条`, `第N条之一`, `Article N`, `Section N.N`, `Clause N`, `Rule N`, `§ N`, and where
    there are none of these `N.N.N`, with or without Markdown marks in front. A line that begins with a reference
    (`第十条规定的`, `Section 3 applies`), ends a sentence begun before, or interrupts N, N + 1 opens none.
    A clause that is a title only and is followed by one of another kind (`Article II`, `Section 2.1`; `1.2`, `1.2.1`)
    is a heading. Linear in the text's length.
    """
    text = document.text
    clauses = _in_sequence(list(_candidates(text)))
    marks = heading_marks(document)
    for start, rank in _chapters(text, clauses):
        marks.setdefault(start, Mark(start, line_end(text, start), rank, False))
    for index, clause in enumerate(clauses):
        end = line_end(text, clause.start)
        heading = marks.get(clause.start)
        following = clauses[index + 1] if index + 1 < len(clauses) else None
        if following is not None and _is_title(text, clause, following, end):
            marks[clause.start] = heading or Mark(clause.start, end, _BARE_UNIT_RANK + len(clause.number), False)
        else:
            rank = UNIT_RANK if heading is None else heading.rank
            marks[clause.start] = Mark(clause.start, end, rank, True)
    return list(marks.values())


def _candidates(text: str) -> Iterator[_Clause]:
    for match in outside(_CLAUSE.finditer(text), fenced(text)):
        number = _number(match)
        if number is not None:
            family = "zh" if match["zh"] else _family(match["family"])
            yield _Clause(match.start(), family, number, _is_reference(text, match))


def _family(word: str | None) -> str:
    """The kind of a clause; empty for a number alone."""
    return (word or "").lower()[:3]


def _number(match: re.Match[str]) -> Number | None:
    if match["zh"]:
        values = [_value(numeral) for numeral in (match["zh"], match["zh_sub"]) if numeral]
        return None if None in values else tuple(value for value in values if value is not None)
    written: str = match["en"] or match["dotted"]
    if written[0] in _ROMAN:
        return (_roman(written),)
    return tuple(value for part in re.split("[.-]", written) for value in _with_letter(part))


def _with_letter(part: str) -> tuple[int, ...]:
    """12 → 12, 12b → 12, 2."""
    return (int(part[:-1]), ord(part[-1].lower()) - ord("a") + 1) if part[-1].isalpha() else (int(part),)


def _value(numeral: str) -> int | None:
    numeral = unicodedata.normalize("NFKC", numeral).replace("○", "〇")
    if numeral.isdecimal():
        return int(numeral)
    if any(char.isdecimal() for char in numeral):
        return None
    value = chinese_number(numeral)
    return None if value is None else int(value)


def _roman(numeral: str) -> int:
    values = [_ROMAN[char] for char in numeral]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0]))


def _is_reference(text: str, match: re.Match[str]) -> bool:
    """Whether the line seems to name a clause instead of opening it."""
    if match["sign"]:
        return False
    if match["zh"] and _CITED_ZH.match(text, match.end()) and not match["close"]:
        return True
    if match["en"] and _CITED_EN.match(text, match.end(), line_end(text, match.end())):
        return True
    line_before = text[max(0, match.start() - 12) : max(0, match.start() - 1)]
    return _RUNS_ON.search(line_before) is not None


def _in_sequence(candidates: Sequence[_Clause]) -> list[_Clause]:
    """The clauses of the kinds that are numbered through; of numbers alone where there is no other kind."""
    kinds: dict[str, list[_Clause]] = {}
    for clause in candidates:
        kinds.setdefault(clause.family, []).append(clause)
    dotted = _uninterrupted(kinds.pop("", []))
    named = [_uninterrupted(clauses) for clauses in kinds.values()]
    kept = [clause for clauses in named if _steps(clauses) for clause in clauses]
    if not kept and _steps(dotted) >= 2 and 2 * _steps(dotted) >= len(dotted) - 1:
        kept = dotted
    return sorted(kept)


def _steps(clauses: Sequence[_Clause]) -> int:
    """How often a number follows the one before."""
    return sum(_follows(before.number, after.number) for before, after in pairwise(clauses))


def _uninterrupted(clauses: Sequence[_Clause]) -> list[_Clause]:
    """The clauses without those that interrupt N, N + 1; a doubtful one only where it is what stands between."""
    following: list[Number | None] = [None] * len(clauses)
    for index in range(len(clauses) - 2, -1, -1):
        after = clauses[index + 1]
        following[index] = following[index + 1] if after.doubtful else after.number
    kept: list[_Clause] = []
    for clause, next_number in zip(clauses, following):
        if not kept or next_number is None:
            good = not clause.doubtful
        elif _follows(kept[-1].number, clause.number):
            good = not clause.doubtful or _follows(clause.number, next_number)
        else:
            good = not clause.doubtful and not _follows(kept[-1].number, next_number)
        if good:
            kept.append(clause)
    return kept


def _follows(before: Number, after: Number) -> bool:
    """Whether a number is the next one, on its own level, one below or any above: 1.2.3 → 1.2.4, 1.2.3.1, 1.3, 2."""
    if after == (*before, 1):
        return True
    same = len(after) - 1
    if same >= len(before) or after[:same] != before[:same]:
        # 1.3 → 2.1: where the chapters have no line of their own.
        return len(after) > 1 and after[-1] == 1 and len(after) <= len(before) and _follows(before, after[:-1])
    return after[same] == before[same] + 1


def _is_title(text: str, clause: _Clause, following: _Clause, end: int) -> bool:
    """Whether a clause is one line without a full stop above a clause of another kind or a deeper one."""
    deeper = following.number[:-1] == clause.number if not clause.family else following.family != clause.family
    short = deeper and end - clause.start <= _LONGEST_TITLE and not text[end : following.start].strip()
    return short and text[clause.start : end].rstrip(" *_")[-1] not in "。；;!?！？"


def _chapters(text: str, clauses: Sequence[_Clause]) -> Iterator[tuple[int, int]]:
    """Start and rank of the chapter lines, whether or not they have Markdown marks."""
    if not clauses:
        return
    for match in outside(_CHAPTER.finditer(text), fenced(text)):
        yield match.start(), _PLAIN_RANKS.get(match.lastgroup or "", 10)
    if not clauses[0].family:
        for start in _tops(text, clauses):
            yield start, _BARE_UNIT_RANK


def _tops(text: str, clauses: Sequence[_Clause]) -> Iterator[int]:
    """Lines `2 Title` above the clauses 2.1, 2.2: the last ones that count up to the next clause's chapter."""
    found = {match.start(): int(match[1]) for match in _TOP.finditer(text)}
    lines = list(outside(found, fenced(text)))
    index, chapter = 0, 0
    for clause in clauses:
        first = index
        while index < len(lines) and lines[index] < clause.start:
            index += 1
        wanted = clause.number[0]
        for start in reversed(lines[first:index]):
            if chapter < wanted == found[start]:
                yield start
                wanted -= 1
        chapter = clause.number[0]
