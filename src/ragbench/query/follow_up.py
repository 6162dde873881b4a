"""What a follow-up leaves out, by rules: whether it needs the conversation, and what of it."""

from __future__ import annotations

import re

from ragbench.query.bounds import is_long
from ragbench.query.naming import things

TOPIC_CHARS = 160
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
_LEAD = re.compile(
    r"^\s*(?:那么?(?![个些里边种天年时样儿次位])|然后|还有|另外|此外|而且|所以|但是?|可是|不过"
    r"|(?:and then|and|so|but|then|also|or|okay|ok)\b(?:,|(?= )))[\s,，]*",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"^\s*(?:如果(?:是|换成|改成)|换成|要是|(?:what|how) (?:about|if)\b|same\b)", re.IGNORECASE)
_POINTS = re.compile(
    r"它们?|(?<!其)他们?(?!人)|她们?|[这那][个些种样里边儿位次份款条]|[这那](?=[是要能会算怎为有])"
    r"|上述|前者|后者|上面|刚才|前面(?:说|提|讲)|同样|(?:也|又|再|还)(?=[要能会可是行到有])|呢[\s?？。!！]*$|其(?![他它中实余])"
    r"|\b(?:it|its|they|them|their|theirs|he|she|him|her|his|these|those|one|ones|former|latter|instead|else|too"
    r"|same)\b|(?<!is )(?<!are )(?<!was )(?<!if )\bthere\b(?! (?:is|are|was|were|any))"
    r"|\bth(?:is|at)(?= one| too|[?.,!]|$)"
    r"|\b(?:does|do|is|of|about|with|for|from|like|than|after|before|to) th(?:is|at)\b",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(
    r"^\s*(?:那么?|然后|还有|换成|如果是)?[\s,，]*(?P<zh>[^,，。?？!！]{1,16}?)"
    r"(?:的?话)?(?:呢|又?怎么样|又如何|也一样吗|也是吗)[\s?？。!！]*$"
    r"|^\s*(?:(?:and |but )?(?:(?:what|how) about|same for|what of)|and(?! (?:how|what|when|where|who|which|why|is|are"
    r"|was|were|do|does|did|can|could|may|must|should|will|would|if|then)\b))\s+(?P<en>(?:[^,.?!\s]|[.,](?=\d))+"
    r"(?: (?:[^,.?!\s]|[.,](?=\d))+){0,4}?)"
    r"(?:,? then)?[\s?.!]*$",
    re.IGNORECASE,
)
_SHORT = 15.0
_ARTICLE = re.compile(r"^(?:(?:for|in|on|at|with|from|to) )?(?:(?:the|our|a|an|your|my) )?", re.IGNORECASE)
_STAND_IN = re.compile(r"[的年版月]|\b(?:the|one|ones|version|of|in|on|for|with|from)\b", re.IGNORECASE)
_END = re.compile(r"(?<=[\u3400-\u9fff])[吗呢吧啊呀么嘛]?[\s?？。.!！,，;；]*$|[\s?？。.!！,，;；]+$")
_PLACES = (
    "总部|总公司|分公司|子公司|北京|上海|天津|重庆|广州|深圳|杭州|南京|苏州|无锡|宁波|温州|成都|武汉|西安|长沙|郑州|青岛|济南|厦门"
    "|福州|合肥|南昌|昆明|贵阳|南宁|海口|沈阳|大连|长春|哈尔滨|石家庄|太原|东莞|佛山|珠海|香港|澳门|台北|越南|泰国|新加坡|日本|美国|德国"
)
_KINDS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<![\w.])v?\d+\.\d+(?:\.\d+)*(?![\w.]*\d)(?!%)",
        r"(?<!\d)(?:19|20)\d\d(?=\s*年|\b)",
        r"\b[A-Z]{1,4}-?\d{2,5}\b",
        r"(?<![A-Za-z])[PMT]\d{1,2}(?!\d)",
        _PLACES,
        r"\b(?:Python|Go|Java|Rust|JavaScript|TypeScript|Node|Ruby|PHP|Kotlin|Swift|Linux|Windows|macOS|Android|iOS)\b",
        r"\b(?:Free|Basic|Team|Pro|Professional|Business|Enterprise|Premium)\b|专业版|企业版|标准版|旗舰版|免费版|基础版",
        r"\b(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b|(?:周|星期)[一二三四五六日天]",
    )
)


def leans(text: str) -> bool:
    """Whether a follow-up needs earlier turns: it begins by going on (那, and, what about), points back (它, 那个, it,
    there), or is short and names nothing of its own. One that is too long for a question stands alone."""
    return not is_long(text) and bool(
        _LEAD.match(text) or _GOES_ON.match(text) or _POINTS.search(text) or (size(text) <= _SHORT and not named(text))
    )


def ellipsis(text: str) -> str | None:
    """What a follow-up changes that says nothing else (那成都呢, what about Go?); None where it says more."""
    match = None if is_long(text) else _ELLIPSIS.match(" ".join(text.split()))
    if match is None:
        return None
    changed = match["zh"] or _ARTICLE.sub("", match["en"] or "", count=1)
    return changed.strip() or None


def without_lead(text: str) -> str:
    """The text without the word that goes on from before (那, and then); as it is where nothing would be left."""
    left = "" if is_long(text) else _LEAD.sub("", text, count=1).strip()
    return left if any(char.isalnum() for char in left) else text


def topic(text: str) -> str:
    """A turn as what is being talked of: its end marks and question particles off, cut at TOPIC_CHARS."""
    return _END.sub("", text[:TOPIC_CHARS].strip()).strip()


def says_more(text: str, earlier: str) -> bool:
    """Whether a follow-up that changes one thing says anything besides that thing, a stand-in (`one`, 的) and words of
    the earlier question. One that is too long for a question does."""
    if is_long(text):
        return True
    for kind in _KINDS:
        text = kind.sub(" ", text)
    known = earlier.casefold()
    words = _WORD.findall(_STAND_IN.sub(" ", text)) + _HAN.findall(_STAND_IN.sub(" ", text))
    return any(word.casefold() not in known for word in words)


def swapped(earlier: str, text: str) -> str:
    """`earlier` with its one version, year, code, grade, place, language, edition or weekday exchanged for the other
    one of the same kind that `text` names; as it is where either names none or several of the kind, or is too long."""
    if is_long(earlier) or is_long(text):
        return earlier
    for kind in _KINDS:
        old = {match[0] for match in kind.finditer(earlier)}
        new = {match[0] for match in kind.finditer(text)}
        if len(old) == len(new) == 1 and old != new:
            earlier = earlier.replace(next(iter(old)), next(iter(new)))
    return earlier


def named(text: str) -> list[str]:
    """Codes, names and quoted terms of a text, casefolded, each once (`ragbench.query.naming`)."""
    return list(dict.fromkeys(thing.casefold() for thing in things(text)))


def size(text: str) -> float:
    """Length as it is felt: a Han character 1, a Latin word 1.6."""
    return len(_HAN.findall(text)) + 1.6 * len(_WORD.findall(text))
