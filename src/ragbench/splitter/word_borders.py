"""Where a text can be cut without parting a word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from ragbench.text.han_words import han_words

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_OPENING = re.escape("([{（［｛「『《【〈“‘")
_CLOSING = re.escape(",.;:!?)]}，。、；：！？）］｝」』》】〉”’…—·%％°~～")
_ZERO_WIDTH_JOINER, _FLAG_LETTERS, _SKIN_TONES = "\u200d", "\U0001f1e6-\U0001f1ff", "\U0001f3fb-\U0001f3ff"


def word_borders(text: str) -> Iterator[int]:
    """Offsets, ascending and inside the text, at which a cut parts no word and no sign from the word it belongs to.

    A word is a run of letters and digits of one script with the signs inside it (`AI-2024-03`, `don't`, `1,000`), or
    a word of jieba's dictionary in a run of Han characters; opening brackets and quotes belong to what follows,
    other punctuation, combining marks and blanks to what stands before. Linear in the text's length.
    """
    for token in _token().finditer(text):
        if token.start() > 0:
            yield token.start()
        if token["han"] is None:
            continue
        position = token.start("han")
        for word in han_words(token["han"])[:-1]:
            position += len(word)
            yield position


@cache
def _token() -> re.Pattern[str]:
    letter = rf"(?:[^\W{_HAN}]|[{_marks()}])"
    word = rf"{letter}++(?:(?:[-._/'’@:&+#…]++|(?<=\d),(?=\d)){letter}++)*+"
    # At most a few opening signs, so that a long run of them is not read again from each of its characters.
    return re.compile(
        rf"[{_OPENING}]{{0,4}}+(?:(?P<han>[{_HAN}]++)|{word}|[{_FLAG_LETTERS}]{{2}}|\S)"
        rf"(?:[{_marks()}{_CLOSING}]|{_ZERO_WIDTH_JOINER}\S)*+\s*+"
    )


@cache
def _marks() -> str:
    """Combining marks of the Basic Multilingual Plane, variation selectors among them, and skin tones."""
    marks = "".join(char for char in map(chr, range(0x300, 0x10000)) if unicodedata.category(char)[0] == "M")
    return re.escape(marks) + _SKIN_TONES
