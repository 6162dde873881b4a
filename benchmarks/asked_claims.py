"""Claims in people's own words: questions of XQuAD and CMRC 2018 with an answer put where they ask.

People wrote the questions while looking at the passage, so that `黑豹队的防守丢了多少分？` with `308` says in
other words what the passage says. True with its own answer (`asked`); false with another answer of the
passage (`asked_near`) or of another text (`asked_other`), and, in its own words, over another passage of the same
article, or the one that holds most of its words (`asked_elsewhere`).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from planted_claims import Planted

from ragbench.agreement.baselines import overlap
from ragbench.core.codec import read_json

TRUE, FALSE = ("asked",), ("asked_near", "asked_other", "asked_elsewhere")
_ASKS_ZH = re.compile(
    r"什么时候|什么时间|何时|哪一?[年天月日]|几[年月号日]|多少|几(?=[个年月天次名位岁届支艘座人])|谁|何人|何地|哪里|哪儿|什么地方"
    r"|哪(?:几|一|两)?[些个位种座家所支项场部款条类名]?|什么"
)
_HOW_ZH = re.compile(r"为什么|为何|如何|怎么|怎样|是否|什么样|吗？?$")
_NO_AUXILIARY = r"(?!did\b|do\b|does\b|is\b|are\b|was\b|were\b)"
_SUBJECT = re.compile(
    rf"^(?:Who|What|Which (?:\w+ ){{0,2}}?\w+) {_NO_AUXILIARY}"
    r"(\w+ed|\w+s|won|led|made|built|held|wrote|took|gave|became|had) (.+)\?$"
)
_BEING = re.compile(r"^(?:Who|What) (is|was|are|were) ((?:the|a|an|one) .+|\w+'s .+)\?$")
_PASSIVE = re.compile(
    r"^(When|Where|In what year|What year) (was|were|is|are) (.+?) "
    r"(\w+ed|born|built|held|made|won|found)\b(.*)\?$"
)
_MOST = 2


def asked_claims(path: Path, language: str, first: int = 0, last: int | None = None) -> list[Planted]:
    """Claims of the paragraphs `[first, last)` of a SQuAD file; up to three questions a paragraph, deterministic."""
    rng = random.Random(7)
    paragraphs = [
        (number, one) for number, article in enumerate(read_json(path)["data"]) for one in article["paragraphs"]
    ][first:last]
    everyone = [answer for _, one in paragraphs for answer in _answers(one)]
    found: list[Planted] = []
    for place, (number, paragraph) in enumerate(paragraphs):
        own = _answers(paragraph)
        asked = rng.sample(paragraph["qas"], len(paragraph["qas"]))
        stated = [(qa, claim) for qa in asked if (claim := stated_as(qa["question"], _answer(qa), language))]
        beside = [one["context"] for at, one in paragraphs if at == number and one is not paragraph]
        others = beside or [one["context"] for _, one in paragraphs[place + 1 :] + paragraphs[:place]][:80]
        group = f"{path.name}-{number}"
        for qa, claim in stated[:_MOST]:
            context = paragraph["context"]
            found.append(Planted(language, "asked", context, claim, True, group))
            for kind, pool in (("asked_near", own), ("asked_other", rng.sample(everyone, min(60, len(everyone))))):
                wrong = _wrong(rng, _answer(qa), pool, context, kind == "asked_near")
                false = stated_as(qa["question"], wrong, language) if wrong else None
                if false and false != claim:
                    found.append(Planted(language, kind, context, false, False, group))
        for _, claim in stated[:1]:
            near = max(others, key=lambda text: overlap(claim, (text,)), default="")
            if near:
                found.append(Planted(language, "asked_elsewhere", near, claim, False, group))
    return found


def stated_as(question: str, answer: str, language: str) -> str | None:
    """A question with the answer in the place that it asks for, as a sentence; None where that place is not plain."""
    return _zh(question.strip(), answer) if language == "zh" else _en(question.strip(), answer)


def _zh(question: str, answer: str) -> str | None:
    bare = question.rstrip("？?。 ")
    found = list(_ASKS_ZH.finditer(bare))
    if len(found) != 1 or _HOW_ZH.search(bare):
        return None
    before, after = bare[: found[0].start()], bare[found[0].end() :]
    for n in range(min(len(answer), 4), 0, -1):
        if after.startswith(answer[-n:]) or (n <= 2 and before.endswith(answer[:n])):
            after = after[n:] if after.startswith(answer[-n:]) else after
            break
    return f"{before}{answer}{after}。" if before or after else None


def _en(question: str, answer: str) -> str | None:
    question = " ".join(question.split())
    if match := _SUBJECT.match(question):
        return f"{answer[:1].upper()}{answer[1:]} {match[1]} {match[2]}."
    if match := _BEING.match(question):
        return f"{match[2][:1].upper()}{match[2][1:]} {match[1]} {answer}."
    if match := _PASSIVE.match(question):
        word = "in " if re.fullmatch(r"\d{4}", answer) or (match[1] == "Where" and answer[:1].isupper()) else ""
        return f"{match[3][:1].upper()}{match[3][1:]} {match[2]} {match[4]}{match[5]} {word}{answer}."
    return None


def _answer(qa: dict[str, Any]) -> str:
    return str(qa["answers"][0]["text"]).strip()


def _answers(paragraph: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(_answer(qa) for qa in paragraph["qas"] if _answer(qa) in paragraph["context"]))


def _wrong(rng: random.Random, answer: str, pool: Sequence[str], context: str, near: bool) -> str | None:
    fit = [
        one
        for one in pool
        if one not in answer
        and answer not in one
        and (near or one not in context)
        and bool(re.search(r"\d", one)) == bool(re.search(r"\d", answer))
        and 0.3 <= len(one) / len(answer) <= 3
    ]
    return rng.choice(fit) if fit else None


def counted(items: Sequence[Planted]) -> Iterator[str]:
    """How many of each language and kind."""
    for key in sorted({(one.language, one.kind) for one in items}):
        yield f"{key[0]} {key[1]} {sum((one.language, one.kind) == key for one in items)}"
