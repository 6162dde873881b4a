"""Reading queries out of a model's reply: JSON, fences, numbers, bullets, labels, prose around, repetitions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ragbench.core.surrogates import without_surrogates
from ragbench.llm.structured import json_at
from ragbench.query.asking import Unusable
from ragbench.text.language import language_of
from ragbench.text.normal import comparison_form

QUERIES = {
    "type": "object",
    "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
    "required": ["queries"],
    "additionalProperties": False,
}
QUESTION = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}
"""JSON schemas of the replies that are asked for."""
LONGEST = 400
"""Characters of a query; what is longer is no query."""
_READ = 20_000
_SHORTEST = 6
_BROKEN = re.compile(r"""^\s*[\[{]\s*["'\[{]""")  # JSON that was cut: no line of text
_GARBAGE = re.compile(r"[^\W\d_\u3400-\u9fff]{60}|(.)\1{24}")
_FENCE = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_MARKER = re.compile(
    r"^\s*(?:[-*+•·▪>]+\s+|[(（\[]?\d{1,2}[)）\].、:：]\s*(?!\d)|[一二三四五六七八九十]、\s*"
    r"|[a-h][.)]\s+|#{1,6}\s+)"
)
_LABEL = re.compile(
    r"^\s*(?:(?:sub-?)?(?:quer(?:y|ies)|question|variant|rewrite|rewritten(?: question| query)?"
    r"|standalone(?: question)?"
    r"|step-?back(?: question)?|search|keywords?|answer|passage|output|reply)"
    r"|(?:子|改写(?:后的?)?|完整|独立|抽象|检索|扩展)?(?:问题|查询|问句)|变体|改写(?:结果)?|关键词|扩展词|答案|回答|段落|输出)"
    r"\s*+#?+\s*+\d{0,2}+\s*+[:：]\s*",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "`": "`", "**": "**", "*": "*"}
_INTRODUCES = re.compile(r"[:：]\s*$")
_PROSE = re.compile(
    r"^(?:sure|certainly|of course|okay|here (?:is|are)|(?:i['’]m|i am) (?:sorry|unable)|i (?:cannot|can['’]t)\b"
    r"|as an ai"
    r"|i (?:have|will|['’]ll|['’]ve) (?:re|gener|creat|provid)|let me\b|the (?:above|following)\b"
    r"|these (?:are|quer|question|variant)|note:|explanation\b|(?:i )?hope this"
    r"|好的|当然|以下是|下面是|这里是|希望(?:这|能|对)|注[:：]|解释[:：]|说明[:：]"
    r"|我(?:将|会|无法|不能)(?:为|把|对|回|提|处)|作为(?:一|AI|人工))",
    re.IGNORECASE,
)
_PROMPT = re.compile(r"\b(?:BEGIN|END) [0-9a-f]{16}\b|written by a user. It is data|是用户写的文字")
_NONE = re.compile(r"^(?:none|n/?a|null|无|没有|空|\[\s*\]|\{\s*\})[.。]?$", re.IGNORECASE)


def read_queries(reply: str, question: str, limit: int, empty: bool = False, any_language: bool = False) -> list[str]:
    """At most `limit` queries of a reply, each once and none that repeats the question.

    What is read, first that gives anything: a JSON list of texts, or an object that holds one, bare, fenced or within
    prose; else lines, without numbers, bullets, labels and quotes. Introductions, remarks, repeated prompt text, texts
    of more than LONGEST characters and texts in another language than the question (unless `any_language`) are left
    out. `empty` allows a reply that says there are none. Raises Unusable where nothing is left.
    """
    text = _sound(reply)
    found = _json_texts(text)
    nothing = found == [] or bool(_NONE.match(text))
    if found is None:
        found = [] if nothing else list(_lines(text))
    if nothing and empty:
        return []
    usable = [one for one in map(cleaned, found) if fits(one, "" if any_language else question)]
    known = {comparison_form(question)}
    queries = []
    for one in usable:
        form = comparison_form(one).rstrip("?.! ")
        if form and form not in known and form + "?" not in known:
            known.add(form)
            queries.append(one)
    if queries or (empty and usable):
        return queries[:limit]
    raise Unusable(_why(text, found, question, bool(usable)))


def read_query(reply: str, question: str) -> str:
    """The one query of a reply, which may be the question itself; raises Unusable where there is none."""
    text = _sound(reply)
    found = _json_texts(text, one=True)
    if found is None:
        found = sorted(_lines(text), key=lambda line: not _LABEL.match(line))  # a line that says it is the question
    usable = [one for one in map(cleaned, found) if fits(one, question)]
    if not usable:
        raise Unusable(_why(text, found, question, False))
    return usable[0]


def read_passage(reply: str, question: str, longest: int) -> str:
    """The passage of a reply as one paragraph of at most `longest` characters; raises Unusable for an empty one, one
    in another language, or one that repeats the prompt."""
    text = _sound(reply)
    found = _json_texts(text)
    if found is None:
        fenced = _FENCE.findall(text)
        text = _LABEL.sub("", max(fenced, key=len) if fenced else text, count=1)
        found = [line for line in text.splitlines() if not (_INTRODUCES.search(line) and _PROSE.match(line.strip()))]
    passage = " ".join(" ".join(found).split())[:longest].strip()
    if sum(char.isalnum() for char in passage) < _SHORTEST or _NONE.match(passage) or _PROSE.match(passage):
        raise Unusable(f"nothing usable in the reply {passage[:60]!r}")
    if _GARBAGE.search(passage):
        raise Unusable("the reply has no words")
    if not same_language(passage, question):
        raise Unusable(f"the reply is in another language ({language_of(passage)})")
    return passage


def fits(text: str, question: str) -> bool:
    """Whether a text can be a query for the question; of an empty question the language does not count."""
    return (
        0 < len(text) <= LONGEST
        and any(char.isalnum() for char in text)
        and not _GARBAGE.search(text)
        and (not question or same_language(text, question))
    )


def same_language(text: str, question: str) -> bool:
    """Whether one of two texts is Chinese and the other English; a mixed text goes with both."""
    return {language_of(text), language_of(question)} != {"zh", "en"}


def cleaned(text: str) -> str:
    """A line without marker, label and quotes, white space collapsed."""
    text = " ".join(text.split())
    for pattern in (_MARKER, _LABEL):
        text = pattern.sub("", text, count=1)
    for opening, closing in _QUOTES.items():
        if len(text) > len(opening) + len(closing) and text.startswith(opening) and text.endswith(closing):
            text = text[len(opening) : -len(closing)]
    return text.strip().rstrip(",，").strip()


def _sound(reply: str) -> str:
    """The beginning of a reply that can be read; raises Unusable for an empty one and for one with lines of the prompt,
    whatever else it says."""
    text = without_surrogates(reply[:_READ]).strip()
    if not text:
        raise Unusable("an empty reply")
    if _PROMPT.search(text):
        raise Unusable("the reply repeats the prompt")
    return text


def _lines(text: str) -> Iterator[str]:
    fenced = _FENCE.findall(text)
    body = max(fenced, key=len) if fenced else text
    lines = [line for line in body.splitlines() if line.strip()]
    marked = [line for line in lines if _MARKER.match(line) or _LABEL.match(line)]
    for line in marked if len(marked) > 1 else lines:
        bare = _MARKER.sub("", line, count=1).strip()
        if not (_INTRODUCES.search(bare) or _PROSE.match(bare) or _NONE.match(bare) or _BROKEN.match(bare)):
            yield line


def _json_texts(text: str, one: bool = False) -> list[str] | None:
    """Texts of the first JSON list or object of a reply; None where there is none with texts or an empty list. `one`:
    of an object its own texts come before those of a list in it."""
    candidates = [*_FENCE.findall(text), text]
    for candidate in candidates:
        for at in (number for number, char in enumerate(candidate[:2000]) if char in "[{"):
            try:
                value, _ = json_at(candidate, at)
            except (ValueError, RecursionError):
                continue
            found = _texts(value, one)
            if found is not None:
                return found
    return None


def _texts(value: Any, one: bool) -> list[str] | None:
    if isinstance(value, list):
        if not value:
            return []
        items = [_text(item) for item in value]
        texts = [item for item in items if item is not None]
        return texts or None
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list)]
        texts = [item for item in value.values() if isinstance(item, str)]
        return texts if texts and (one or not lists) else _texts(lists[0], one) if lists else None
    return None


def _text(item: Any) -> str | None:
    if isinstance(item, str):
        return item
    if isinstance(item, dict):
        return next((value for value in item.values() if isinstance(value, str)), None)
    return None


def _why(text: str, found: Sequence[str], question: str, repeats: bool) -> str:
    if repeats:
        return "the reply only repeats the question"
    if any(len(one) > LONGEST for one in found):
        return f"the reply is longer than {LONGEST} characters"
    if any(not same_language(one, question) for one in found):
        return "the reply is in another language"
    return f"nothing usable in the reply {text[:60]!r}"
