"""Questions with everything that goes wrong, and the traces and verdicts to them."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.records.document import Chunk
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question, Turn
from ragbench.records.score import ClaimState, ClaimVerdict, Verdict
from ragbench.records.search import Ranked, RouteList, SearchRequest
from ragbench.records.trace import (
    Answer,
    Citation,
    ContextBlock,
    DroppedChunk,
    Grounding,
    PackedContext,
    Trace,
    TraceStep,
)
from tests.report_fixture.corpus import DOCUMENTS

_TEXTS = {document.doc_id: document.text for document in DOCUMENTS}
HR, FIN, NOTES, FAQ = (document.doc_id for document in DOCUMENTS)
HOSTILE = "<script>alert('x')</script></script><!-- <img src=x onerror=alert(1)> & \u2028 是什么？"
LONG = "为什么" + "这个非常长的问题一直没有结束，而且还在继续," * 120 + "到底为什么？"


def _group(doc_id: str, quote: str, name: str = "fact") -> EvidenceGroup:
    start = _TEXTS[doc_id].index(quote)
    return EvidenceGroup(name, (EvidenceItem(doc_id, start, start + len(quote), quote=quote),))


def _q(id: str, text: str, category: str, language: str, *groups: EvidenceGroup, **more: object) -> Question:
    fields = {"difficulty": "medium", "reference": groups[0].items[0].quote if groups else ""} | more
    return Question(id, text, category, language=language, answerable=bool(groups), groups=groups, **fields)  # type: ignore[arg-type]


def questions(n_filler: int) -> list[Question]:
    """The hand-made ones first, then `n_filler` variations."""
    five, lodging = _group(HR, "年休假为5天"), _group(FIN, "一线城市住宿标准为每晚600元")
    token = _group(NOTES, "rotate it with `nimbus token rotate`")
    made = [
        _q("zh-001", "工作满一年有多少天年假？", "lookup", "zh", five, difficulty="easy"),
        _q("zh-002", "未休年假怎么折算，报销单又要在几天内提交？", "multi_hop", "zh", _group(HR, "按日工资收入的300%折算", "pay"), _group(FIN, "报销单须在出差结束后15个自然日内提交", "days"), difficulty="hard"),
        _q("en-001", "What does error NF-4102 mean and how is it fixed?", "identifier", "en", token),
        _q("mixed-001", "如何重置 API Key，旧 Key 多久失效？", "procedure", "mixed", _group(FAQ, "旧 Key 在24小时后失效")),
        _q("en-002", "How long are audit logs kept on the Enterprise plan?", "comparison", "en", _group(NOTES, "365 days on the Enterprise plan")),
        _q("zh-003", "公司上市时间是哪一年？", "negative", "zh"),
        _q("en-003", "Who is the chief executive?", "negative", "en"),
        _q("zh-follow", "那二线城市呢？", "vague", "zh", _group(FIN, "其他城市为每晚400元"), history=(Turn("user", "一线城市住宿标准是多少？"), Turn("assistant", "每晚600元。")), standalone="二线城市的住宿标准是多少？"),
        _q("hostile-001", HOSTILE, "lookup", "mixed", lodging),
        _q("formula-001", "=cmd|'/C calc'!A0", "lookup", "en", lodging),
        _q("long-001", LONG, "change", "zh", _group(NOTES, "from 30 to 45 seconds")),
        _q("failed-001", "这个问题执行失败了吗？", "lookup", "zh", five),
        _q("noanswer-001", "What is the SLA?", "lookup", "mixed", _group(FAQ, "SLA 为 99.95%")),
        _q("whole-001", "Summarise the travel policy.", "vague", "en", EvidenceGroup("doc", (EvidenceItem(FIN, whole=True),))),
    ]  # fmt: skip
    kinds = [("lookup", "zh", five), ("identifier", "en", token), ("comparison", "mixed", lodging)]
    for number in range(n_filler):
        category, language, group = kinds[number % 3]
        made.append(_q(f"filler-{number:04d}", f"Variation {number}: 年假 or token?", category, language, group))
    return made


def gold_chunks(question: Question, chunks: Sequence[Chunk]) -> list[int]:
    """Numbers of the chunks that overlap the evidence."""
    items = [item for group in question.groups for item in group.items]
    return [
        chunk.number
        for chunk in chunks
        if any(i.doc_id == chunk.doc_id and (i.whole or (chunk.start < i.end and i.start < chunk.end)) for i in items)
    ]


def trace_of(question: Question, chunks: Sequence[Chunk], number: int) -> Trace:
    """Gold stands at rank 3 before reranking and 1 after; every fifth filler and `en-002` never finds it."""
    if question.id == "failed-001":
        return Trace(question.id, error="ConnectError: 127.0.0.1 <refused> after 3 tries")
    gold = gold_chunks(question, chunks)
    others = [chunk.number for chunk in chunks if chunk.number not in gold]
    turned = others[number % len(others) :] + others[: number % len(others)]
    lost = question.id == "en-002" or (question.id.startswith("filler") and number % 5 == 0)
    order = turned[:12] if lost else [*turned[:2], *gold, *turned[2:10]]
    fused = tuple(Ranked(chunk, 1.0 - 0.05 * at, at + 1) for at, chunk in enumerate(order))
    better = sorted(fused, key=lambda item: (item.chunk not in gold, item.rank))
    reranked = tuple(Ranked(item.chunk, 9.0 - at, at + 1, item.rank) for at, item in enumerate(better))
    dense = RouteList("dense", 0, tuple(order[:8]), tuple(0.9 - 0.01 * at for at in range(len(order[:8]))))
    sparse = RouteList("sparse", 0, tuple(reversed(order[:6])), tuple(12.0 - at for at in range(len(order[:6]))))
    text = question.standalone or question.question
    step = TraceStep((SearchRequest(text, tenant=None),), (dense, sparse), fused, reranked)
    context = _context(reranked[:4], chunks)
    timings = {"query": 0.05, "embed": 8.0 + number % 7, "dense": 0.4, "sparse": 0.2, "fuse": 0.1, "rerank": 21.0 + number % 11, "pack": 0.3, "generate": 4.0}  # fmt: skip
    answer = None if question.id == "noanswer-001" else _answer(question, context)
    return Trace(question.id, steps=(step,), context=context, answer=answer, timings_ms=timings)


def _context(ranking: Sequence[Ranked], chunks: Sequence[Chunk]) -> PackedContext:
    """A block a chunk; the last one has no room."""
    *packed, last = ranking
    blocks = []
    for at, item in enumerate(packed):
        chunk = chunks[item.chunk]
        blocks.append(
            ContextBlock(at + 1, chunk.doc_id, chunk.start, chunk.end, (chunk.number,), chunk.text, len(chunk.text))
        )
    dropped = (DroppedChunk(last.chunk, "budget"),)
    return PackedContext(tuple(blocks), sum(block.tokens for block in blocks), 2000, dropped)


def _answer(question: Question, context: PackedContext) -> Answer:
    if question.id == "zh-003":
        return Answer("文档中没有相关信息。", refused=True, reason="low score")
    first, second = context.blocks[0], context.blocks[1]
    own_mark = " [1]" if question.id == "formula-001" else ""
    start = len(first.text) + len(own_mark) + 1
    text = f"{first.text}{own_mark} {second.text}"
    cites = (
        Citation(0, len(first.text), first.citation),
        Citation(start, len(text), None if question.id == "en-001" else 2),
    )
    return Answer(text, citations=cites, confidence=0.8, grounding=_checked(question, first))


def _checked(question: Question, block: ContextBlock) -> Grounding | None:
    """What a check before the answer left found; only `zh-002` and `en-001` were checked, the latter by a version that
    kept no verdicts."""
    told = "公司另付全部<b>差旅</b>费用 and all travel."
    if question.id == "en-001":
        return Grounding(2, (told,), 1.0)
    if question.id != "zh-002":
        return None
    found = ClaimVerdict(told, ClaimState.CONTRADICTED, 0.12, 0, 9, block.citation, block.text[: len(block.text) // 2])
    return Grounding(3, (told,), 1.0, (found,))


def verdict_of(question: Question, trace: Trace) -> Verdict | None:
    """One claim supported by the first half of a block, one not; `mixed-001` could not be judged."""
    if trace.answer is None or trace.answer.refused:
        return None
    if question.id == "mixed-001":
        return Verdict(question.id, "offline-1", error="no sentence could be read")
    assert trace.context is not None
    block = trace.context.blocks[0]
    claims = (
        ClaimVerdict(block.text, ClaimState.SUPPORTED, 0.97, 0, len(block.text), 1, block.text[: len(block.text) // 2]),
        ClaimVerdict("并且公司承担全部费用。", ClaimState.NOT_ENOUGH, 0.21),
    )
    return Verdict(question.id, "offline-1", claims, relevancy=0.7)
