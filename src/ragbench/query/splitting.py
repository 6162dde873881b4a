"""A question taken apart by its punctuation and conjunctions, without a model: parts, sides of a comparison, a chain.

Chinese, English and mixed. Every part is a text that can be searched by itself.
"""

from __future__ import annotations

import re

from ragbench.query.pieces import LONGEST, Kind, Part, Pieces, depth_of
from ragbench.query.sides import sides
from ragbench.text.language import answers_in_chinese

__all__ = ["LONGEST", "Kind", "Part", "Pieces", "chain", "depth_of", "parts", "sides", "split"]


def split(text: str) -> Pieces:
    """The question as a chain where it is one, else as sides of a comparison, else as independent parts, else whole.

    A chain is made of nested attributes (`X的A的B`, `the A of the B of X`, `X's A's B`), of an attribute of a set or of
    something described (`of each of the first five …`, `the company that …`), and of questions that point back
    (`后来`, `那`, `then`, `their`). A blank text is whole, and so is one of over 1000 characters.
    """
    text = " ".join(text.split())
    return chain(text) or sides(text) or parts(text) or Pieces("whole", (Part(text),))


def chain(text: str) -> Pieces | None:
    """The question as a chain; None where no part of it needs another, or it is too long."""
    text = " ".join(text.split())
    if len(text) > LONGEST:
        return None
    nested = _nested_zh(text) if answers_in_chinese(text) else _nested_en(text)
    if nested:
        return Pieces("chain", tuple(nested), resolves=True)
    asked = _asked(text)
    if not any(part.needs for part in asked):
        described = [] if answers_in_chinese(text) or len(asked) > 1 else _described(text)
        return Pieces("chain", tuple(described), resolves=True) if described else None
    return Pieces("chain", tuple(asked))


def parts(text: str) -> Pieces | None:
    """The questions within a question, each with the statements before it, and one that points back with the question
    before it; None where there is only one, or the text is too long."""
    text = " ".join(text.split())
    asked = _asked(text) if len(text) <= LONGEST else []
    return Pieces("parts", tuple(Part(one.text) for one in asked)) if len(asked) > 1 else None


_ASK_ZH = re.compile(
    r"谁|多少|多久|多[大长高远快重]|几|哪|怎么|怎样|什么|啥|咋|如何|为何|[吗呢]$|[吗呢][？?]|(.)不\1|有没有|[过了]没|是否|[？?]"
)
_ASK_EN = re.compile(r"\b(?:what|how|who|whom|whose|when|where|which|why)\b|\?", re.IGNORECASE)
_OPENS_EN = re.compile(
    r"^(?:may|can|could|do|does|did|is|are|was|were|should|will|would|has|have|find|list|name|provide|tell)\b",
    re.IGNORECASE,
)
_CUT_ZH = re.compile(r"(?<=[？?。！!；;])|[：，,、；;]\s*(?:还有就是|另外|以及|还有|顺便)?")
_WH = r"(?:(?:by|at|for|in|on|from|to|until|since) )?(?:what|how|who|whom|whose|when|where|why)\b"
_CUT_EN = re.compile(
    rf"(?<=[?!])\s+|(?<=[a-z]):\s+|(?<=[a-z0-9)\"”][.])\s+(?=[A-Z])|;\s+|,\s+(?={_WH})"
    rf"|,?\s+(?:and|then)\s+(?:then\s+)?(?:also\s+)?(?=(?:{_WH}|(?:by |at |for |in |on |from |to )?which\b"
    r"|(?:may|can|could|do|does|did|is|are|was|were|should|will) "
    r"(?:i|we|you|it|they|he|she|the|an?|our|my|there|this)\b"
    r"|(?:provide|list) ))",
    re.IGNORECASE,
)
_BACK_ZH = re.compile(r"^(?:后来|然后|之后|接着|再|那|这|他|她|它|其|该)|(?:他|她|它|其中|该)")
_BACK_EN = re.compile(
    r"\b(?:its|their|theirs|them|they|those|these|he|she|his|her|respective|afterwards|then)\b"
    r"|\beach(?: of (?:them|those|these))?\b|\b(?:it|that|there)(?=\s*(?:[?.,]|$|\w+ed\b))"
    r"|\b(?:is|was|do|does|did|can|could|may|must|should|will|would|of|for|with|to) it\b"
    r"(?! (?:possible|necessary|ok)\b)",
    re.IGNORECASE,
)


def _asked(text: str) -> list[Part]:
    """The questions of a text in their order, statements put in front of what they lead to. One that points back
    needs the one before it."""
    chinese = answers_in_chinese(text)
    cut, joint = (_CUT_ZH, "，") if chinese else (_CUT_EN, " ")
    found: list[Part] = []
    head: list[str] = []  # statements before the first question belong to all of them
    lead: list[str] = []
    for piece in (one.strip(" ，,、；;") for one in cut.split(text) if one):
        if not piece or not re.search(r"\w", piece):
            continue
        if not _asks(piece, chinese):
            (lead if found else head).append(piece)
            continue
        words = joint.join([*head, *lead, piece])
        back = bool(found) and bool((_BACK_ZH if chinese else _BACK_EN).search(piece))
        needs = (len(found) - 1,) if back else ()
        if back:  # what it points at stands in the question before it
            before = found[-1].text.rstrip("，, ")
            pause = joint if chinese or not before[-1:].isalnum() else ", "
            words = before + pause + joint.join([*lead, piece])
        found.append(Part(words, f"{joint.join([*lead, piece])} #{len(found)}" if back else "", needs))
        lead = []
    if found and lead:  # what follows the last question is said of it
        last = found[-1]
        tail = joint.join(lead)
        found[-1] = Part(f"{last.text}{joint}{tail}", last.template, last.needs)
    return found


def _asks(piece: str, chinese: bool) -> bool:
    if chinese:
        return bool(_ASK_ZH.search(piece))
    return bool(_ASK_EN.search(piece) or _OPENS_EN.search(piece))


_NESTED_ZH = re.compile(
    r"(?P<head>(?:[^，,。？?]*[，,])?)(?P<x>[^的，,。？?、]{2,20})"
    r"(?P<of>(?:的[^的，,。？?、和与跟]{1,8}){1,5})的(?P<ask>[^的，,。？?、]{1,16})[？?。]?"
)


def _nested_zh(text: str) -> list[Part]:
    """`X的A的B是谁`: `X的A`, then B of its answer."""
    found = _NESTED_ZH.fullmatch(text)
    if not found:
        return []
    known, result = found["x"], [Part(f"{found['head']}{found['x']}的{found['of'].split('的')[1]}是什么？")]
    steps = [*found["of"].split("的")[1:], found["ask"]]
    known = f"{known}的{steps[0]}"
    for number, step in enumerate(steps[1:], 1):
        last = number == len(steps) - 1
        known = f"{known}的{step}"
        ends = "？" if last else "是什么？"
        result.append(Part(f"{found['head']}{known}{ends}", f"#{number}的{step}{ends}", (number - 1,)))
    return result


_OF = re.compile(
    r"(?P<before>.*?\bthe [\w' -]{2,40}? of )(?P<inner>(?:the|an?) [\w' -]{2,40}? of [^?]+)(?P<end>\??)", re.IGNORECASE
)
_POSSESSIVE = re.compile(r"(?P<before>.*?)\b(?P<inner>(?:[A-Z][\w-]+ )*[\w-]+['’]s [\w-]+)(?P<after>['’]s .+)")


def _nested_en(text: str) -> list[Part]:
    """`the A of the B of X` and `X's A's B`: the innermost first."""
    found = _OF.fullmatch(text)
    if found and not _SET.search(found["before"]):
        inner = _nested_en(f"What is {found['inner']}?") or [Part(f"What is {found['inner']}?")]
        last = len(inner)
        return [*inner, Part(text, f"{found['before']}#{last}{found['end']}", (last - 1,))]
    owned = _POSSESSIVE.fullmatch(text)
    if owned:
        first = Part(f"What is {owned['inner']}?")
        rest = _nested_en(f"{owned['before']}it{owned['after']}")
        if not rest:
            return [first, Part(text, f"{owned['before']}#1{owned['after']}", (0,))]
    return []


_NUMBER = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_SET = re.compile(
    rf"(?:(?:each|all|both|any) of )?\bthe (?:[\w']+ ){{0,3}}?{_NUMBER}\b[^?,]{{3,}}|\b(?:each|all) of the [^?,]{{3,}}",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:the|an?|each|every) (?P<noun>\w+(?: \w+){0,3}?) (?P<clause>(?:who|that|which|where) [^?,]{4,})",
    re.IGNORECASE,
)
_WH_WORD = re.compile(rf"\b{_WH}|\bwhich\b|^(?:find|list|name|provide)\b", re.IGNORECASE)
_DO = re.compile(r"\b(?:do|does|did)$", re.IGNORECASE)
_BARE = re.compile(r"(?:what|who|which|where|when|how)?\s*(?:is|are|was|were|has|have)?\s*", re.IGNORECASE)


def _described(text: str) -> list[Part]:
    """Something asked of what is only described: first what that is, then the question about it."""
    for pattern in (_SET, _RELATIVE):
        found = pattern.search(text)
        before = text[: found.start()].strip() if found else ""
        if not found or _BARE.fullmatch(before) or not _WH_WORD.search(before):
            continue
        phrase, verb = found[0].strip(), ""
        if _DO.search(before) and " " in phrase:  # what … did the last five … attend: the verb is not of the phrase
            phrase, verb = phrase.rsplit(" ", 1)
        phrase = re.sub(r"^(?:each|all|both|any) of ", "", phrase, flags=re.IGNORECASE)
        asking = f"{text[: found.start()]}#1{' ' * bool(verb)}{verb}{text[found.end() :]}"
        return [Part(f"What are {phrase}?"), Part(text, asking, (0,))]
    return []
