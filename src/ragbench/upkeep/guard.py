"""What keeps two texts apart although their vectors are alike: a number, an identifier, a name, a negation, a word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from ragbench.text.normal import comparison_form, negated
from ragbench.text.quantities import quantities
from ragbench.text.terms import identifiers, names, stem
from ragbench.upkeep.wording import parties, revocations, sentence_forms, turned

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_NUMERALS = re.compile(r"\d+|[〇零一二三四五六七八九十百千万亿两壹贰叁肆伍陆柒捌玖拾佰仟]+")
_CASED = re.compile(r"[A-Za-z0-9_./:-]*(?:\d|(?<=[a-z])[A-Z]|[_./:-](?=\w))[A-Za-z0-9_./:-]*")
_LETTER = re.compile("[A-Za-z]")
_WORD = re.compile(r"[\u3005-\u9fff\uf900-\ufaff]|[^\W\u3005-\u9fff\uf900-\ufaff]+")
_EMPTY_WORDS = frozenset("a an the 的 了 吗 呢 吧 啊 么".split())  # noqa: SIM905 - words are read more easily
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "de", "mis", "anti")
# Signs that mean something wherever they stand; the others (`-`, `!`, `#`) only beside a word on one side.
_MEANING = frozenset("%@&/\\^")
_ONE_SIDED = re.compile(r"(?<!\w)[-−!](?=[\w=])|(?<=\w)[-−#](?!\w)")
_LETTERS = re.compile(r"(?<![A-Za-z0-9])(?!a [a-z])[A-Za-z](?![A-Za-z0-9])")
_QUALIFIERS = re.compile(
    r"\b(?:hardly|rarely|seldom|barely|scarcely|lacks?|unless|except(?:ing)?|without|only|almost|nearly|far from|"
    r"(?:do|does|did|ca|wo|is|are|was|were|has|have|had|should|would|could|must)nt|stop(?:s|ped)?|suspend(?:s|ed)?|"
    r"once|twice|thrice|half|halves|doubled?|triple|couple|dozens?|first|second|third|fourth|fifth|last|next|both)\b"
    r"|除|仅|只|毋|勿|免|别|甭|莫|未|非|否|休|停|禁|拒|少|几乎|差点|半|双|俩|仨|廿|卅|倍|第|曾|拟",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True, slots=True)
class Facts:
    """What two texts may not differ in, and their sentences.

    `numbers` are quantities, `numerals` what they leave of digits and Chinese numerals, `signs` number signs and
    symbols (⁶, Ⅳ, <, ±, ☑, the plus of C++, a minus), `codes` identifiers and single letters as they are written,
    `names` capitalised words, `parties` 甲 and 乙, lender and borrower, `qualifiers` words that narrow or turn what is
    said (except, hardly, twice; 除, 仅, 半), `revocations` words that take it back or date it (obsolete; 废止),
    `negations` negating words with what they negate, all in the order of the text. `words` are Latin stems and Han
    characters without articles and particles; `sentences` see `wording.sentence_forms`.
    """

    numbers: tuple[tuple[str, str, str], ...]
    numerals: tuple[str, ...]
    signs: tuple[str, ...]
    codes: tuple[str, ...]
    names: tuple[str, ...]
    parties: tuple[str, ...]
    qualifiers: tuple[str, ...]
    revocations: tuple[str, ...]
    negations: tuple[tuple[str, str], ...]
    form: str
    words: frozenset[str]
    sentences: tuple[str, ...]


def plain_form(text: str) -> str:
    """A text in half-width characters and single blanks: what is equal here is equal to a reader.

    Not NFKC, which turns 10⁶ into 106; and case stays, which identifiers may differ in.
    """
    return " ".join(unicodedata.normalize("NFC", text).translate(_FULL_WIDTH).split())


def facts(text: str) -> Facts:
    """The facts of a text."""
    plain = plain_form(text)
    found = quantities(plain)
    rest = list(unicodedata.normalize("NFKC", plain).casefold())
    for one in found:
        rest[one.start : one.end] = " " * (one.end - one.start)
    form = comparison_form(plain)
    return Facts(
        numbers=tuple((one.kind, one.value, one.unit) for one in found),
        numerals=tuple(_NUMERALS.findall("".join(rest))),
        signs=(*filter(_is_sign, plain), *_ONE_SIDED.findall(plain)),
        codes=(*filter(_LETTER.search, _CASED.findall(plain)), *identifiers(plain), *_LETTERS.findall(plain)),
        names=tuple(names(plain)),
        parties=parties(form),
        qualifiers=tuple(word.casefold() for word in _QUALIFIERS.findall(plain)),
        revocations=revocations(form),
        negations=tuple(negated(form)),
        form=form,
        words=frozenset(_words(form)),
        sentences=sentence_forms(text),
    )


def _is_sign(char: str) -> bool:
    return char in _MEANING or unicodedata.category(char) in ("No", "Nl", "Sm", "Sc", "So")


def n_words(text: str) -> int:
    """How many words a text says: Latin words and Han characters without articles and particles."""
    return len(_words(comparison_form(plain_form(text))))


def _words(form: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in _WORD.findall(form) if word not in _EMPTY_WORDS)


def apart(one: Facts, other: Facts) -> str:
    """What two texts differ in that forbids to take one for the other; empty where there is nothing."""
    if (one.numbers, one.numerals, one.signs) != (other.numbers, other.numerals, other.signs):
        return "numbers or dates"
    if one.codes != other.codes:
        return "identifiers"
    if one.names != other.names or one.parties != other.parties:
        return "names"
    if one.negations != other.negations or _negated(one.words, other.words):
        return "negation"
    if turned(one.form, other.form):
        return "opposites"
    if one.revocations != other.revocations:
        return "what is revoked"
    if one.qualifiers != other.qualifiers:
        return "a qualifier"
    return ""


def says_the_same(one: Facts, other: Facts) -> bool:
    """Whether two texts have the same sentences in the same order."""
    return one.sentences == other.sentences


def says_all(kept: Facts, removed: Facts) -> bool:
    """Whether every sentence of `removed` stands in `kept` as it is, in their order.

    What `kept` says beyond them may still turn them ("forget what follows"), so this is for those who ask for it.
    """
    remaining = iter(kept.sentences)
    return all(sentence in remaining for sentence in removed.sentences)


def edition(*titles: str) -> tuple[str, ...]:
    """Dates, quarters, versions, years and words such as draft or 废止 in the titles of a document, each once, sorted:
    two that differ here are two editions, each of which must be able to answer for itself."""
    text = plain_form(" ".join(titles))
    dated = {one.value for one in quantities(text) if one.kind in ("date", "quarter", "version")}
    in_words = re.sub(r"[_\W]+", " ", comparison_form(text))
    return tuple(sorted(dated | set(_YEAR.findall(text)) | set(revocations(in_words))))


def _negated(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a word that one text has alone is a word that the other has alone with a negating prefix."""
    return _prefixed(one - other, other - one) or _prefixed(other - one, one - other)


def _prefixed(longer: Iterable[str], shorter: frozenset[str]) -> bool:
    return any(word.startswith(prefix) and word[len(prefix) :] in shorter for word in longer for prefix in _PREFIXES)
