"""Terms for matching: Latin words and Chinese character bigrams; identifiers and names."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path

_PIECE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+")
_NOT_WORDS = "的了是在和与及也都就而被把对于以为之其这那有吗呢吧啊么"
STOP_WORDS = frozenset(
    """
    a an the of in on at to for and or is are was were be been being by with from as that this these those it its
    his her their our my your i we you he she they them us me who which what when where how why did does do has have
    had but than then into about there can could will would should may might if so also just get got any some s t re
    ll ve m d
    """.split()  # noqa: SIM905 - words are read more easily than a list of quotes
)
_ZH_STOP = frozenset(
    """
    什么 怎么 哪些 哪个 哪里 多少 几个 是否 可以 需要 如何 为什 为何 请问 我们 你们 他们 这个 那个 一个 时候 多久
    多长 是不 不是 能不 有没 没有 么样 怎样 谁的 的话 我的 了吗 的吗 是什 是多 是谁 要多 有多 到底 现在 一下 还是
    或者 以及 因为 所以 如果 但是
    """.split()  # noqa: SIM905 - words are read more easily than a list of quotes
)
_IDENTIFIER = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z]|[0-9][0-9_./-]{0,200}+[A-Za-z])"
    r"(?:[A-Za-z0-9]+(?:[_./-][A-Za-z0-9]+)+|[A-Za-z]+\d+[A-Za-z0-9]*|\d+[A-Za-z]+\d[A-Za-z0-9]*|[A-Z]{2,}[a-z]?)"
    r"(?![A-Za-z0-9])"
)
_CAPITALISED = r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?:[A-ZÀ-ÖØ-Þ][A-Za-zÀ-ÖØ-öø-ÿ]*)?(?![A-Za-zÀ-ÖØ-öø-ÿ])"
_NAME = re.compile(
    rf"(?<![.!?:] )(?<!^)(?<![A-Za-zÀ-ÖØ-öø-ÿ\n|•*-])\b{_CAPITALISED}(?:\s+(?:of\s+|de\s+|the\s+)?{_CAPITALISED})*"
)
_OPENING = re.compile(rf"(?:^|(?<=[.!?:] )|(?<=\n))[\s\"'“‘(]*(?P<word>{_CAPITALISED})")
_CAMEL = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z][a-z]+[A-Z]|[a-z]{1,3}[A-Z]{1,3}(?=[a-z\W]|$))[A-Za-z]*(?![A-Za-z0-9])")
_COMMON = Path(__file__).with_name("common_words.txt")


def terms(text: str) -> list[str]:
    """Casefolded Latin words (light plural and -ing/-ed stems) and bigrams of each run of Han characters (a lone
    character stays), in order.

    Function words stay; see `content_terms`.
    """
    found: list[str] = []
    for match in _PIECE.finditer(unicodedata.normalize("NFKC", text).casefold()):
        piece = match[0]
        if piece[0] >= "\u3400" and _is_han(piece[0]):
            found.extend(piece[at : at + 2] for at in range(max(1, len(piece) - 1)))
        else:
            found.append(stem(piece))
    return found


def content_terms(text: str) -> list[str]:
    """The terms without function words; where nothing else is there, all terms."""
    every = terms(text)
    return [term for term in every if not is_function_word(term)] or every


def is_function_word(term: str) -> bool:
    """Whether a term of `terms` says nothing of the topic: a stop word, or a bigram that begins or ends in a
    particle."""
    if term in STOP_WORDS or term in _ZH_STOP:
        return True
    return _is_han(term[0]) and any(char in _NOT_WORDS for char in term)


def identifiers(text: str) -> list[str]:
    """Casefolded codes, keys, paths, versions with letters and acronyms (`CS-2024-02`, `storage.fs`, `A240`, `NFS`),
    each once, in order."""
    found = (match[0].casefold() for match in _IDENTIFIER.finditer(unicodedata.normalize("NFKC", text)))
    return list(dict.fromkeys(found))


def names(text: str) -> list[str]:
    """Casefolded capitalised Latin words that do not open a sentence (`Denver Broncos`, `DeepSeek`), each once, in
    order."""
    found = (" ".join(match[0].casefold().split()) for match in _NAME.finditer(text))
    return list(dict.fromkeys(found))


def opening_names(text: str) -> list[str]:
    """Casefolded capitalised words that open a sentence and are no common English word (`Kubernetes needs …`), and
    words with a capital inside wherever they stand (`macOS`), each once.

    A name that is a common word too (Apple, Relay) cannot be told from one there.
    """
    opening = [match["word"] for match in _OPENING.finditer(text)]
    rare = [word for word in opening if len(word) > 2 and not _is_common(word.casefold())]
    return list(dict.fromkeys(word.casefold() for word in [*rare, *_CAMEL.findall(text)]))


def _is_common(word: str) -> bool:
    return word in STOP_WORDS or stem(word) in _common_stems()


@cache
def _common_stems() -> frozenset[str]:
    lines = _COMMON.read_text(encoding="utf-8").splitlines()
    return frozenset(stem(line) for line in lines if not line.startswith("#"))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A Latin word without the commonest English endings; too short words and words with digits stay."""
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    for ending, put in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= 3:
            base = word[: -len(ending)] + put
            if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz" and ending in ("ing", "ed"):
                base = base[:-1]
            return base.rstrip("e") if len(base) > 3 else base
    return word.rstrip("e")


def _is_han(char: str) -> bool:
    return "\u3400" <= char <= "\u4dbf" or "\u4e00" <= char <= "\u9fff"
