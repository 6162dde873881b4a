"""What a model is asked by flows: a chain of sub-questions, a question back to the user, the next search."""

from __future__ import annotations

from ragbench.llm.base import Message
from ragbench.query import delimited
from ragbench.query.delimited import messages
from ragbench.records.question import Turn

VERSION = 1
"""Goes up with any change of wording."""

CHAIN, CLARIFY, NEXT = f"chain/{VERSION}", f"clarify/{VERSION}", f"next_search/{VERSION}"
IDENTITY = {"prompts": VERSION, "delimiting": delimited.VERSION}
"""What recordings call the prompts, and what a stage that asks with them is fingerprinted by."""

FOUND_CHARS = 1500
"""Characters of what was found that are shown."""

_CHAIN = {
    "en": "You break a question into the shortest chain of sub-questions in which a later one needs the answer of an "
    "earlier one. Write #1 where the answer of the first belongs, #2 for the second, and so on. Keep names, numbers, "
    "conditions, and the language of the question. If it can be answered in one step, reply with an empty list. Do not "
    'answer. Reply with JSON alone: {"queries": ["Who heads X?", "Who is the manager of #1?"]}',
    "zh": "你把一个问题拆成最短的子问题链，后一个需要前一个的答案。第一个子问题的答案写作 #1，第二个写作 #2，依此类推。"
    "保留名称、数字和条件，语言与问题相同。如果一步就能回答，就给空列表。不要回答。"
    '只回答 JSON：{"queries": ["X 的负责人是谁？", "#1 的上级是谁？"]}',
}
_CLARIFY = {
    "en": "The question cannot be answered as it stands, because it does not say what exactly is meant. Write one "
    "short question back to the user that names what is unclear, in the language of the question. Do not answer. Do "
    'not apologise. Reply with JSON alone: {"question": "..."}',
    "zh": "这个问题没有说清楚到底指什么，现在无法回答。写一个简短的反问，指出哪里不清楚，语言与问题相同。"
    '不要回答，不要道歉。只回答 JSON：{"question": "……"}',
}
_NEXT = {
    "en": "A first search for the question found the text given as the last turn of the conversation. Write the one "
    "search query that finds what is still missing, with the names found. Keep the language of the question. Do not "
    'answer. Reply with JSON alone: {"question": "..."}',
    "zh": "针对这个问题的第一次检索找到了对话最后一轮里的文字。写一条检索语句去找还缺的内容，带上已找到的名称。"
    '语言与问题相同，不要回答。只回答 JSON：{"question": "……"}',
}


def chain(question: str) -> tuple[Message, ...]:
    """The question, to be broken into a chain."""
    return messages(_CHAIN, question)


def clarify(question: str, history: tuple[Turn, ...]) -> tuple[Message, ...]:
    """The question, to be asked back about."""
    return messages(_CLARIFY, question, history)


def next_search(question: str, found: str) -> tuple[Message, ...]:
    """The question and what a first search found, to be searched again."""
    return messages(_NEXT, question, (Turn("assistant", found[:FOUND_CHARS]),))
