"""What a model is asked when it makes a follow-up stand alone."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.llm.base import Message
from ragbench.query import delimited
from ragbench.query.delimited import messages
from ragbench.records.question import Turn

VERSION = 1
"""Goes up with any change of wording."""

NAME = f"rewrite/{VERSION}"
IDENTITY = {"prompts": VERSION, "delimiting": delimited.VERSION}
"""What recordings call the prompt, and what a stage that asks with it is fingerprinted by."""

_TASK = {
    "en": "You rewrite the last question of a conversation so that it can be understood without the conversation. Put "
    "what pronouns and omissions refer to in their place; drop greetings. Keep every name, number, code and negation "
    "of the question, and its language. Add nothing that was not said. If it stands alone already, repeat it as it is. "
    'Reply with JSON alone: {"question": "..."}',
    "zh": "你把对话中的最后一个问题改写成不看对话也能懂的问题：把代词和省略的内容补上，去掉寒暄。"
    "保留问题里的所有名称、数字、编号和否定，语言不变，"
    "不添加没说过的内容。如果它本来就完整，就原样重复。"
    '只回答 JSON：{"question": "……"}',
}


def rewrite(question: str, history: Sequence[Turn]) -> tuple[Message, ...]:
    """The last question of a conversation, to be made to stand alone."""
    return messages(_TASK, question, history)
