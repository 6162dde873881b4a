"""Greetings, thanks and padding around a question, Chinese and English."""

from __future__ import annotations

import re

from ragbench.query.bounds import is_long

_BLANK = " \t\n\r\f\v\u3000"
_SEPARATOR = r"[\s,，.。!！~～、:：;；…—-]*"
_OPENERS = re.compile(
    r"\s*(?:"
    r"(?:你|您|大家|各位|老师)好(?:[啊呀哈]|(?=[\s,，.。!！~～]))|哈[喽啰罗]|嗨|在吗|早上好|上午好|中午好|下午好|晚上好|早安"
    r"|不好意思|打扰(?:一下|了|您了)?|麻烦(?:问(?:一?下)?|请教一下)|请教一下|请问(?:一?下)?|我?想(?:请?问|咨询|了解)(?:一?下)?"
    r"|问(?:一?下|个问题)(?=[\s,，.。!！:：])"
    r"|(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))(?: there| all| team| everyone| folks| support)?"
    r"(?=[\s,.!:;，。！：；~]|$)"
    r"|(?:just )?(?:a )?quick question(?: for you)?|sorry to bother(?: you)?|excuse me|i was wondering(?: if you know)?"
    r"|(?:could|can|would) (?:you|someone) (?:please )?tell me|please tell me|please(?= )|i(?:'d| would) like to know"
    r")" + _SEPARATOR,
    re.IGNORECASE,
)
_CLOSERS = re.compile(
    r"(?:(?:非常|十分|多)?(?:谢谢|感谢|多谢)(?:你|您|啦|了|各位|大家)*"
    r"|麻烦(?:你|您)?了|辛苦(?:你|您)?了"
    r"|\b(?:many thanks|thanks(?: a lot| so much| in advance)?|thank you(?: very much| so much| in advance)?"
    r"|cheers|please))\Z",
    re.IGNORECASE,
)


_BEFORE_THANKS = _BLANK + ",，.。!！;；~～"
_AFTER_THANKS = _BLANK + ".。!！~～"
_NOTED = re.compile(
    r"好的?[呀啊哒吧嘞]?|行|嗯+|哦+|噢|明白了?|知道了|了解了?|收到|懂了|再见|拜拜|没有?(?:别的)?问题了"
    r"|\b(?:ok(?:ay)?|alright|all right|great|perfect|cool|nice|got it|i see|understood|awesome|good|bye|goodbye"
    r"|thx|ty|that(?:'s| is) all|that helps|that helped|so much|a lot|very much|very helpful)\b",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(?:非常|十分|多|太)?(?:谢谢|感谢|多谢)(?:你|您|啦|了|各位|大家)*|辛苦了?|\b(?:many )?thank(?:s| you)\b", re.I
)


def only_thanks(text: str) -> bool:
    """Whether a turn thanks or takes note and says nothing else (谢谢, 好的, Thanks!, Got it, thank you): there is
    nothing to search in it. A blank one does not."""
    if is_long(text) or not any(char.isalnum() for char in text):
        return False
    left = _NOTED.sub(" ", _THANKS.sub(" ", text))
    return not any(char.isalnum() for char in left)


def without_greeting(text: str) -> str:
    """The text without greetings and padding before it and thanks behind it; as it is where there are none, where
    nothing else is there, or where it is too long for a question."""
    if is_long(text):
        return text
    left = text
    while (match := _OPENERS.match(left)) and match.end():
        left = left[match.end() :]
    while match := _CLOSERS.search(left.rstrip(_AFTER_THANKS)):
        left = left[: match.start()].rstrip(_BEFORE_THANKS)
    left = left.strip()
    return left if left != text.strip() and any(char.isalnum() for char in left) else text
