"""What a model is asked when it classifies a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.llm.base import Message
from ragbench.query import delimited
from ragbench.query.delimited import messages
from ragbench.records.question import COMPLEXITIES, Turn

VERSION = 1
"""Goes up with any change of wording."""

NAME = f"classify/{VERSION}"
IDENTITY = {"prompts": VERSION, "delimiting": delimited.VERSION}
"""What recordings call the prompt, and what a stage that asks with it is fingerprinted by."""

UNCERTAIN = "uncertain"

_TASK = {
    "en": "You say what kind of question a user asks of a collection of documents. Classes:\n"
    "simple_lookup: one fact or one procedure, found in one place\n"
    "multi_hop: the answer of one part is needed to look up the next, or several conditions must be combined\n"
    "comparison: two or more things, versions or times are compared\n"
    "decomposable: several independent questions in one\n"
    "ambiguous: it cannot be told what is meant, because nothing concrete is named\n"
    "When two fit, take the first of comparison, multi_hop, decomposable. If you cannot tell, say uncertain.",
    "zh": "你来判断用户向一批文档提出的是哪一类问题。类别：\n"
    "simple_lookup：问一个事实或一个流程，在一处就能找到\n"
    "multi_hop：要先查到一部分的答案才能查下一部分，或要把几个条件合起来\n"
    "comparison：比较两个或更多的事物、版本或时期\n"
    "decomposable：一句话里有几个互不相关的问题\n"
    "ambiguous：没有说出任何具体的东西，看不出指什么\n"
    "两类都像时，按 comparison、multi_hop、decomposable 的先后取第一个。拿不准就填 uncertain。",
}
_CATEGORY = {
    "en": "Also name its category, one of: {}. If none fits, say uncertain.",
    "zh": "再给出它的分类，只能是其中之一：{}。都不合适就填 uncertain。",
}
_HISTORY = {
    "en": "Earlier turns may say what the question refers to.",
    "zh": "之前的对话可能说明了问题指的是什么。",
}
_FORM = {"en": "Reply with JSON alone: {}", "zh": "只回答 JSON：{}"}


def classify(question: str, history: Sequence[Turn], categories: Sequence[str]) -> tuple[Message, ...]:
    """The question, to be put into one of COMPLEXITIES and, where `categories` are given, into one of them."""
    return messages({language: _task(language, bool(history), categories) for language in _TASK}, question, history)


def schema(categories: Sequence[str]) -> dict[str, Any]:
    """The form of the reply."""
    fields = {"complexity": {"type": "string", "enum": [*COMPLEXITIES, UNCERTAIN]}}
    if categories:
        fields["category"] = {"type": "string", "enum": [*categories, UNCERTAIN]}
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _task(language: str, follow_up: bool, categories: Sequence[str]) -> str:
    example: Mapping[str, str] = {"complexity": "..."} | ({"category": "..."} if categories else {})
    parts = [_TASK[language]]
    if categories:
        parts.append(_CATEGORY[language].format(", ".join(categories)))
    if follow_up:
        parts.append(_HISTORY[language])
    shown = "{" + ", ".join(f'"{name}": "{value}"' for name, value in example.items()) + "}"
    return "\n".join([*parts, _FORM[language].format(shown)])
