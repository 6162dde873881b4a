"""From text to the terms of a sparse index: pure functions, one analyser for index and query.

Text is brought to one form first: Unicode NFKC, which also folds full and half width, then case folding, then
traditional characters as simplified ones (`ragbench.text.simplified`), and hyphens, dashes and minus signs of every
kind as `-`. Then:

- A run of Han characters becomes words (`jieba`, search mode: long words and the shorter ones inside) or pairs of
  neighbours (`bigram`, no dictionary; a lone character stands for itself).
- Anything else is a word between blanks and punctuation. One letter is a word. No stemming; stop words are left to
  the index.
- What is joined by `- . _ / @ & +` is a term as a whole and in its parts, level by level: `storage.retention.max_age`
  also gives `storage`, `retention`, `max_age`, `max`, `age`. `c++` and `c#` keep their signs and also give `c`, also
  as parts: `c/c++` gives `c++` and `c` too, and `c++11` gives `c++`, `c` and `11`.
- A decimal stays whole; a version `v4.2.1` also gives `4.2.1` and `4.2`; `1,200` is `1200`; `30d` also gives `30`, `d`.
- A document number such as `ai-2024-03号文` is also a term as a whole.

Plain words come first, then split words, then Han words: order carries no meaning for BM25.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import chain, filterfalse
from operator import add

from ragbench.text.han_words import han_tokenizer
from ragbench.text.simplified import simplified

VERSION = 3

Analyser = Callable[[str], list[str]]

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
# Letters and digits, with the signs that may join or end an identifier; `expand` sorts the signs out.
SIGNS = "-._/+#,&@%:"
TRAILING = "-._/,&@:"
"""Signs that a word never ends with."""
# Of ASCII text, letters, digits and signs stay and everything else becomes a blank, which is faster than a pattern; a
# word then begins with its first letter or digit.
_ASCII = {code: chr(code) if chr(code).isalnum() or chr(code) in SIGNS else " " for code in range(128)}
_OTHER = re.compile(rf"[^\W_{_HAN}]++(?:[{SIGNS}]++[^\W_{_HAN}]*+)*+")
_HAN_RUN = re.compile(rf"[{_HAN}]++")
_DOCUMENT_NUMBER = re.compile(r"(?<![a-z0-9-])[a-z0-9]++(?:-[a-z0-9]++)++号文?+")

_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_CLOCK = re.compile(r"\d{1,2}(?::\d{2}){1,2}")
_DOTTED = re.compile(r"v?(\d+(?:\.\d+)+)")
_UNIT = re.compile(r"(\d+(?:\.\d+)*)([^\W\d_]+|%)")
# Two or more `+`, and `#` after a single letter, end the name before them and join nothing.
_LEVELS = tuple(map(re.compile, (r"[/@&]+|(?<!\+)\+(?!\+)|(?<=\+\+)(?!\+)|(?<=\b[^\W\d_]#)(?=\d)", r"\.+", "-+", "_+")))
_HYPHENS = re.compile("[\u2010-\u2015\u2212]")


def jieba_terms(text: str) -> list[str]:
    """Terms of a text, Han runs cut into dictionary words."""
    return _terms(text, _jieba_run)


def bigram_terms(text: str) -> list[str]:
    """Terms of a text, Han runs cut into overlapping pairs."""
    return _terms(text, _bigram_run)


ANALYSERS: dict[str, Analyser] = {"jieba": jieba_terms, "bigram": bigram_terms}


def normalised(text: str) -> str:
    """The form in which terms are compared."""
    if text.isascii():
        return text.lower()
    return _HYPHENS.sub("-", simplified(unicodedata.normalize("NFKC", text).casefold()))


def _terms(text: str, cut_han: Callable[[str], tuple[str, ...]]) -> list[str]:
    text = normalised(text)
    ascii_only = text.isascii()
    found = text.translate(_ASCII).split() if ascii_only else _OTHER.findall(text)
    terms = list(filter(str.isalpha, found))
    mixed = list(filterfalse(str.isalpha, found)) if len(terms) < len(found) else []
    if ascii_only and any(word[0] in SIGNS for word in mixed):
        return _terms(" ".join(word.lstrip(SIGNS) for word in found), cut_han)
    terms.extend(chain.from_iterable(map(expand, mixed)))
    if not ascii_only:
        terms.extend(chain.from_iterable(map(cut_han, _HAN_RUN.findall(text))))
        if "号" in text:
            terms.extend(_DOCUMENT_NUMBER.findall(text))
    return terms


@lru_cache(maxsize=1 << 15)
def expand(word: str) -> tuple[str, ...]:
    """The terms of a word that is not letters only: itself and its parts, each once."""
    word = word.rstrip(TRAILING)
    if word.isalpha():
        return (word,)
    if word.endswith("+") and not word.endswith("++"):
        word = word.rstrip("+")
    if _THOUSANDS.fullmatch(word):
        return (word.replace(",", ""),)
    if "," in word or (":" in word and not _CLOCK.fullmatch(word)):
        return tuple(chain.from_iterable(expand(part) for part in re.split("[,:]", word) if part))
    return tuple(dict.fromkeys(_parts(word, 0)))


def _parts(word: str, level: int) -> list[str]:
    word = word.lstrip("-._/+#&@%:").rstrip("-._/&@")
    if not word:
        return []
    if dotted := _DOTTED.fullmatch(word):
        numbers = dotted[1].split(".")
        return [word, dotted[1], *(".".join(numbers[:n]) for n in range(len(numbers) - 1, 1, -1))]
    if measure := _UNIT.fullmatch(word):
        return [word, measure[1], *([measure[2]] if measure[2] != "%" else [])]
    for deeper in range(level, len(_LEVELS)):
        pieces = [piece for piece in _LEVELS[deeper].split(word) if piece]
        if len(pieces) > 1 or (pieces and pieces[0] != word):
            return [word, *chain.from_iterable(_parts(piece, deeper + 1) for piece in pieces)]
    bare = word.rstrip("#%+")
    return [word] if bare == word else [word, bare]


@lru_cache(maxsize=1 << 15)
def _bigram_run(run: str) -> tuple[str, ...]:
    return tuple(map(add, run, run[1:])) or (run,)


@lru_cache(maxsize=1 << 15)
def _jieba_run(run: str) -> tuple[str, ...]:
    return tuple(han_tokenizer().cut_for_search(run))
