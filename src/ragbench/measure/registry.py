"""Every measure there is, with its one-line definition."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import cache, partial

from ragbench.errors import ConfigError
from ragbench.measure.answer import citation, correctness, judged, refusal
from ragbench.measure.base import Measure, Outcome, Population, Reach
from ragbench.measure.chunks import boundary, evidence, metadata, size, token_iou
from ragbench.measure.cost import latency, length
from ragbench.measure.family import UNBOUNDED, Family
from ragbench.measure.name import MeasureName
from ragbench.measure.query import classification, complexity
from ragbench.measure.ranked import RANKS, families, fused, reranked, route_families


def _chunks() -> list[Family]:
    gold = partial(Family, population=Population.EVIDENCE)
    whole = partial(Family, subject="variant", bounds=UNBOUNDED, worst=None)
    words = {
        "iou": "retrieved text ∩ evidence ÷ retrieved text ∪ evidence at k, in characters",
        "precision": "characters retrieved at k that are evidence ÷ characters retrieved",
        "recall": "characters of evidence retrieved at k ÷ characters of evidence",
    }
    return [
        gold("chunks/evidence_intact", "evidence groups whole inside one chunk ÷ all groups", evidence.evidence_intact),
        gold(
            "chunks/evidence_reachable",
            "evidence groups all chunks together cover ÷ all groups",
            evidence.evidence_reachable,
        ),
        *(
            gold(
                f"chunks/token_{part}",
                words[part],
                partial(token_iou.token_overlap, part=part),
                RANKS,
                reach=Reach.RERANKED,
            )
            for part in token_iou.PARTS
        ),
        Family(
            "chunks/boundary_quality",
            "chunk starts and ends at a sentence or structure border ÷ all starts and ends",
            boundary.boundary_quality,
            subject="document",
        ),
        Family(
            "chunks/metadata_correct",
            "chunks with true offsets and the document's heading trail ÷ chunks",
            metadata.metadata_correct,
            subject="document",
        ),
        whole("chunks/size_mean", "mean characters a chunk", size.size_mean),
        whole("chunks/size_p50", "median of characters a chunk", partial(size.size_quantile, q=0.5)),
        whole("chunks/size_p95", "95th percentile of characters a chunk", partial(size.size_quantile, q=0.95)),
        whole("chunks/n_chunks", "number of chunks", size.n_chunks),
        whole(
            "chunks/index_overhead",
            "characters indexed ÷ characters of the documents",
            size.index_overhead,
            higher_is_better=False,
        ),
    ]


def _query() -> list[Family]:
    return [
        Family(
            "query/complexity_accuracy",
            "1 when the predicted class is the row's; an abstention counts 0",
            complexity.complexity_accuracy,
            population=Population.COMPLEXITY,
            reach=Reach.QUERY,
        ),
        Family(
            "query/abstained",
            "1 when every tier of query understanding abstained",
            complexity.abstained,
            reach=Reach.QUERY,
            higher_is_better=False,
            worst=1.0,
        ),
        Family(
            "query/complexity_macro_f1",
            "mean over the classes of the F1 of the predicted class",
            classification.complexity_macro_f1,
            subject="variant",
        ),
    ]


def _answer() -> list[Family]:
    def family(name: str, definition: str, function: Callable[..., Outcome], population: Population) -> Family:
        return Family(f"answer/{name}", definition, function, population=population, reach=Reach.ANSWER)

    def judge(name: str, definition: str, function: Callable[..., Outcome], population: Population) -> Family:
        return Family(f"answer/{name}", definition, function, population=population, reach=Reach.ANSWER, judged=True)

    def loss(name: str, definition: str, function: Callable[..., Outcome], population: Population) -> Family:
        return Family(
            f"answer/{name}",
            definition,
            function,
            population=population,
            reach=Reach.ANSWER,
            higher_is_better=False,
            worst=1.0,
        )

    ref, gold = Population.REFERENCE, Population.EVIDENCE
    yes, no, every = Population.ANSWERABLE, Population.UNANSWERABLE, Population.ALL
    return [
        judge("faithfulness", "claims of the answer the context supports ÷ claims", judged.faithfulness, every),
        judge(
            "relevancy", "how well the answer addresses the question, as the judge defines it", judged.relevancy, every
        ),
        judge(
            "completeness",
            "claims of the reference the answer states ÷ claims of the reference",
            judged.completeness,
            ref,
        ),
        judge(
            "context_recall",
            "claims of the reference the context supports ÷ claims of the reference",
            judged.context_recall,
            ref,
        ),
        family(
            "correctness_f1",
            "F1 with the reference: Chinese by character, English by word",
            correctness.correctness_f1,
            ref,
        ),
        family(
            "exact_match",
            "1 when answer and reference are equal but for case, width and punctuation",
            correctness.exact_match,
            ref,
        ),
        family(
            "refusal_accuracy",
            "1 when the question is answered exactly if it is answerable",
            refusal.refusal_accuracy,
            every,
        ),
        loss("false_answer", "1 when an unanswerable question is answered", refusal.false_answer, no),
        loss("false_refusal", "1 when an answerable question is refused", refusal.false_refusal, yes),
        family("answered", "1 when an answerable question is answered, rightly or not", refusal.answered, yes),
        family(
            "citation_precision", "citations that point at gold evidence ÷ citations", citation.citation_precision, gold
        ),
        family(
            "citation_recall", "evidence groups the cited text satisfies ÷ all groups", citation.citation_recall, gold
        ),
        Family(
            "answer/evidence_in_context",
            "evidence groups the packed context satisfies ÷ all groups",
            citation.evidence_in_context,
            population=gold,
            reach=Reach.CONTEXT,
        ),
    ]


def _cost() -> list[Family]:
    cost = partial(Family, bounds=UNBOUNDED, worst=None, higher_is_better=False)
    return [
        *(
            cost(f"cost/{stage}_ms", f"milliseconds of the stage {stage}", partial(latency.stage_ms, stage=stage))
            for stage in latency.STAGES
        ),
        cost("cost/total_ms", "milliseconds of all stages", latency.total_ms),
        cost("cost/context_tokens", "tokens of the packed context", length.context_tokens),
        cost("cost/answer_chars", "characters of the answer", length.answer_chars),
    ]


@cache
def registry() -> dict[str, Family]:
    """All families by `layer/measure`, in the order of the layers."""
    every = [
        *_chunks(),
        *_query(),
        *families("retrieval", fused, Reach.FUSED),
        *route_families(),
        *families("ranking", reranked, Reach.RERANKED),
        *_answer(),
        *_cost(),
    ]
    return {family.name: family for family in every}


def measure(text: str) -> Measure:
    """The measure of a name such as `retrieval/recall@5`; raises ConfigError with the nearest names for an unknown
    one."""
    name = MeasureName.parse(text)
    key = str(MeasureName(name.layer, name.measure))
    family = registry().get(key)
    if family is None:
        near = get_close_matches(key, registry(), n=3, cutoff=0.5)
        raise ConfigError(
            f"measure {text!r}",
            expected="a measure of docs/measures.md",
            hint=f"Did you mean {', '.join(registry()[one].spelling for one in near)}?" if near else "",
        )
    return family.at(name.k)


def measures(names: Iterable[str]) -> list[Measure]:
    """Measures by name, in the given order, each once."""
    return [measure(name) for name in dict.fromkeys(names)]
