"""One form for texts that say the same in other characters, and the polarity of a text."""

from __future__ import annotations

import re
import unicodedata

_SPACE = re.compile(r"\s+")
_BY_HAN = re.compile(r"(?<=[\u2e80-\u9fff\uff00-\uffef]) | (?=[\u2e80-\u9fff\uff00-\uffef])")
_PUNCTUATION = str.maketrans("，。；：！？（）“”‘’、【】–—−‑「」『』", ',.;:!?()""\'\',[]----""""')
_NEGATIONS = re.compile(
    r"\b(?:not(?! only)|no(?!\.? ?\d)|never|none|nobody|nothing|cannot|without|neither|nor|unable|prohibited|forbidden"
    r"|refuses?|unsupported)\b|n['’]t\b|禁止|严禁|拒绝|(?<!是)否(?!则)|勿"
    r"|不(?!同|仅|但|管|断|过|少|久|论|止|然|锈|妨|等|良|足|动产)|没(?!收|关系)|(?<!有)无(?!论|线|人机|锡)"
    r"|未(?!来)|(?<!除)非(?!常)",
    re.IGNORECASE,
)
_FOLLOWING = re.compile(r"[\u3005-\u9fff]{1,4}|(?: *[^\W\u3005-\u9fff]+){1,3}")
_IF_NOT = re.compile(r"是不是|能不能|可不可以|有没有|要不要|会不会|差不多|不得不|对不起")


def comparison_form(text: str) -> str:
    """NFKC, casefolded, white space collapsed (and dropped beside Han), Chinese punctuation as its ASCII twin.
    Idempotent."""
    text = unicodedata.normalize("NFKC", text.translate(_PUNCTUATION)).casefold()
    text = unicodedata.normalize("NFKC", text).translate(_PUNCTUATION)
    return _BY_HAN.sub("", _SPACE.sub(" ", text)).strip()


def negations(text: str) -> list[str]:
    """The negating words of a Chinese or English text in order; questions by alternative (是不是) and words such as
    不同 or 非常 do not count."""
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
