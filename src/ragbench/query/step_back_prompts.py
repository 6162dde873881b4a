"""What a model is asked when it takes a step back from a question."""

from __future__ import annotations

from ragbench.llm.base import Message
from ragbench.query import delimited
from ragbench.query.delimited import messages

VERSION = 1
"""Goes up with any change of wording."""

NAME = f"step_back/{VERSION}"
IDENTITY = {"prompts": VERSION, "delimiting": delimited.VERSION}
"""What recordings call the prompt, and what a stage that asks with it is fingerprinted by."""

_TASK = {
    "en": "You write the more general question behind a question: the rule, principle or topic one must know to answer "
    "it, without its particular numbers, dates, places, versions and names. Use the language of the question. Do not "
    'answer it. Reply with JSON alone: {"question": "..."}',
    "zh": "你写出一个问题背后更一般的问题：回答它需要知道的规则、原理或主题，去掉具体的数字、日期、地点、版本和名称。"
    '语言与问题相同，不要回答。只回答 JSON：{"question": "……"}',
}


def step_back(question: str) -> tuple[Message, ...]:
    """The question, whose general question is wanted."""
    return messages(_TASK, question)
