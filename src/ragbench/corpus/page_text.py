"""How sound the text of a page is, and which of two readings of it is the better one."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache

from ragbench.corpus.combining import stream_safe

# Letters, and the vowel signs and marks between them, which Python does not count as letters.
_WORD = re.compile(r"(?:[^\W\d_]|[\u0300-\u036f\u064b-\u065f\u0670\u06d6-\u06ed\u0816-\u082d\u08e3-\u0e4e])+")
_BLANKS = re.compile(r"\s+")
# A run printed over itself comes out three times or more; leaders and rules are no words.
_REPEATED = re.compile(r"((?=.{0,39}\w)[^.…·_\-=*].{1,39}?)\1{2,}")
_CID = re.compile(r"\(cid:\d+\)")
_EAST = frozenset(("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "KATAKANA-HIRAGANA", "IDEOGRAPHIC"))
_SIGNS = frozenset(("GREEK", "LATIN", "CYRILLIC"))
# Two readings with this many of the characters in common say the same.
_SAME = 0.97
_BROKEN_LINES = 1.25
_GLUED = 1.04
_LOST = 0.7
_HELD = 0.95
_CLEARLY = 0.01


@dataclass(frozen=True, slots=True)
class Reading:
    """A page's text, without blanks as `squeezed`, and the share of characters that look wrong, 0–1."""

    text: str
    squeezed: str
    wrong: float


def reading(text: str, *, suspicious: bool = True) -> Reading:
    """Judge a text; with `suspicious` false only cheap signs are looked for and repeated runs are not."""
    squeezed = _BLANKS.sub("", text)
    if not squeezed:
        return Reading(text, "", 0.0)
    repeated = _repeated(squeezed) if suspicious else 0
    return Reading(text, squeezed, min(1.0, (wrong_characters(text) + repeated) / len(squeezed)))


def better(typed: str, drawn: str) -> Reading:
    """The better of two readings of one page; the first where nothing speaks against it.

    Where both hold the same characters the second is taken when the first breaks lines to pieces (a quarter more
    lines) or glues words together (4 % fewer words). Where they differ, the one with fewer wrong characters is
    taken – mojibake, or runs repeated by printing them over each other – and the second when the first is only a part
    of it.
    """
    if not drawn.strip():
        return reading(typed, suspicious=False)
    if not typed.strip():
        return reading(drawn, suspicious=False)
    differ = agreement(typed, drawn) < _SAME
    first, second = reading(typed, suspicious=differ), reading(drawn, suspicious=differ)
    if abs(first.wrong - second.wrong) > _CLEARLY:
        return min(first, second, key=lambda found: found.wrong)
    if differ:
        part = len(first.squeezed) < _LOST * len(second.squeezed)
        shared = Counter(first.squeezed) & Counter(second.squeezed)
        return second if part and shared.total() > _HELD * len(first.squeezed) else first
    return second if _is_cut_or_glued(typed, drawn) else first


def _is_cut_or_glued(typed: str, drawn: str) -> bool:
    lines = [sum(1 for line in text.split("\n") if line.strip()) for text in (typed, drawn)]
    return lines[0] > _BROKEN_LINES * lines[1] or len(drawn.split()) > _GLUED * len(typed.split())


def _repeated(squeezed: str) -> int:
    # One sign many times over is a rule, a leader or a stretched Arabic word.
    return sum(len(run[0]) for run in _REPEATED.finditer(squeezed) if len(set(run[0])) > 1)


def agreement(one: str, other: str) -> float:
    """Share of characters, blanks and compatibility forms apart, that two texts share; 1 for two empty ones."""
    counts = [Counter(unicodedata.normalize("NFKC", stream_safe(_BLANKS.sub("", text)))) for text in (one, other)]
    longest = max(count.total() for count in counts)
    return (counts[0] & counts[1]).total() / longest if longest else 1.0


def wrong_characters(text: str) -> int:
    """Characters that no writer typed: replacement and unassigned ones, controls, glyph numbers, rare Hangul syllables,
    and words that mix scripts which do not go together.
    """
    signs = sum(_is_wrong(char) * count for char, count in Counter(text).items() if char > "\x7f" or char < " ")
    mixed = sum(len(word) for word in _WORD.findall(text) if not word.isascii() and _is_mixed(word))
    return signs + mixed + sum(map(len, _CID.findall(text)))


@cache
def _is_wrong(char: str) -> bool:
    if char in "\t\n\r\f":
        return False
    if "\uac00" <= char <= "\ud7a3":
        # The syllables of real Korean text are nearly all among the 2,350 of KS X 1001, two bytes each.
        return len(char.encode("euc_kr", "replace")) != 2
    return char == "\ufffd" or unicodedata.category(char) in ("Cc", "Cn")


def _is_mixed(word: str) -> bool:
    scripts = Counter(script for char in word if (script := _script(char)))
    for east in _EAST & scripts.keys():
        scripts["LATIN"] += scripts.pop(east)
    if len(scripts) < 2:
        return False
    # µm and Δx are words of one or two letters of another script.
    return not (scripts.keys() <= _SIGNS and sorted(scripts.values())[-2] <= 2)


@cache
def _script(char: str) -> str:
    plain = unicodedata.normalize("NFKC", char)[:1]
    return unicodedata.name(plain, "").split(" ")[0] if plain.isalpha() else ""
