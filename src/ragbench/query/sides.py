"""The two sides of a comparison, by rules."""

from __future__ import annotations

import re

from ragbench.query.follow_up import swapped
from ragbench.query.pieces import LONGEST, Part, Pieces
from ragbench.text.language import answers_in_chinese


def sides(text: str) -> Pieces | None:
    """The question once for each of two things it sets side by side; None where it names no such pair, or is too long.

    In Chinese 和 also joins words of one name (研究和开发部): two things are sides where the question compares them
    or shares out (哪个, 差多少, 各, 分别), or where they are alike: the same ending, or of one kind (two places).
    """
    text = " ".join(text.split())
    if len(text) > LONGEST:
        return None
    for pattern in (_SIDES_ZH, _SIDES_EN) if answers_in_chinese(text) else (_SIDES_EN, _SIDES_ZH):
        for found in pattern.finditer(text):
            one, other = (value for value in found.groups() if value is not None)
            end = found.end()
            like = other.find(one[-2:]) if len(one) > 2 else -1
            if like > 0:  # 总部的人和苏州的人住店…: the second ends as the first does
                end -= len(other) - like - 2
                other = other[: like + 2]
            both = [one.strip(" 的"), other.strip(" 的")]
            if pattern is _SIDES_ZH:
                head, of, _ = both[1].partition("的")
                alike = like > 0 or _alike(both[0], head.strip())
                if not alike and not _COMPARES_ZH.search(found[0] + text[end:]):
                    continue
                if of and head and "的" not in both[0] and like <= 0:  # 总部和苏州的标准: the standard of both
                    both[0] += both[1][len(head.rstrip()) :]
            if all(both) and both[0].casefold() != both[1].casefold():
                before, after = text[: found.start()], text[end:]
                return Pieces("sides", tuple(Part(" ".join(f"{before}{side}{after}".split())) for side in both))
    return None


_SIDES_ZH = re.compile(
    r"(?:^|(?<=[，,。；;：:、？?从请]))([^，,。；;：:、？?和与跟]{1,14})(?:和|与|跟|对比|还是|vs\.?|VS)\s*"
    r"([^，,。；;：:、？?和与跟]{1,12}?)(?=\s*(?:之间|两?者|相比|比起来)?"
    r"(?:[，,？?；;]|$|哪|谁|各|差|有(?:什么|啥|何)|的?(?:区别|差别|差异|不同)|能|要|每|分别|最|一样|不一样|人均|怎|如何|多少|多久|几))"
)
_COMPARES_ZH = re.compile(
    r"对比|还是|vs|VS|之间|两?者|相比|比起来|哪|谁[^，,。？?]{0,6}[更多少高低长短快慢大小好早晚]|各|差|分别|每人|每个|人均|最|一样|区别|差异|不同"
)
_SIDES_EN = re.compile(
    r"\bbetween ([^,;:?]{1,40}?) and ([^,;:?]{1,40}?)(?=[,;:?.]|$| (?:in|for|on|when|is|are|do|does)\b)"
    r"|(?:^|(?<=[:,;(?.] ))((?:[\w./+#-]+ ){0,4}[\w./+#-]*\w) (?:vs\.?|versus|against|or|compared (?:to|with)) "
    r"((?:[\w./+#-]+ ?){1,5}?)(?=[,;:?]|\.(?!\d)|$| (?:in|for|on|when|is|are|do|does)\b)"
    r"|\b(v?\d+\.\d+) (?:vs\.?|versus|and|or|against) (v?\d+\.\d+)",
    re.IGNORECASE,
)


def _alike(one: str, other: str) -> bool:
    """Whether two things are of one kind: the same last character, or one exchangeable for the other."""
    return one[-1:] == other[-1:] or other.startswith(swapped(one, other))
