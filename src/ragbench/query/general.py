"""The more general question behind a question, by rules: its specifics dropped with the words that only they need."""

from __future__ import annotations

import re

from ragbench.query.bounds import is_long
from ragbench.query.wording import keywords
from ragbench.text.language import answers_in_chinese

_GONE = "\ue000"
_PLACES = (
    r"(?:总部|分公司|北京|上海|天津|重庆|广州|深圳|杭州|南京|苏州|宁波|成都|武汉|西安|越南)"
    r"|\b(?:Beijing|Shanghai|Tianjin|Chongqing|Guangzhou|Shenzhen|Hangzhou|Nanjing|Suzhou|Ningbo|Chengdu|Wuhan|Xi'an"
    r"|Hong Kong|Singapore|Tokyo|London|Berlin|Paris|China|Japan|Vietnam|Thailand|Germany|France|Europe)\b"
)
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_SPECIFIC = re.compile(
    r"[（(][^（()）]{1,30}[)）]|「[^」]{1,30}」|“[^”]{1,30}”|\"[^\"]{1,30}\"|`[^`]{1,40}`"
    r"|(?<![A-Za-z0-9])(?:[A-Z]{1,6}(?:-[A-Z0-9]+)+|[A-Z]{1,5}\d+[A-Za-z0-9-]*|[a-z]+(?:[_.][a-z0-9]+)+)(?![A-Za-z0-9])"
    r"|(?:19|20)\d\d\s*年(?:\s*\d{1,2}\s*月)?(?:\s*\d{1,2}\s*[日号])?|(?<![\w.])\d+(?:\.\d+)?\s*(?:万|千|百)?(?:元|块钱?|天|个?月|年|周|次|条|人|份|名|件|个|台|小时|分钟)"
    r"|(?<![\w.])v?\d+(?:[.,:]\d+)*(?!\w)(?:\s*%)?"
    r"|\d+(?:\.\d+)?\s*(?:万|千|百)?(?:元|块钱?|天|个?月|年|周|次|条|人|份|名|件|个|台|小时|分钟)?"
    rf"|\b{_MONTH}\b(?: \d{{1,2}},?)?(?: \d{{4}})?|{_PLACES}"
)
_PREPOSITION = (
    r"in|on|at|to|of|for|from|by|with|within|since|until|till|before|after|during|under|over|above|below|near|into|onto"
    r"|between|through|via|per|than|as of|up to|out of"
)
_IN_NAME = re.compile(r"(?<=\bin )[A-Z][a-z]+(?: [A-Z][a-z]+)*\b")
_JOINED = re.compile(
    rf"{_GONE}(?:\s*(?:,|，|、|/|~|-|和|与|跟|或|至|到|\b(?:and|or|to|than|vs\.?|versus)\b)?"
    rf"\s*(?:\b(?:{_PREPOSITION}) )?{_GONE})+"
)
_VERB = (
    r"is|are|was|were|do|does|did|can|could|may|might|must|should|will|would|has|have|had|needs?|gets?|takes?|supports?"
)
_BEREFT = re.compile(
    rf"\b(?:{_VERB}) (?:(?:the|an?|our|my|your) )*{_GONE}(?! [a-z]+s?\b(?<!ing) (?:{_VERB})\b)"
    rf"|{_GONE} (?:{_VERB}|allowed)\b",
    re.IGNORECASE,
)
_GOVERNED_EN = re.compile(
    rf"\b(?:{_PREPOSITION}) (?:\b(?:the|an?|our|my|your|about|version|release|v|grade|level|edition|section|chapter"
    rf"|article|error|code) )*{_GONE}(?:['’]s\b)?(?: (?:on|onwards?|up|upwards|ago)(?= ?(?:{_GONE}|[,.;:?!]|$)))?"
    rf"(?= ?(?:$|[,.;:?!，。？、\u3400-\u9fff]|{_GONE}|(?:{_PREPOSITION}|{_VERB}|and|or|but|that|which|who|when|if|so"
    r"|not|now|then|too|also|again|instead)\b))",
    re.IGNORECASE,
)
_GOVERNED_ZH = re.compile(
    rf"(?:在|从|到|自|于|至|截至|按|对|给|由|比|和|与|跟)?\s*{_GONE}"
    r"(?:\s*(?:以内|之内|以上|以下|以前|以后|之前|之后|前|后|内|起|左右|年|版本?|的|里面?))*"
)
_OBJECT = re.compile(
    rf"(?:\b(?:the|an?|our|my|your) )?{_GONE}(?:['’]s\b)?(?= ?(?:$|[,.;:?!]|(?:{_PREPOSITION}|and|or)\b))", re.I
)
_SHORTEST, _FEWEST = 4, 2


def general(text: str) -> str:
    """The question without its codes, numbers, dates, versions, places, and what stands in brackets or quotes, each
    with the preposition that governed it; empty where it has none, where what is left is no question (`What does E-12
    do?` has lost its subject) or names hardly anything, and where the text is too long for a question."""
    if is_long(text):
        return ""
    marked = _SPECIFIC.sub(_GONE, _IN_NAME.sub(_GONE, text.replace(_GONE, "")))
    if _GONE not in marked:
        return ""
    marked = _JOINED.sub(_GONE, " ".join(marked.split()))
    marked = _GOVERNED_EN.sub("", marked)
    marked = re.sub(rf"(?:\b(?:the|an?) )?{_GONE}['’]s\b", "the", marked, flags=re.IGNORECASE)
    if _BEREFT.search(marked):
        return ""
    left = " ".join(_GOVERNED_ZH.sub(" ", _OBJECT.sub("", marked)).split())
    left = re.sub(r"[,;:，；：、 ]+(?=[?？!！])", "", left)
    left = re.sub(r" ?([，,。.;；:、?？!！])(?: ?[，,。.;；、])*", r"\1", left)
    if answers_in_chinese(text):
        left = re.sub(r"(?<=[\u3400-\u9fff，。？]) (?=[\u3400-\u9fff])", "", left)
    left = left.strip(" ,，.。;；:：、的")
    return left if _says_enough(left) else ""


def _says_enough(left: str) -> bool:
    """Whether at least two words of content are left, in Chinese also one of four characters."""
    words = keywords(left).split()
    if answers_in_chinese(left):
        return len("".join(words)) >= _SHORTEST
    return len(words) >= _FEWEST
