"""A text of two scripts taken apart: its Chinese part, its Latin part, and what stands in brackets or quotes."""

from __future__ import annotations

import re

from ragbench.text.terms import is_function_word, terms

_LATIN_TOKEN = re.compile(r"[A-Za-z0-9]+(?:[_./'’+#&-]+[A-Za-z0-9]+)*[+#]*")
_LETTER = re.compile(r"[A-Za-z]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_CHINESE_SIGNS = re.compile(r"[\u3000-\u303f\u2018\u201c\u201d\uff00-\uffef·…—]")
_BRACKETS = ("「」", "『』", "《》", "〈〉", "【】", "“”", "（）", "()", "[]", '""', "``")
_BRACKETED = re.compile(
    "|".join(f"{re.escape(pair[0])}([^{re.escape(pair)}\n]{{1,80}}){re.escape(pair[1])}" for pair in _BRACKETS)
)


def chinese_part(text: str) -> str:
    """The text without its Latin words and codes; numbers stay. Empty where no Chinese word of content is left."""
    left = _LATIN_TOKEN.sub(lambda found: " " if _LETTER.search(found[0]) else found[0], text)
    return _squeezed(left) if any(_HAN.match(term) and not is_function_word(term) for term in terms(left)) else ""


def latin_part(text: str) -> str:
    """The text without Han characters and full-width signs; numbers stay. Empty where no Latin word of content is
    left."""
    left = _CHINESE_SIGNS.sub(" ", _HAN.sub(" ", text))
    return _squeezed(left) if any(_LETTER.match(term) and not is_function_word(term) for term in terms(left)) else ""


def bracketed_terms(text: str) -> list[str]:
    """What stands in brackets, book-title marks, double quotes or backticks, each once, in order; of nested ones of one
    kind the innermost, of different kinds the outermost; what is longer than 80 characters is no term."""
    found = (" ".join(next(filter(None, match.groups())).split()) for match in _BRACKETED.finditer(text))
    return list(dict.fromkeys(filter(None, found)))


def _squeezed(text: str) -> str:
    return " ".join(text.split())
