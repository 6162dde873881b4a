"""A question in other words, by rules: keywords, plain wording, a heading, a statement, without its specifics."""

from __future__ import annotations

import re

from ragbench.query.bounds import is_long
from ragbench.text.han_words import han_words
from ragbench.text.language import answers_in_chinese
from ragbench.text.scripts import bracketed_terms, chinese_part, latin_part
from ragbench.text.terms import STOP_WORDS, is_function_word

_ASK_ZH = re.compile(
    r"请问|到底|究竟|一下|是不是|能不能|可不可以|有没有|要不要|会不会|是否|为什么|为何|为啥|怎么样|怎么办|怎么弄|怎么|怎样"
    r"|如何|咋整|咋弄|咋办|咋"
    r"|多少钱|多少|多久|多长时间|几[天次个号点月]|什么时候|什么|啥|哪[个种些里儿边家]|谁|[吗呢吧啊呀嘛么]|[？?]"
)
_WORD = re.compile(r"[A-Za-z0-9]+(?:[_./'’+#&-]+[A-Za-z0-9]+)*[+#]*")
_PIECE = re.compile(rf"[\u3400-\u9fff]+|{_WORD.pattern}")
_PLAIN_ZH = (
    ("怎么弄", "如何办理"),
    ("咋弄", "如何办理"),
    ("咋整", "如何处理"),
    ("怎么办", "如何处理"),
    ("咋", "如何"),
    ("怎么", "如何"),
    ("为啥", "为什么"),
    ("啥", "什么"),
    ("多少钱", "金额标准"),
    ("哪边", "哪一方"),
    ("能不能", "是否可以"),
    ("可不可以", "是否可以"),
    ("要不要", "是否需要"),
    ("是不是", "是否"),
    ("有没有", "是否有"),
    ("歇", "休假"),
    ("掉了", "遗失"),
    ("丢了", "遗失"),
    ("坏了", "发生故障"),
    ("坏", "故障"),
    ("请客", "招待"),
    ("住店", "住宿"),
    ("在家干活", "居家办公"),
    ("在家上班", "居家办公"),
    ("干活", "工作"),
    ("拿多少", "标准是多少"),
    ("钱", "费用"),
    ("走了", "离职"),
    ("拉货", "送货"),
    ("信箱", "邮箱"),
    ("老规定", "旧版规定"),
)
_PLAIN_EN = (
    (r"how do (?:i|we|you)", "procedure to"),
    (r"how (?:can|could|should) (?:i|we)", "procedure to"),
    (r"what happens (?:if|when)", "consequences when"),
    (r"how long", "duration"),
    (r"how many", "number of"),
    (r"how much", "amount of"),
    (r"how often", "frequency of"),
    (r"(?:may|can) (?:i|we)", "is it allowed to"),
    (r"box", "appliance"),
    (r"machines?", "servers"),
    (r"broken|dead|burnt out", "failed"),
    (r"get back", "restore"),
    (r"turn(?:ed)? down", "rejected"),
    (r"sign in", "log in"),
    (r"throw away|threw away", "deleted"),
    (r"pay for", "subscribe to"),
    (r"kick(?:s|ed)? out|get(?:s)? kicked", "disconnected"),
    (r"bill", "invoice"),
    (r"old one", "previous version"),
)
_WH = re.compile(
    r"^(?:by |at |for |in |on |from |to )?(?:what|which|who|whom|when|where|why"
    r"|how(?: (?:many|much|long|often|far|big|soon|fast|quickly))?)(?:['’]s)?"
    r"(?: (?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have))?"
    r"(?: (?:i|we|you|it|they|the|a|an|our|my))?\s+",
    re.IGNORECASE,
)
_AUX = re.compile(
    r"^(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have)"
    r"(?: (?:i|we|you|it|they|there|the|a|an|our|my))?\s+",
    re.IGNORECASE,
)
_HEADS_ZH = (
    ("为什么|为何|为啥", "原因"),
    ("怎么|怎样|如何|咋|步骤|流程|手续", "办理流程"),
    ("多久|多长时间|什么时候|几号|几点|几月", "时限"),
    ("多少钱|多少|几", "标准"),
    ("谁", "负责人"),
    ("哪", "范围"),
    ("吗|能不能|可不可以|是否|是不是", "规定"),
)
_HEADS_EN = (
    ("why", "Reason"),
    (r"how (?:do|can|could|should|to)\b", "Procedure"),
    (r"how (?:long|soon|quickly)|when", "Time limit"),
    (r"how (?:many|much|big|far|often)", "Limit"),
    ("who", "Responsible"),
    ("where", "Location"),
)
_OPEN_ZH = (
    (r"多少钱", "一定金额"),
    (r"多久|多长时间", "一定时间"),
    (r"什么时候|几[号点]|几月", "规定时间"),
    (r"多少|几(?=[天次个条台份年周])", "若干"),
    (r"为什么|为何|为啥", "因有关原因"),
    (r"怎么样|怎么办|怎么弄|怎么|怎样|如何|咋[整弄办]?", "按规定"),
    (r"谁", "负责人"),
    (r"哪(?=[个种些里边家])", "相应"),
    (r"什么|啥", "相关内容"),
    (r"请问|[吗呢吧啊嘛么]?[？?]|[吗呢]$", ""),
)
_OPEN_EN = (
    (r"how (?:long|soon|quickly)", " for a set time"),
    (r"how (?:many|much|often|far|big)", " up to a set number"),
    (r"\bhow\b", " in the following steps"),
    (r"\bwhen\b", " at a set time"),
    (r"\bwhere\b", " at a set place"),
    (r"\bwhy\b", " for the following reason"),
    (r"\bwho", " by the person responsible"),
    (r"", " is as follows"),
)
_TRIM = " \t\n,，.。;；:：、?？!！"


def variants(text: str) -> list[str]:
    """The question in other words, most useful first, none equal to it: plain wording, keywords, a heading, and of a
    mixed one its Chinese and Latin part and its bracketed terms. Empty where nothing is left to say, or the text is
    too long for a question (`bounds.LONGEST`)."""
    if is_long(text):
        return []
    found = [plain(text), keywords(text), heading(text), chinese_part(text), latin_part(text)]
    found.append(" ".join(bracketed_terms(text)))
    return [one for one in dict.fromkeys(found) if one and one != text]


def keywords(text: str) -> str:
    """The words of content in their order, without question words and function words; empty where it is too long."""
    if is_long(text):
        return ""
    if answers_in_chinese(text):
        found: list[str] = []
        for piece in _PIECE.findall(_ASK_ZH.sub(" ", text)):
            found += _content_zh(piece) if piece[0] >= "\u3400" else [piece]
        return " ".join(found)
    return " ".join(word for word in _WORD.findall(text) if word.casefold() not in STOP_WORDS)


def _content_zh(run: str) -> list[str]:
    """Words of content of a run of Han characters; single ones that stand together, which no dictionary knows, are
    one, and one alone is none."""
    found, singles = [], ""
    for word in [*han_words(run), ""]:
        if len(word) == 1 and not is_function_word(word):
            singles += word
            continue
        if len(singles) > 1:
            found.append(singles)
        singles = ""
        if len(word) > 1 and not is_function_word(word):
            found.append(word)
    return found


def plain(text: str) -> str:
    """Everyday wording as documents would put it; the text as it is where no rule applies, or it is too long."""
    if is_long(text):
        return text
    if answers_in_chinese(text):
        for everyday, formal in _PLAIN_ZH:
            text = text.replace(everyday, formal)
        return text
    for pattern, formal in _PLAIN_EN:
        text = re.sub(rf"\b(?:{pattern})\b", formal, text, flags=re.IGNORECASE)
    return text


def heading(text: str) -> str:
    """The topic with what is asked of it, as a heading would name both; empty where there is no topic, or it is too
    long."""
    chinese = answers_in_chinese(text)
    topic = "" if is_long(text) else _bare(text)
    if not any(char.isalnum() for char in topic):
        return ""
    for pattern, word in _HEADS_ZH if chinese else _HEADS_EN:
        if re.search(pattern, text, re.IGNORECASE):
            return f"{topic}的{word}" if chinese else f"{word}: {topic}"
    return f"{topic}的规定" if chinese else topic


def statement(text: str) -> str:
    """The question as an answer would put it, with what is asked left open (年假有若干天, The trial runs …);
    empty where it has no topic, or is too long."""
    if is_long(text) or not any(char.isalnum() for char in _bare(text)):
        return ""
    if answers_in_chinese(text):
        for pattern, left_open in _OPEN_ZH:
            text = re.sub(pattern, left_open, text)
        return text.strip(_TRIM) + "。"
    text = text.strip().rstrip("?!. ")
    asks = _WH.match(text)
    rest = text[asks.end() :] if asks else _AUX.sub("", text, count=1)
    lead = asks[0] if asks else ""
    left = next((words for pattern, words in _OPEN_EN if lead and re.search(pattern, lead, re.IGNORECASE)), "")
    return f"{rest[:1].upper()}{rest[1:]}{left}."


def _bare(text: str) -> str:
    """The text without what asks."""
    if answers_in_chinese(text):
        return " ".join(_ASK_ZH.sub("", text).split()).strip(_TRIM)
    text = text.strip().rstrip("?!. ")
    left = _WH.sub("", text, count=1)
    return (_AUX.sub("", text, count=1) if left == text else left).strip(_TRIM)
