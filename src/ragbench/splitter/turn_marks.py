"""The lines that open a turn of a conversation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ragbench.records.document import Document
from ragbench.splitter.fenced import fenced, outside
from ragbench.splitter.line_openings import LineOpenings
from ragbench.splitter.sections import UNIT_RANK, Mark, heading_marks, line_end

_DATE = r"\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?"
_STAMP = (
    rf"(?:{_DATE},?[ T]{{0,2}})?(?:[上下]午[ ]?)?"
    r"\d{1,2}[:：]\d{2}(?:[:：]\d{2})?(?:[.,]\d{1,3})?(?:[ ]?[AaPp][Mm])?"
)
_OPEN, _SHUT = r"[\[(（【]?", r"[\])）】]?"
_FIRST = r"[^\s:：\[\]()（）【】|#<>*`=。！？，,!?；;\"“”/\\+–—~'^…•·◆■●▪○-]"
_NAME = rf"{_FIRST}[^\n:：\[\]()（）【】|#<>*`=。！？，,!?；;\"“”/\\]{{0,23}}(?:[ ]?[(（][^\n()（）:：]{{1,16}}[)）])?"
_BOLD = r"(?:\*\*|__)?"
_TURN = LineOpenings(
    rf"^[ \t\u3000]{{0,4}}(?:>[ ]?)?{_BOLD}(?:"
    rf"{_OPEN}{_STAMP}{_SHUT}[ \t,|–—-]{{1,4}}{_BOLD}(?P<stamped>{_NAME}){_BOLD}(?:[:：]|[ \t]*$)"
    rf"|(?P<named>{_NAME})[ \t]{{0,4}}{_OPEN}{_STAMP}{_SHUT}{_BOLD}(?:[:：]|[ \t]*$)"
    rf"|(?P<plain>{_NAME}){_BOLD}(?:：|:(?!//)(?=\s|\*|[^\x00-\x7f])){_BOLD}"
    r")"
)
_DAY = LineOpenings(rf"^[ \t]{{0,4}}(?:[=–—*~-]{{2,12}}[ \t]*)?{_DATE}[^\n。！？!?:：]{{0,30}}$")
_DAY_RANK = 50
_SPEECH = re.compile(r"[!?。！？…~～]|\.(?:\s|$)|(?:\S+[ \t]+){5}|[\u2e80-\uffef]{8}")
# Labels of forms, mail, notes, logs, change lists and questionnaires, which recur like speakers but speak to nobody.
_NO_SPEAKERS = frozenset(
    """
    name age date time from to cc bcc subject sent title author note notes tip warning caution important example hint
    input output address phone tel email e-mail url http https id type version status summary description keywords
    source result error info warn debug fatal trace critical notice step figure table see also default usage returns
    fixed added changed removed deprecated security improved feature bug q question answer problem solution cause
    姓名 日期 时间 地点 主题 标题 备注 注 注意 说明 提示 警告 示例 例 例如 例子 电话 地址 邮箱 部门 岗位 编号
    文号 版本 状态 级别 类型 名称 来源 结果 错误 输入 输出 参与人 参会人 主持人 记录人 附件 发件人 收件人 抄送
    原因 措施 结论 要求 新增 修复 优化 变更 移除 废弃 问 答 问题 回答 答复 提问 解决 解决方案
    """.split()  # noqa: SIM905 - words are read more easily than a list of quotes
)
_LEAST_TURNS, _MOST_WORDS = 3, 4
_SPEAKER_SHARE, _SPEECH_SHARE, _LINE_SHARE = 0.5, 0.4, 0.3


class _Turn(NamedTuple):
    """`[start, end)` of a line, where its text begins, and its speaker."""

    start: int
    body: int
    end: int
    speaker: str


def turn_marks(document: Document) -> list[Mark]:
    """The turns, headings and day lines of a conversation; of any other document the headings only.

    A turn opens with `Name: text`, `Name：`, `[10:02] Name: text`, `2024-03-01 10:02 Name` or `Name 10:02` on a line of
    its own, or `Name (10:02)`; the lines below it belong to it. A document is a conversation when at least
    three turns have at least two speakers and half of the turns or more are of speakers who speak again. Turns without
    a time must besides look like speech and open a good part of the lines, and labels of forms and notes (`Date:`,
    `注意：`) open none. Linear in the text's length.
    """
    text = document.text
    timed, plain = _candidates(text)
    turns = timed if _is_chat(timed) else _speech(text, plain)
    marks = heading_marks(document)
    if turns:
        for start in (match.start() for match in _DAY.finditer(text)):
            marks.setdefault(start, Mark(start, line_end(text, start), _DAY_RANK, False))
    for turn in turns:
        marks[turn.start] = Mark(turn.start, turn.end, UNIT_RANK, True)
    return list(marks.values())


def _candidates(text: str) -> tuple[list[_Turn], list[_Turn]]:
    """Lines that may open a turn, with a time and without."""
    timed: list[_Turn] = []
    plain: list[_Turn] = []
    for match in outside(_TURN.finditer(text), fenced(text)):
        kind = match.lastgroup or ""
        speaker = " ".join(match[kind].casefold().split())
        if any(char.isalpha() for char in speaker) and speaker not in _NO_SPEAKERS:
            turn = _Turn(match.start(), match.end(), line_end(text, match.end()), speaker)
            (plain if kind == "plain" else timed).append(turn)
    return timed, plain


def _is_chat(turns: Sequence[_Turn]) -> bool:
    counts = Counter(turn.speaker for turn in turns)
    again = sum(count for count in counts.values() if count > 1)
    return len(turns) >= _LEAST_TURNS and len(counts) >= 2 and again >= _SPEAKER_SHARE * len(turns)


def _speech(text: str, candidates: Sequence[_Turn]) -> list[_Turn]:
    """The turns of a conversation without times; empty when the document is none."""
    short = [turn for turn in candidates if len(turn.speaker.split()) <= _MOST_WORDS]
    counts = Counter(turn.speaker for turn in short)
    turns = list(_known_or_alone(text, short, counts))
    if not _is_chat(turns):
        return []
    spoken = sum(_SPEECH.search(text, turn.body, turn.end) is not None for turn in turns)
    n_lines = sum(bool(line.strip()) for line in text[turns[0].start :].split("\n"))
    dense = len(turns) >= _LINE_SHARE * n_lines
    return turns if dense and spoken >= _SPEECH_SHARE * len(turns) else []


def _known_or_alone(text: str, turns: Sequence[_Turn], counts: Counter[str]) -> Iterator[_Turn]:
    """Turns of those who speak again, and of those who speak once between two of them, line by line."""
    for index, turn in enumerate(turns):
        if counts[turn.speaker] > 1:
            yield turn
            continue
        before = turns[index - 1] if index else None
        after = turns[index + 1] if index + 1 < len(turns) else None
        known = all(one is None or counts[one.speaker] > 1 for one in (before, after))
        above = text[before.end if before else 0 : turn.start]
        below = text[turn.end : after.start if after else len(text)]
        if known and not above.strip() and not below.strip():
            yield turn
