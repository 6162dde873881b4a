"""What a model is asked when it writes an answer that it cannot know, as a passage to search with."""

from __future__ import annotations

from ragbench.llm.base import Message
from ragbench.query import delimited
from ragbench.query.delimited import messages

VERSION = 1
"""Goes up with any change of wording."""

NAME = f"hyde/{VERSION}"
IDENTITY = {"prompts": VERSION, "delimiting": delimited.VERSION}
"""What recordings call the prompt, and what a stage that asks with it is fingerprinted by."""

_TASK = {
    "en": "You write a short passage (at most 80 words) as it might stand in the document that answers a question: "
    "plain statements in the tone of a manual or policy, in the language of the question. It need not be true. Reply "
    "with the passage alone.",
    "zh": "你写一小段文字（不超过 120 字），像回答该问题的制度或手册里会有的内容："
    "平实的陈述句，语言与问题相同，不必属实。只写这段文字。",
}


def hypothesis(question: str) -> tuple[Message, ...]:
    """The question, for which a passage is to be written that might answer it."""
    return messages(_TASK, question)
