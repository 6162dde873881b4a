"""How a text words what it says: its sentences in one form, its parties, what takes it back."""

from __future__ import annotations

import re
import unicodedata

from ragbench.text.normal import comparison_form
from ragbench.text.opposites import opposes
from ragbench.text.sentences import sentences
from ragbench.text.simplified import simplified

_BREAKS = re.compile(r"[,;:()\[\]{}…]+|(?<=\s)-+(?=\s)|--+")
_BY_HAN = re.compile(r"(?<=[\u2e80-\u9fff\uff00-\uffef]) | (?=[\u2e80-\u9fff\uff00-\uffef])")
_REVOKED = re.compile(
    r"(?<![a-z])(?:obsolete|supersed\w+|repeal\w*|revok\w+|revocation|rescind\w*|rescission|annul\w*|withdr[ae]w\w*|deprecat\w+"
    r"|void(?:ed)?|invalid\w*|expire[sd]?|expiry|lapsed?|out(?:dated|moded)|out of date|replace[sd]?|replacement"
    r"|cancel\w*|retired|abolish\w*|abrogat\w+|discontinu\w+|terminat\w+|no longer|never again|any more|anymore"
    r"|formerly|previously|used to|until|historical\w*|legacy|archived?|wrong\w*|false\w*|incorrect\w*|untrue"
    r"|mistake\w*|myth|drafts?|propos\w+|hypothetical\w*|suppos\w+|pretend|imagine|instead|ignore|disregard"
    r"|contrary|opposite|correct(?:ed|ion)|errat(?:a|um)|overr(?:ide\w*|ode|idden)|amend\w*|if)(?![a-z])"
    r"|废止|废除|废弃|作废|失效|撤销|撤消|撤回|取消|终止|中止|停用|停止|停售|不再|届满|过期|过时|到期|取代|代替|替代|替换"
    r"|更正|勘误|修正|修订|错误|有误|不实|误区|谣言|误导|相反|草案|草稿|征求意见|拟议|旧版|旧规|旧制|原先|原来|从前|以往|历史"
    r"|曾经|存档|归档|忽略|假设|假如|假定|如果|若|直至|为止|改为|改用|已由|不作数|不算数|不适用"
)
_PARTIES = re.compile(
    r"[甲乙丙丁戊](?=方|公司|部门|组|$|[向对给由为将把与和及])|买方|卖方|买受人|出卖人|出租人|承租人|出借人|借款人|贷款人|委托人"
    r"|受托人|用人单位|劳动者|发包人|承包人|供方|需方"
    r"|(?<![a-z])(?:buyer|seller|landlord|tenant|lessor|lessee|lender|borrower|employer|employee|licensor|licensee"
    r"|sender|receiver|customer|supplier|vendor)s?(?![a-z])"
)
_MORE_OPPOSITES = tuple(
    (pair.split("=")[0], pair.split("=")[1])
    for pair in """
    提前=延后 提前=延迟 提前=推后 提前=顺延 提早=推迟 预先=事后 事前=事后 事先=事后 先行=后补 上调=下调 上涨=下跌
    流入=流出 借入=借出 买入=卖出 买方=卖方 加入=退出 进入=离开 登录=注销 上线=下线 升级=降级 安装=卸载 加密=解密
    授权=撤权 批准=驳回 通过=驳回 有偿=无偿 有薪=无薪 带薪=无薪 带薪=停薪 可选=必填 强制=自愿 升序=降序 顺时针=逆时针
    左=右 东=西 南=北 昼=夜 ahead=afterwards ahead=after ahead=behind beforehand=afterwards before=afterwards
    prior=after prior=subsequent advance=arrears paid=unpaid upstream=downstream upload=download push=pull
    import=export encrypt=decrypt lock=unlock ascending=descending mandatory=optional required=optional join=leave
    upgrade=downgrade install=uninstall approve=deny approved=denied approved=rejected buy=sell bought=sold
    left=right inbound=outbound incoming=outgoing add=remove added=removed grant=deny granted=denied online=offline
    active=inactive raise=lower up=down
    """.split()  # noqa: SIM905 - pairs are read more easily than a list of quotes
)


def sentence_forms(text: str) -> tuple[str, ...]:
    """The sentences of a text in order, each in the form in which it is compared.

    Width, case, blanks, quotes, emphasis and the stop at the end are folded; every word, particle and symbol stays in
    its place. A comma, colon, dash or bracket is a break, of whatever kind (`不，可以` is not `不可以`), and a question
    stays a question.
    """
    return tuple(filter(None, (_form(text[one.start : one.end]) for one in sentences(text))))


def _form(sentence: str) -> str:
    marked = _BREAKS.sub("\ue000", comparison_form(sentence))
    kept = "".join(
        char if char in "?\ue000" or not unicodedata.category(char).startswith("P") else " " for char in marked
    )
    parts = (_BY_HAN.sub("", " ".join(part.split())) for part in kept.split("\ue000"))
    return ",".join(filter(None, parts))


def revocations(form: str) -> tuple[str, ...]:
    """Words of a text in comparison form that take back, date or suspend what stands beside them, in order."""
    return tuple(_REVOKED.findall(simplified(form)))


def parties(form: str) -> tuple[str, ...]:
    """The parties that a text in comparison form names by their part, in order (甲, 出租人, lender)."""
    return tuple(_PARTIES.findall(simplified(form)))


def turned(one: str, other: str) -> bool:
    """Whether two texts in comparison form stand on the two sides of a pair of opposites."""
    return any(opposes(*pair) or opposes(*pair, _MORE_OPPOSITES) for pair in ((one, other), (other, one)))
