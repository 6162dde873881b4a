"""What a model is asked when it adds words to a question."""

from __future__ import annotations

from ragbench.llm.base import Message
from ragbench.query import delimited
from ragbench.query.delimited import messages

VERSION = 1
"""Goes up with any change of wording."""

NAME = f"expand/{VERSION}"
IDENTITY = {"prompts": VERSION, "delimiting": delimited.VERSION}
"""What recordings call the prompt, and what a stage that asks with it is fingerprinted by."""

_TASK = {
    "en": "You name up to {n} words or short terms that documents answering a question are likely to use and that are "
    "not in the question: synonyms, technical terms, full forms of abbreviations. Use the language of the question, "
    'invent no names or numbers. Reply with JSON alone: {{"queries": ["...", "..."]}}',
    "zh": "你列出最多 {n} 个词语：回答该问题的资料里可能出现、而问题中没有的同义词、术语或缩写全称。语言与问题相同，"
    '不编造名称和数字。只回答 JSON：{{"queries": ["……", "……"]}}',
}


def expansion(question: str, n: int) -> tuple[Message, ...]:
    """The question, for which up to `n` further words are wanted."""
    return messages({language: task.format(n=n) for language, task in _TASK.items()}, question)
