"""The lines that open a question–answer pair."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ragbench.records.document import Document
from ragbench.splitter.fenced import fenced, outside
from ragbench.splitter.line_openings import LineOpenings
from ragbench.splitter.sections import UNIT_RANK, Mark, heading_marks, line_end

_LEAD = r"^[ \t\u3000]{0,8}(?:#{1,6}[ \t]{1,4})?(?:[-*+•][ \t]{1,4})?(?:\*{2,3}|__)?"
_NUMBER = r"(?:\d{1,3}[.)、．）]|[（(]\d{1,3}[)）]|[一二三四五六七八九十]{1,3}、)"
_CLOSERS = r'["”’』」)）\]】*_ ]{0,4}'
_LABEL = LineOpenings(
    rf"{_LEAD}(?:(?:Q|q|Question|QUESTION)[ ]?\d{{0,4}}(?:\*\*|__)?[ ]?"
    r"(?:[:：]|[.)、）](?=[ \u3000\u2e80-\uffef]|\*\*))"
    r"|Q\d{1,4}(?=[ \u3000]|\*\*)|[【\[](?:问题?|提问|Q)\d{0,3}[】\]]"
    r"|(?:问题?|提问)(?:[ ]?[一二三四五六七八九十\d]{1,4}(?:\*\*|__)?[ ]?[:：.、)）]|(?:\*\*|__)?[ ]?[:：]))"
)
_ANSWER = re.compile(
    rf"(?:{_LEAD}|[ \u3000?？。.])[【\[]?(?:A|Answer|ANSWER|答|回答|解答|答复)"
    r"[】\]]?[ ]?\d{0,4}(?:\*\*|__)?[ ]?[:：.】\]]",
    re.MULTILINE,
)
_ASKING = LineOpenings(
    rf"^[ \t\u3000]{{0,8}}(?:(?P<bold>(?:\*\*|__)[^\n*]{{1,300}}[?？][”\")）]?(?:\*\*|__))"
    rf"|(?P<number>(?:\*\*|__)?{_NUMBER}[^\n]{{1,300}}[?？]{_CLOSERS}$)"
    rf"|(?P<plain>[^\s|>#*`~-][^\n]{{1,200}}[?？]{_CLOSERS}$))"
)
_ASKING_TITLE = re.compile(rf".*(?:[?？]{_CLOSERS}|[吗呢])", re.DOTALL)
_RULE = re.compile(r"\n\n(?:-{3,}|\*{3,}|_{3,}|={3,}|(?:[-*] ){2}[-* ]*)[ \t]*$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
# Below every heading and unit, so that a rule ends a pair and belongs to none below it.
_RULE_RANK = 1000
# A question in a paragraph of its own tells of a list of questions where so many paragraphs are one.
_PLAIN_SHARE = 0.25

_DELIBERATE, _CHANCE = ("label", "heading", "bold"), ("number", "plain")


class _Question(NamedTuple):
    start: int
    end: int
    kind: str
    rank: int


def qa_marks(document: Document) -> list[Mark]:
    """The questions that open a pair, the other headings, and rules (`---`), which end a pair.

    Questions are lines with a label (`Q:`, `Q1.`, `问：`, `问题一：`, `**Q1.** `), headings that ask, bold text
    that asks at the start of a line; where there are none of these, numbered lines that end in a question mark, or
    else paragraphs of one such line (as `dt` of HTML). A kind counts where at least two of its lines, and half of
    them, have an answer below or beside; one labelled question is enough where its answer is labelled. Questions in
    a row share the answer below them and are one mark. Linear in the text's length.
    """
    text = document.text
    marks = heading_marks(document)
    found = sorted(_questions(document, marks))
    kinds = {kind: [one for one in found if one.kind == kind] for kind in (*_DELIBERATE, *_CHANCE)}
    enabled = [kind for kind in _DELIBERATE if _is_answered(text, kinds[kind], marks)]
    for kind in _CHANCE:
        if not enabled and _is_answered(text, kinds[kind], marks) and _is_dense(text, kinds[kind]):
            enabled.append(kind)
    for start in (match.start() + 2 for match in _RULE.finditer(text)):
        marks.setdefault(start, Mark(start, line_end(text, start), _RULE_RANK, False))
    chosen = [one for one in found if one.kind in enabled]
    for one, before in zip(chosen, [None, *chosen]):
        shared = before is not None and not _has_answer(text, before, one.start)
        if shared:
            marks.pop(one.start, None)
        else:
            marks[one.start] = Mark(one.start, line_end(text, one.start), one.rank, True)
    return list(marks.values())


def _questions(document: Document, headings: dict[int, Mark]) -> Iterator[_Question]:
    """Every line that may be a question, once, with the first kind that fits."""
    text = document.text
    found: dict[int, tuple[int, str]] = {match.start(): (match.end(), "label") for match in _LABEL.finditer(text)}
    for heading in document.outline:
        if _ASKING_TITLE.fullmatch(heading.title):
            found.setdefault(heading.start, (line_end(text, heading.start), "heading"))
    for match in _ASKING.finditer(text):
        kind = match.lastgroup or ""
        if kind != "plain" or _opens_paragraph(text, match.start(), match.end()):
            found.setdefault(match.start(), (match.end(), kind))
    for start in outside(sorted(found), fenced(text)):
        end, kind = found[start]
        yield _Question(start, end, kind, headings[start].rank if start in headings else UNIT_RANK)


def _opens_paragraph(text: str, start: int, end: int) -> bool:
    """Whether a line follows a blank one and is not the last."""
    return (start == 0 or text.endswith("\n\n", 0, start)) and end < len(text)


def _has_answer(text: str, question: _Question, limit: int) -> bool:
    """Whether there is text between a question and `limit`; on the line of a labelled question only what is marked as
    an answer counts."""
    if question.kind == "label":
        end = line_end(text, question.end)
        if _ANSWER.search(text, question.end, end):
            return True
        return bool(text[end:limit].strip())
    return bool(text[question.end : limit].strip(" *_\n\t\u3000"))


def _is_answered(text: str, questions: Sequence[_Question], headings: dict[int, Mark]) -> bool:
    """Whether at least two questions of a kind, and half of them, have an answer before the next one or heading."""
    starts = sorted(headings)
    answered = position = 0
    labelled = False
    for question, following in zip(questions, [*(one.start for one in questions[1:]), len(text)]):
        while position < len(starts) and starts[position] <= question.start:
            position += 1
        inside = position < len(starts) and headings[starts[position]].rank > question.rank
        limit = following if inside or position == len(starts) else min(following, starts[position])
        answered += _has_answer(text, question, limit)
        labelled = labelled or (question.kind == "label" and bool(_ANSWER.search(text, question.end, limit)))
    return labelled or (answered >= 2 and 2 * answered >= len(questions))


def _is_dense(text: str, questions: Sequence[_Question]) -> bool:
    """Whether questions in paragraphs of their own are a good part of all paragraphs."""
    return questions[0].kind != "plain" or len(questions) >= _PLAIN_SHARE * (1 + len(_PARAGRAPH.findall(text)))
