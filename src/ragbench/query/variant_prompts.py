"""What a model is asked when it puts a question in other words."""

from __future__ import annotations

from ragbench.llm.base import Message
from ragbench.query import delimited
from ragbench.query.delimited import messages

VERSION = 1
"""Goes up with any change of wording."""

NAME = f"variant/{VERSION}"
IDENTITY = {"prompts": VERSION, "delimiting": delimited.VERSION}
"""What recordings call the prompt, and what a stage that asks with it is fingerprinted by."""

_TASK = {
    "en": "You write {n} other ways to search for what a question asks: other words, another angle, as the documents "
    "that answer it might put it. Keep names, numbers, codes and negations, and the language of the question. Do not "
    'answer it. Reply with JSON alone: {{"queries": ["...", "..."]}}',
    "zh": "你为一个问题写出 {n} 种不同的检索说法：换词、换角度、用资料里可能的写法。"
    '保留名称、数字、编号和否定，语言与问题相同。不要回答问题。只回答 JSON：{{"queries": ["……", "……"]}}',
}


def variants(question: str, n: int) -> tuple[Message, ...]:
    """The question, to be put in `n` other ways."""
    return messages({language: task.format(n=n) for language, task in _TASK.items()}, question)
