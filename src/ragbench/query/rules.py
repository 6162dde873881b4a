"""The first tier of query classification: signal words, Chinese and English."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from ragbench.core.stage import Stage
from ragbench.errors import ConfigError
from ragbench.records.trace import QueryView
from ragbench.text.language import han_share
from ragbench.text.terms import identifiers

_COMPARISON = re.compile(
    r"区别|差别|差异|不同之处|对比|比较|相比|比起|哪个(?:更|比较)|哪种(?:更|比较)|谁更|还是.{1,12}(?:好|快|贵|便宜|划算|多|长|高)|和.{1,20}(?:一样|不一样|有(?:啥|什么|何)不同)|分别是?(?:多|几|怎)"
    r"|\bvs\.?\b|\bversus\b|\bcompar(?:e|ed|ison)|\bdiffer(?:s|ent|ence|ences)?\b|\bbetter\b|\bworse\b|\brather than\b"
    r"|\b(?:more|less|faster|slower|cheaper|longer|shorter|bigger|larger|smaller|higher|lower|quicker|earlier|later)\b.{0,60}\b(?:than|or)\b"
    r"|\bwhich (?:one )?(?:of the two|is (?:more|less|faster|cheaper))|\bsame as\b|\bas (?:much|many|long) as\b",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"另外|还有就是|顺便|以及.{0,20}(?:吗|呢|多少|几|什么|怎么|谁)|\balso\b.{0,40}\?"
    r"|\band (?:what|how|who|when|where|which|why|is|are|does|do|can|will)\b",
    re.IGNORECASE,
)
_CHAIN = re.compile(
    r"(?:步骤|流程|阶段|依次|之后(?:再|又)|然后(?:再|又|呢)?|接着|如果.{2,40}(?:那|还|再)|的(?:负责人|上级|主管|审批人).{0,12}(?:是谁|多少|几))"
    r"|\bafter (?:that|which)\b|\band then\b|\bsteps?\b|\bthe (?:\w+ ){1,3}(?:that|which|who|whose)\b.{3,}\?",
    re.IGNORECASE,
)
_POINTER_ZH = re.compile(r"那个|这个|那玩意|这玩意|东西|那边|这种|那种|啥情况|咋整|咋弄|那事|这事")
_POINTER_EN = re.compile(r"\b(?:that thing|this thing|the thing|thingy|stuff|something|it|that|this)\b", re.IGNORECASE)
_OPEN = re.compile(
    r"为什么|为何|为啥|怎么|怎样|如何|咋|\bwhy\b|\bhow (?!many|much|long|often|far|big|old|large|soon|late)\w*",
    re.IGNORECASE,
)
_MARK = re.compile(r"[?？]")
_NAMED = re.compile(r"[「『《“\"`]|\d|(?<=[a-z,] )[A-Z][A-Za-z]+")
_ZH_TOPIC = re.compile(r"[\u4e00-\u9fff]")
_FILLER = re.compile(
    r"请问|你好|我想|想问|一下|什么|怎么|多少|哪里|哪个|那个|这个|东西|可以|能不能|是不是|有没有|[吗呢吧啊呀的了么啥咋我你他]"
)


@dataclass(frozen=True, kw_only=True)
class RuleClassifier(Stage):
    """Complexity by signal words; the first rule that fires decides, in this order:

    1. comparison (区别, 对比, 哪个更, vs, compared, better … than), 2. decomposable (two or more question marks; a
    second question hung on by `and how …`, 另外), 3. ambiguous (a pointer such as 那个, 东西, it, that with nothing
    named and no history), 4. multi_hop (流程, 步骤, 然后, and then, `the … that …`), 5. simple_lookup (short,
    something concrete, no why or how). When none fires it abstains: class None, confidence None. Complex classes
    come first because taking a complex question for a simple one costs more. `short` is a simple question's greatest
    length: Han characters, or Latin words by 1.6.
    """

    VERSION: ClassVar[int] = 1
    TIER: ClassVar[str] = "rules"

    short: int

    def __post_init__(self) -> None:
        if not isinstance(self.short, int) or isinstance(self.short, bool) or self.short < 1:
            raise ConfigError("query.classifier.short", expected="a whole number of at least 1", found=repr(self.short))

    def classify(self, text: str, follow_up: bool = False) -> QueryView:
        """The class of a question; `follow_up` says that earlier turns exist, which a pointer may refer to."""
        for name, fires in (
            ("comparison", self._comparison),
            ("decomposable", self._decomposable),
            ("ambiguous", self._ambiguous),
            ("multi_hop", self._multi_hop),
            ("simple_lookup", self._simple),
        ):
            if fires(text, follow_up):
                return QueryView(name, self.TIER, CONFIDENCE[name])
        return QueryView(None, "abstained", None)

    def _comparison(self, text: str, follow_up: bool) -> bool:
        return bool(_COMPARISON.search(text))

    def _decomposable(self, text: str, follow_up: bool) -> bool:
        return len(_MARK.findall(text)) >= 2 or bool(_PARTS.search(text))

    def _ambiguous(self, text: str, follow_up: bool) -> bool:
        if follow_up or self._names_something(text):
            return False
        chinese = han_share(text) >= 0.3
        pointer = _POINTER_ZH if chinese else _POINTER_EN
        return bool(pointer.search(text)) and self._size(text) <= self.short

    def _multi_hop(self, text: str, follow_up: bool) -> bool:
        return bool(_CHAIN.search(text))

    def _simple(self, text: str, follow_up: bool) -> bool:
        concrete = (
            self._names_something(text) or len(_ZH_TOPIC.findall(_FILLER.sub("", text))) >= 2 or han_share(text) == 0
        )
        return self._size(text) <= self.short and concrete and not _OPEN.search(text)

    def _names_something(self, text: str) -> bool:
        return bool(identifiers(text) or _NAMED.search(text))

    def _size(self, text: str) -> float:
        return len(_ZH_TOPIC.findall(text)) + 1.6 * len(re.findall(r"[A-Za-z]+", text))


CONFIDENCE = {"comparison": 0.8, "decomposable": 0.6, "ambiguous": 0.6, "multi_hop": 0.5, "simple_lookup": 0.7}
"""Share of a rule's decisions that were right on the development questions of the shipped eval sets."""
