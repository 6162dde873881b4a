"""One form for texts that say the same in other characters, and the polarity of a text."""

from __future__ import annotations

import re
import unicodedata

_SPACE = re.compile(r"\s+")
_BY_HAN = re.compile(r"(?<=[\u2e80-\u9fff\uff00-\uffef]) | (?=[\u2e80-\u9fff\uff00-\uffef])")
_PUNCTUATION = str.maketrans("，。；：！？（）“”‘’、【】–—−‑「」『』", ',.;:!?()""\'\',[]----""""')
_NEGATIONS = re.compile(
    r"\b(?:not(?! only)|no(?!\.? ?\d)|never|none|nobody|nothing|cannot|without|neither|nor|unable|prohibited|forbidden"
    r"|refuses?|unsupported|hardly|scarcely|fail(?:s|ed|ing)? to"
    r"|(?:do|does|did|is|are|was|were|has|have|had|ca|could|would|should|wo|must|need|ai)nt)\b"
    r"|n['’]t\b|禁止|严禁|拒绝|(?<![是能可会与应需])否(?!则)|勿|甭|毋(?!宁)|休想"
    r"|(?<![特分区个级类性辨判识差鉴派告离送国组职界甄话道门各席假])别(?=[\u4e00-\u9fff])(?![与和及或为是的人处名说提墅致样称扭家国针字具论]|离(?!开)|开生面|出心裁|有)"
    r"|不(?!同|仅|但|管|断|过|少|久|论|止|然|锈|妨|等|良|足|动产)|没(?!收|关系)|(?<!有)无(?!论|线|人机|锡)"
    r"|未(?!来)|(?<!除)非(?!常)",
    re.IGNORECASE,
)
_FOLLOWING = re.compile(r"[\u3005-\u9fff]{1,4}|(?: *[^\W\u3005-\u9fff]+){1,3}")
_IF_NOT = re.compile(
    r"([\u4e00-\u9fff]{1,2})不\1|可不可以|([\u4e00-\u9fff])没\2|差不多|不得不|对不起"
    r"|(?<=[\u4e00-\u9fff])(?<![么何也都还并要就])[不没](?=\s*[?？]?\s*$)"
)


def comparison_form(text: str) -> str:
    """NFKC, casefolded, white space collapsed (and dropped beside Han), Chinese punctuation as its ASCII twin.
    Idempotent."""
    text = unicodedata.normalize("NFKC", text.translate(_PUNCTUATION)).casefold()
    text = unicodedata.normalize("NFKC", text).translate(_PUNCTUATION)
    return _BY_HAN.sub("", _SPACE.sub(" ", text)).strip()


def negations(text: str) -> list[str]:
    """The negating words of a Chinese or English text in order, `hardly` and `fail to` among them; questions by
    alternative (是不是, 行不行, 能否, 批了没？) and words such as 不同, 非常 or 特别 do not count."""
    return [word for word, _ in negated(text)]


def negated(text: str) -> list[tuple[str, str]]:
    """The negating words as `negations` finds them, each with what follows it in its clause: at most four Han
    characters or three Latin words, as they are written."""
    plain = _IF_NOT.sub(" ", text)
    found = []
    for match in _NEGATIONS.finditer(plain):
        following = _FOLLOWING.match(plain, match.end())
        found.append((match[0].casefold(), following[0].strip() if following else ""))
    return found
