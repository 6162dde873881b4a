"""How much a text looks like something written: bits it takes under a plain model of the scripts people use."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import cache
from itertools import pairwise

from ragbench.corpus.frequent_characters import HANGUL, SIMPLIFIED, TRADITIONAL

# Bits of a character, in round figures: Chinese by its place among the commonest ones, scripts by the number of
# signs they share their use among. Only differences between readings of the same bytes count.
_PLACES = ((60, 8.0), (300, 9.5), (700, 11.0), (1200, 12.5))
_HAN_PLACE = {char: place for place, char in enumerate(SIMPLIFIED)}
# First and last code point, bits, and the letter of the class for `_NEIGHBOURS`.
_RANGES = (
    (0x2010, 0x2027, 8.0, "q"),
    (0x2460, 0x24FF, 10.5, "w"),
    (0x2500, 0x257F, 8.0, "b"),
    (0x2580, 0x25FF, 11.0, "w"),
    (0x2190, 0x22FF, 11.0, "w"),
    (0x2030, 0x203B, 12.0, "y"),
    (0x0391, 0x03AB, 10.0, "r"),
    (0x03AC, 0x03CE, 5.5, "r"),
    (0x0430, 0x044F, 5.5, "c"),
    (0x0410, 0x042F, 8.5, "C"),
    (0x0401, 0x0491, 11.0, "c"),
    (0x05D0, 0x05EA, 6.0, "x"),
    (0x0621, 0x0652, 6.0, "x"),
    (0x0900, 0x0D7F, 9.0, "x"),
    (0x0E01, 0x0E5B, 6.0, "x"),
    (0x3000, 0x303F, 9.0, "p"),
    (0x3041, 0x309F, 7.0, "k"),
    (0x30A0, 0x30FF, 8.0, "k"),
    (0x3200, 0x33FF, 13.0, "w"),
    (0xFF01, 0xFF5E, 10.0, "p"),
    (0xFF61, 0xFF9F, 13.0, "z"),
    (0x3400, 0x4DBF, 21.0, "h"),
    (0xF900, 0xFAFF, 20.0, "h"),
    (0x20000, 0x3FFFF, 22.0, "h"),
    (0x1F300, 0x1FAFF, 13.0, "w"),
    (0x0100, 0x024F, 13.0, "l"),
)
_SPECIAL = {
    **dict.fromkeys("，。、：；（）《》！？　", (6.0, "p")),
    **dict.fromkeys("“”", (7.0, "q")),
    **dict.fromkeys("\t\r\n ", (4.5, "s")),
    **dict.fromkeys(",.-:/()\"'#|`*_=<>;[]", (6.5, "o")),
    **dict.fromkeys("àáâäåæçèéêëìíîïñòóôöøùúûüßœ", (9.0, "l")),
    **dict.fromkeys("ÀÁÂÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖØÙÚÛÜŒ", (11.5, "L")),
    **dict.fromkeys("ãõšž", (11.0, "l")),
    **dict.fromkeys("§°·±×©®£€™\xa0", (10.0, "y")),
    **dict.fromkeys("«»¿¡", (10.0, "o")),
    **dict.fromkeys("†‡", (13.0, "y")),
    "\x00": (12.0, "n"),
    "\ufffd": (26.0, "n"),
}
# The classes: a A Latin letters of ASCII by case, l L those beyond, c C Cyrillic, h Chinese characters, k kana,
# g Hangul, z half-width kana, r Greek, x other letters; s blanks, o signs of ASCII, d digits, q quotation marks and
# dashes; p Chinese punctuation; y w b symbols; n what nobody types.
_NEUTRAL = frozenset("sodq")
_GROUPS = ("aAlL", "cC")
# Further bits where two classes meet, in this order: what is rare within a group.
_IN_ORDER = {
    "aA": 4.0,
    "aL": 6.0,
    "lL": 6.0,
    "lA": 4.0,
    "LL": 4.0,
    "ll": 3.0,
    "yy": 6.0,
    "ww": 4.0,
    "nn": 6.0,
    "cC": 5.0,
}
_BESIDE = {frozenset(pair): 2.0 for pair in ("ah", "Ah", "ak", "Ak", "ap", "Ap", "hk", "ag", "Ag", "gp")}
_BESIDE |= {frozenset("hp"): 0.0, frozenset("kp"): 0.0, frozenset("gh"): 6.0, frozenset("bw"): 1.0}
_SYMBOLS, _SYMBOL, _ACCENTED = frozenset("ywb"), 3.0, 6.0
_BLANK_BESIDE_HAN = 1.5
_STRANGE = 8.0


def text_cost(text: str) -> float:
    """Bits of the text under the model, 0 for an empty one; less is more likely. Linear in its length."""
    marks = [_mark(char) for char in text]
    pairs = Counter(pairwise(marks))
    signs = sum(_bits(char) * count for char, count in Counter(text).items())
    return signs + sum(_meeting(first + second) * count for (first, second), count in pairs.items())


def foreign_cost(text: str) -> float:
    """Mean bits of the characters beyond ASCII by themselves, 0 without any: how rare the characters are."""
    counts = {char: count for char, count in Counter(text).items() if char > "\x7f"}
    total = sum(counts.values())
    return sum(_bits(char) * count for char, count in counts.items()) / total if total else 0.0


@cache
def _meeting(pair: str) -> float:
    """Bits of two neighbouring classes."""
    if pair in _IN_ORDER:
        return _IN_ORDER[pair]
    met = frozenset(pair)
    if len(met) == 1 or any(met <= set(group) for group in _GROUPS):
        return 0.0
    if met & _NEUTRAL:
        return _BLANK_BESIDE_HAN if met == {"s", "h"} else 0.0
    if met & _SYMBOLS and met not in _BESIDE:
        return _ACCENTED if met & {"l", "L"} else _SYMBOL
    return _BESIDE.get(met, _STRANGE)


def _mark(char: str) -> str:
    return _judged(char)[1]


def _bits(char: str) -> float:
    return _judged(char)[0]


@cache
def _judged(char: str) -> tuple[float, str]:
    """Bits and class of a character."""
    if char in _SPECIAL:
        return _SPECIAL[char]
    if char < "\x80":
        return _ascii(char)
    if "\uac00" <= char <= "\ud7a3":
        two_bytes = len(char.encode("euc_kr", "replace")) == 2
        return 7.5 if char in HANGUL else 13.0 if two_bytes else 18.0, "g"
    if "\u4e00" <= char <= "\u9fff":
        return _han(char), "h"
    found = next(((bits, mark) for first, last, bits, mark in _RANGES if first <= ord(char) <= last), None)
    kind = unicodedata.category(char)
    if kind in ("Cn", "Co", "Cc", "Cs"):
        return 26.0, "n"
    return found or (14.0, "x" if kind[0] in "LM" else "y")


def _ascii(char: str) -> tuple[float, str]:
    if char.isalpha():
        return (4.5, "a") if char.islower() else (6.0, "A")
    if char.isdigit():
        return 5.5, "d"
    return (8.0, "o") if char.isprintable() else (17.0, "n")


def _han(char: str) -> float:
    place = _HAN_PLACE.get(TRADITIONAL.get(char, char))
    if place is not None:
        return next(bits for least, bits in _PLACES if place < least)
    # The first level of each national set holds the characters in everyday use.
    for encoding, first, last in (("gb2312", 0xB0, 0xD7), ("big5", 0xA4, 0xC6), ("shift_jis", 0x88, 0x97)):
        raw = char.encode(encoding, "ignore")
        if raw and first <= raw[0] <= last:
            return 14.5
    return 17.0 if char.encode("gb2312", "ignore") else 18.5
