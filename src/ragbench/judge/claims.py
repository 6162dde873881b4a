"""An answer cut into claims."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragbench.text.sentences import Sentence, sentences
from ragbench.text.terms import is_function_word, terms

_CITATION = re.compile(r"\s*(?:\[\d{1,3}(?:\s*[,，、]\s*\d{1,3})*\]|【\d{1,3}】)")
_COORDINATED = re.compile(
    r"[,，]\s*(?:but|while|whereas|however|and|so|yet)\s+(?=\w)|[；;]\s*|，\s*(?:而且|并且|同时|不过|但是|但|而|且|另外|此外|因此|所以)",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"[ \t]{2,}")
_BEFORE_STOP = re.compile(r"[ \t]+(?=[.,;:!?。，；：！？])")
_MIN_WORDS = 3
_EMPTY_WORDS = frozenset(
    """
    yes no ok okay sure sorry thanks thank hello 是的 不是 好的 可以 没有 不能 不会 不用 不行 抱歉 您好 你好 谢谢
    """.split()  # noqa: SIM905 - words are read more easily than a list of quotes
)
_ASKS = ("?", "？")
_MARKUP = "*_`\"'”’」』）)"
_REPLY = re.compile(
    r"(?:yes|no|correct|right|是的?|不是|对|不对|可以|不可以|能|不能|会|不会|要|不要|用|不用|行|不行|需要|不需要|有|没有)"
    r"\s*[,，:：;；、.。]\s*(?=\S)",
    re.IGNORECASE,
)
_SOURCE = r"(?:提供的?|所给的?|给出的?|检索到的?|上述|以上|文中的?|原文的?|本文的?|资料|文档|上下文|文件|参考内容|内容)"
_FRAME = re.compile(
    rf"(?:(?:根据|按照?|依据|据){_SOURCE}{{1,3}}(?:中|里)?(?:的|所)?(?:说法|规定|内容|信息|记载|述)?\s*[，,:：]"
    r"|(?:according to|based on|as stated in|per) (?:the|this|these) (?:given |provided |retrieved )*"
    r"(?:text|context|documents?|documentation|sources?|passages?|information)\s*,"
    r"|the (?:given |provided )?(?:text|context|documents?|documentation|sources?|passages?) "
    r"(?:says?|states?|notes?|explains?|mentions?) that)\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of a text: its words at `[start, end)`, without citation marks and list markers."""

    text: str
    start: int
    end: int


def split_claims(text: str) -> list[Claim]:
    """The claims of an answer or a reference in order.

    A sentence, list item or table row is a claim; at `；` and at a comma with a conjunction (but, while, and; 而,
    但, 并且) it becomes two where each side has at least three content terms. Headings, the header row of a table,
    questions, citation marks and sentences that say nothing but yes, no or a greeting are none. Empty text gives no
    claims.
    """
    # Marks become blanks of the same length, so that a row or a sentence before one is recognised and offsets hold.
    bare = _CITATION.sub(lambda match: " " * len(match[0]), text)
    found: list[Claim] = []
    every = sentences(bare)
    for place, sentence in enumerate(every):
        if sentence.kind != "heading" and not _is_header(every, place):
            found.extend(_claims_of(bare, sentence))
    return found


def without_citations(text: str) -> str:
    """The text with its citation marks as blanks of the same length, so that rows and sentences before one are
    recognised and offsets hold."""
    return _CITATION.sub(lambda match: " " * len(match[0]), text)


def _is_header(every: list[Sentence], place: int) -> bool:
    """A table's first row, which names columns and states nothing."""
    if every[place].kind != "row" or (place > 0 and every[place - 1].kind == "row"):
        return False
    return place + 1 < len(every) and every[place + 1].kind == "row"


def _claims_of(text: str, sentence: Sentence) -> Iterator[Claim]:
    start, end = sentence.start + sentence.marker, sentence.end
    if sentence.kind == "row":
        found = _claim(text, start, end)
        if found:
            yield found
        return
    cuts = [start]
    for match in _COORDINATED.finditer(text, start, end):
        if _weight(text[cuts[-1] : match.start()]) >= _MIN_WORDS and _weight(text[match.end() : end]) >= _MIN_WORDS:
            cuts += [match.start(), match.end()]
    cuts.append(end)
    for low, high in zip(cuts[::2], cuts[1::2]):
        found = _claim(text, low, high)
        if found:
            yield found


def _claim(bare: str, start: int, end: int) -> Claim | None:
    piece = bare[start:end]
    start += len(piece) - len(piece.lstrip())
    piece = piece.strip()
    for opening in (_REPLY, _FRAME):
        match = opening.match(piece)
        if match is not None:
            start += match.end()
            piece = piece[match.end() :]
    if not piece or piece.rstrip(_MARKUP).endswith(_ASKS):
        return None
    words = terms(piece)
    if not words or all(word in _EMPTY_WORDS or is_function_word(word) for word in words):
        return None
    return Claim(_BEFORE_STOP.sub("", _BLANKS.sub(" ", piece)), start, start + len(piece))


def _weight(piece: str) -> int:
    """Content terms; a bigram counts half, being about half a word."""
    found = [term for term in terms(piece) if not is_function_word(term)]
    latin = sum(term.isascii() for term in found)
    return latin + (len(found) - latin) // 2
