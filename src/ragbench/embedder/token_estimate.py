"""An estimate of token counts for models whose tokeniser is not at hand."""

from __future__ import annotations

import re

_WIDE = re.compile("[⺀-鿿가-힯豈-﫿＀-￯\U00020000-\U0003ffff]")
_WORD = re.compile(r"[A-Za-z0-9]+")
_LETTERS_A_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """Tokens of a zh/en text, on the safe side: one per CJK character, one per begun four letters or digits of a
    word, one per other visible character; blanks are free. Empty: 0."""
    wide = len(_WIDE.findall(text))
    rest = _WIDE.sub(" ", text)
    words = sum(-(-len(word) // _LETTERS_A_TOKEN) for word in _WORD.findall(rest))
    marks = len("".join(_WORD.sub("", rest).split()))
    return wide + words + marks
