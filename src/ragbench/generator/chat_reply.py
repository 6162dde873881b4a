"""A reply that answers from numbered passages: the marks in it as citations, and whether it says that it cannot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragbench.records.trace import Citation, ContextBlock
from ragbench.text.sentences import Sentence, sentences

_GAP = r"[ \t]{0,2}"
_LABEL = r"(?:资料|来源|文档|passages?|sources?|doc(?:ument)?s?)?"
_NUMBER = rf"{_LABEL}{_GAP}\d{{1,3}}"
_JOINT = rf"{_GAP}(?:[,，、;；&和-]|–|\band\b){_GAP}"
_BOUNDARY = r"(?=[0-9]*[a-f])[0-9a-f]{16}"  # the mark of the lines around passages, which a weak model cites
_MARK = re.compile(rf"{_GAP}[\[［【]{_GAP}({_NUMBER}(?:{_JOINT}{_NUMBER})*|{_BOUNDARY}){_GAP}[\]］】]", re.IGNORECASE)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_RANGE = re.compile(r"(\d{1,3})\s*[-–]\s*(\d{1,3})")
_DIGITS = re.compile(r"\d{1,3}")
_REFUSAL = re.compile(r"(?i:no\\?_answer)|NO[ -]?ANSWER")
_MOST = 50
_NO_PASSAGE = 0


@dataclass(frozen=True, slots=True)
class Read:
    """What a reply says: its text with each mark as `[n]` and without numbers of no passage, and its citations in
    order, `block` None for such a number. `refused`: it says that the passages do not hold the answer."""

    text: str
    citations: tuple[Citation, ...] = ()
    refused: bool = False


def read_answer(reply: str, blocks: Sequence[ContextBlock]) -> Read:
    """The text, citations and refusal of a reply.

    Marks are `[1]`, `［1］`, `【1】`, several numbers in one (`[1, 3]`, `[1-3]`), also behind a word (`[资料 1]`),
    outside of code; the mark of the lines around the passages is a number of no passage. A mark belongs to the sentence
    that it stands in or behind, one that begins a line to the sentence it introduces. A number cited twice for a
    sentence counts once. A reply that begins with `NO_ANSWER`, or holds it and cites no passage, is a refusal. A reply
    that says nothing beside its marks gives an empty text.
    """
    found = _cited(reply.strip(), {block.citation: block for block in blocks})
    marker = _REFUSAL.search(found.text)
    if marker is None:
        return found
    opening = not any(char.isalnum() for char in found.text[: marker.start()])
    if opening or all(one.block is None for one in found.citations):
        return Read(found.text, refused=True)
    return _cited(_REFUSAL.sub("", reply).strip(), {block.citation: block for block in blocks})


def cited_numbers(text: str) -> list[int]:
    """The numbers of the marks of a text outside of code, each once, in their order."""
    return list(dict.fromkeys(number for _, _, numbers in _marks(text) for number in numbers))


def _cited(reply: str, known: dict[int, ContextBlock]) -> Read:
    text, bare = "", ""
    marks: list[tuple[int, list[int]]] = []
    last = 0
    for start, end, numbers in _marks(reply):
        text += reply[last:start]
        bare += reply[last:start]
        marks.append((len(text), numbers))
        shown = "".join(f"[{number}]" for number in numbers if number in known)
        if shown:
            shown = reply[start:end][: _blanks(reply[start:end])] + shown
        text += shown
        bare += " " * len(shown)
        last = end
    text, bare = text + reply[last:], bare + reply[last:]
    if not any(map(str.isalnum, bare)):
        return Read("")
    every = sentences(bare)
    found: dict[tuple[int, int], Citation] = {}
    for at, numbers in marks:
        sentence = _sentence_of(at, every, bare)
        for number in numbers:
            if sentence is not None:
                found.setdefault((sentence.start, number), _citation(sentence, known.get(number)))
    return Read(text, tuple(sorted(found.values(), key=lambda one: one.start)))


def _citation(sentence: Sentence, block: ContextBlock | None) -> Citation:
    start, end = sentence.start + sentence.marker, sentence.end
    if block is None:
        return Citation(start, end, None)
    return Citation(start, end, block.citation, block.doc_id, block.start, block.end)


def _marks(reply: str) -> Iterator[tuple[int, int, list[int]]]:
    """Place and distinct numbers of each mark outside of code."""
    code = [match.span() for match in _CODE.finditer(reply)]
    for match in _MARK.finditer(reply):
        if not any(start <= match.start(1) < end for start, end in code):
            yield *match.span(), list(dict.fromkeys(_numbers(match[1])))


def _numbers(inside: str) -> Iterator[int]:
    if re.fullmatch(_BOUNDARY, inside, re.IGNORECASE):
        yield _NO_PASSAGE
        return
    for low, high in _RANGE.findall(inside):
        yield from range(int(low), min(int(high), int(low) + _MOST) + 1)
    yield from map(int, _DIGITS.findall(inside))


def _blanks(text: str) -> int:
    return len(text) - len(text.lstrip())


def _sentence_of(at: int, every: Sequence[Sentence], bare: str) -> Sentence | None:
    """The sentence that a mark at `at` belongs to; None where there is no text."""
    line = bare.rfind("\n", 0, at) + 1
    stop = bare.find("\n", at)
    if not any(char.isalnum() for char in bare[line:at]):
        introduced = [one for one in every if line <= one.start < (len(bare) if stop < 0 else stop)]
        if introduced:
            return introduced[0]
    before = [one for one in every if one.start < at]
    return before[-1] if before else next(iter(every), None)
