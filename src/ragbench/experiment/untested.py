"""Claims that no experiment file puts to the test, and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Untested:
    """A claim in both languages, and why it is not tested: `part` (what it is about is not built), `elsewhere` (a
    benchmark of ours measures it: `where`), or `file` (nobody has written its file yet)."""

    name: str
    en: str
    zh: str
    why: str
    where: str = ""


UNTESTED = (
    Untested(
        "crag",
        "Grading what was retrieved must come after the reranker.",
        "检索结果评判必须放在重排之后。",
        "part",
    ),
    Untested(
        "refinement",
        "Refining the context saves tokens and loses detail on broad questions.",
        "精炼上下文节省词元，但宽泛问题会丢失细节。",
        "part",
    ),
    Untested(
        "graph",
        "A graph beside vectors helps multi-hop questions only.",
        "图谱加向量只对多跳问题有帮助。",
        "part",
    ),
    Untested(
        "reflect",
        "Reflection on the answer: what it gains and costs.",
        "答案自省：收益与代价。",
        "part",
    ),
    Untested(
        "agentic",
        "From naive to agentic, each rung is worth its price.",
        "从朴素到智能体，每一级都物有所值。",
        "part",
    ),
    Untested(
        "technique_ladder",
        "Value order: rerank > metadata filter > fusion > CRAG > multi-query > refinement.",
        "价值顺序：重排 > 元数据过滤 > 融合 > CRAG > 多查询 > 精炼。",
        "part",
    ),
    Untested(
        "cache",
        "A cache of answers: what it gains and costs.",
        "答案缓存：收益与代价。",
        "part",
    ),
    Untested(
        "prompt",
        "Strict against loose prompts: what each gains and costs.",
        "严格与宽松提示词：收益与代价。",
        "file",
    ),
    Untested(
        "metadata_filter",
        "Filters by metadata: what they gain and cost.",
        "元数据过滤：收益与代价。",
        "part",
    ),
    Untested(
        "dimension",
        "384 to 768 dimensions gain more than 768 to 1536.",
        "384→768 维的收益大于 768→1536 维。",
        "file",
    ),
    Untested(
        "vector_index",
        "Recall, build noise and p95 of exact and approximate indexes.",
        "精确与近似索引的召回、构建波动与 p95。",
        "elsewhere",
        "docs/vector-index.md",
    ),
    Untested(
        "capacity",
        "How build time, memory, p95 and recall grow with the number of chunks.",
        "构建时间、内存、p95 与召回随切块数的增长。",
        "elsewhere",
        "docs/performance.md",
    ),
    Untested(
        "chunk_tuning",
        "Size, knee, overlap at that size, faithfulness check, as one procedure.",
        "先定长度与拐点，再定重叠，最后检查忠实度的一套流程。",
        "file",
    ),
)
