"""What a model is asked when it takes a question apart into independent ones."""

from __future__ import annotations

from ragbench.llm.base import Message
from ragbench.query import delimited
from ragbench.query.delimited import messages

VERSION = 1
"""Goes up with any change of wording."""

NAME = f"decompose/{VERSION}"
IDENTITY = {"prompts": VERSION, "delimiting": delimited.VERSION}
"""What recordings call the prompt, and what a stage that asks with it is fingerprinted by."""

_TASK = {
    "en": "You split a question into at most {n} questions that can each be searched alone and do not need each "
    "other's answers: the two sides of a comparison, or the several things it asks. Each must stand alone, with the "
    "names, numbers and conditions it needs, in the language of the question. If it asks one thing only, reply with an "
    'empty list. Do not answer. Reply with JSON alone: {{"queries": ["...", "..."]}}',
    "zh": "你把一个问题拆成最多 {n} 个可以各自检索、互不依赖答案的小问题：比较的两方，或同时问到的几件事。"
    "每个小问题都要完整，带上所需的名称、数字和条件，语言与问题相同。如果只问一件事，就给空列表。不要回答。"
    '只回答 JSON：{{"queries": ["……", "……"]}}',
}


def parts(question: str, n: int) -> tuple[Message, ...]:
    """The question, to be split into at most `n` independent ones."""
    return messages({language: task.format(n=n) for language, task in _TASK.items()}, question)
