"""The first tier of query classification: signal words, Chinese and English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.query.bounds import is_long
from ragbench.query.classifier import Classifier, Understood
from ragbench.records.question import Turn
from ragbench.text.terms import identifiers

_COMPARISON = re.compile(
    r"区别|差别|差异|不同之处|对比|比较|相比|比起|差多少|差几"
    r"|哪(?:个|种|边|家)(?:更|比较|[^，。？]{0,6}[多少高低长短快慢宽松严贵])|谁更|各(?:是|要|有|能)|不一样"
    r"|(?:跟|和|与|比)(?:现在|以前|之前|原来|过去|老|旧|去年|前年|上一版).{0,12}比?"
    r"|有(?:啥|什么|何)不同|(?:原来|以前|从前|过去|老版|旧版).{2,30}现在|听说[^，。]{0,60}[涨降变改]"
    r"|还是.{1,12}(?:好|快|贵|便宜|划算)|(?P<ask>多久|多少|几[天次个]|谁).{1,14}[、，,].{1,14}(?P=ask)"
    r"|\bvs\.?\b|\bversus\b|\bcompar(?:e|ed)\b|\bdiffer(?:s|ent|ence|ences)?\b"
    r"|\bsame as\b|\bas (?:much|many|long) as\b|\bagainst (?:ours|the)\b"
    r"|\b(?:more|less|better|worse|faster|slower|cheaper|longer|shorter|bigger|smaller|higher|lower|earlier|later)\b.{1,40}\bor\b"
    r"|\bwhich (?:one|of the two)\b|\bused to\b.{0,80}\bnow\b"
    r"|\b(?:old|previous|former|before)\b.{2,90}\b(?:new|newer|present|current|now)\b",
    re.IGNORECASE,
)
_VERSION = re.compile(r"(?<![\d.])\d{1,2}\.\d{1,2}(?![\d.%])")
_PART = re.compile(
    r"[，、；,]\s*[^，、；,?？]{0,16}(?:谁|多少|多久|几[天次个号点月]|哪[个种里边一]|怎么|什么|咋|[吗呢])"
    r"|(?:,|\band\b)\s*(?:by |at |for )?(?:what|how|who|when|where|which|why)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"谁|多少|多久|几[天次个号点月步]|哪[个种里边一步]|怎么|什么|咋|[吗呢]|\b(?:what|how|who|when|where|which|why)\b",
    re.IGNORECASE,
)
_LIST = re.compile(r"另外|分别|顺便|还有就是|\balso\b|\brespectively\b", re.IGNORECASE)
_CHAIN = re.compile(
    r"要是|如果|以后|之后|然后|接着|后来|的(?:负责人|上级|主管|审批人)"
    r"|\bif\b|\bafter\b|\bthen\b|\b(?:behind|from|of) (?:that|it)\b|\bwhose\b|[.!]\s+\S",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"(?:那个|这个|那玩意|这玩意|那东西|这东西|那事|这事|那边)儿?(?=[，。？?！\s]|怎么|咋|是|能|还|要|多|在|有|坏|不|没|出|用|什么|啥|$)"
    r"|[这那][个些种]?(?:东西|玩意)|(?<!其)它|啥情况|咋整|咋弄"
    r"|\b(?:that|this|the) thing\b|\bthingy\b"
    r"|\b(?:it|that|this)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"为什么|为何|为啥|怎么|怎样|如何|咋"
    r"|步骤|流程|阶段|环节|\b(?:steps?|stages?|phases?|procedures?|workflows?)\b"
    r"|\bwhy\b|\bhow (?!many|much|long|often|far|big|old|large|soon|late|fast|quickly)\w*",
    re.IGNORECASE,
)
_MARK = re.compile(r"[?？]")
_NAMED = re.compile(r"[「『《“\"`]|\d|(?<=[a-z,] )[A-Z][A-Za-z]+")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]+")
_FILLER = re.compile(
    r"请问|你好|我想|想问|一下|什么|怎么|多少|哪里|哪个|那个|这个|东西|有问题|出问题|坏了|不行|不对|可以|能不能|是不是|有没有|情况|[吗呢吧啊呀的了么啥咋我你他要是能还在]"
    r"|\b(?:it|that|this|thing|the|a|an|is|are|was|do|does|did|to|of|for|on|in|i|we|you|my|our|can|how|what|why"
    r"|when|where|who|which|much|many|long|work|please)\b",
    re.IGNORECASE,
)
_FEW_WORDS = 3


@dataclass(frozen=True, kw_only=True)
class RuleClassifier(Classifier):
    """Complexity by signal words; the first rule that fires decides, in this order:

    1. `comparison`: 区别, 哪个更, 各是, 跟以前比, vs, which one, used to … now, the same question of two sides, two
       versions;
    2. `multi_hop`: asks for several things (two question marks, `…, and which …`, 谁…多少) of a situation (如果,
       以后, if, after, a statement before the question);
    3. `decomposable`: two question marks or 另外, 分别, also, without one;
    4. `ambiguous`: a bare pointer (那个, 这玩意, it, that) with nothing named, hardly another word and no earlier turn;
       or no word of content at all (啥, 这个东西, how much);
    5. `simple_lookup`: short, one question, no why or how, no steps or stages (步骤, 流程, 阶段).

    When none fires it abstains: class None, confidence None. So it does of a text without letters and digits
    (`??`) and of one that is too long for a question (`bounds.LONGEST`). Complex classes come first because taking a
    complex question for a simple one costs more. `short` is a simple question's greatest length: Han characters plus
    Latin words at 1.6.
    """

    VERSION: ClassVar[int] = 2
    TIER: ClassVar[str] = "rules"

    short: int

    def __post_init__(self) -> None:
        if not isinstance(self.short, int) or isinstance(self.short, bool) or self.short < 1:
            raise ConfigError("classifier.short", expected="a whole number of at least 1", found=repr(self.short))

    @contextmanager
    def open(self, tools: Tools) -> Iterator[RuleClassifier]:
        """Needs nothing."""
        yield self

    def classify(self, text: str, history: tuple[Turn, ...] = ()) -> Understood:
        """The class of a question; a pointer may refer to the turns before it."""
        if is_long(text) or not any(char.isalnum() for char in text):
            return Understood()
        follow_up = bool(history)
        for name, fires in (
            ("comparison", self._comparison),
            ("multi_hop", self._multi_hop),
            ("decomposable", self._decomposable),
            ("ambiguous", self._ambiguous),
            ("simple_lookup", self._simple),
        ):
            if fires(text, follow_up):
                return Understood(name, self.TIER, CONFIDENCE[name])
        return Understood()

    def _comparison(self, text: str, follow_up: bool) -> bool:
        return bool(_COMPARISON.search(text)) or len(set(_VERSION.findall(text))) >= 2

    def _multi_hop(self, text: str, follow_up: bool) -> bool:
        several = len(_ASKS.findall(text)) >= 2 and bool(_PART.search(text))
        return (several or len(_MARK.findall(text)) >= 2) and bool(_CHAIN.search(text))

    def _decomposable(self, text: str, follow_up: bool) -> bool:
        return len(_MARK.findall(text)) >= 2 or (bool(_LIST.search(text)) and len(_ASKS.findall(text)) >= 2)

    def _ambiguous(self, text: str, follow_up: bool) -> bool:
        if follow_up or identifiers(text) or _NAMED.search(text):
            return False
        left = self._size(_FILLER.sub("", text))
        return left == 0 < self._size(text) or (bool(_POINTER.search(text)) and left <= _FEW_WORDS)

    def _simple(self, text: str, follow_up: bool) -> bool:
        return 0 < self._size(text) <= self.short and not _OPEN.search(text)

    def _size(self, text: str) -> float:
        return len(_HAN.findall(text)) + 1.6 * len(_LATIN.findall(text))


CONFIDENCE = {"comparison": 0.82, "multi_hop": 0.6, "decomposable": 0.5, "ambiguous": 0.5, "simple_lookup": 0.8}
"""Share of a rule's decisions that were right on the 134 development questions of the shipped eval sets
(`python benchmarks/query_classes.py shipped` prints it); 0.5 where it decided too few to tell (decomposable,
ambiguous)."""
