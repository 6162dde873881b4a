"""Every measure there is, with its one-line definition."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache, partial

from ragbench.errors import ConfigError
from ragbench.measure.answer import context
from ragbench.measure.answer.families import families as answer_families
from ragbench.measure.base import Measure, Population, Reach
from ragbench.measure.chunks.families import families as chunk_families
from ragbench.measure.cost import latency, length
from ragbench.measure.family import UNBOUNDED, Family
from ragbench.measure.name import MeasureName
from ragbench.measure.query import classification, complexity, fidelity, prediction
from ragbench.measure.query.downstream import mrr_gain, recall_gain, searches, spent
from ragbench.measure.query.tiers import TIERS, right, settled
from ragbench.measure.ranked import RANKS, families, fused, reranked, route_families

TOKENS_SPENT = ("prompt_tokens", "completion_tokens")


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
        *prediction.families(),
        *_tiers(),
        *fidelity.families(),
        *_gains(),
    ]


def _tiers() -> list[Family]:
    parts = (
        ("settled", "1 when the tier {} settled the class; n/a where an earlier one did", settled),
        ("right", "1 when the class that the tier {} settled is the row's; n/a where it settled none", right),
    )
    return [
        Family(
            f"query/{name}_{tier}",
            words.format(tier),
            partial(function, tier=tier),
            population=Population.COMPLEXITY if name == "right" else Population.ALL,
            reach=Reach.QUERY,
        )
        for name, words, function in parts
        for tier in TIERS
    ]


def _gains() -> list[Family]:
    gain = partial(Family, population=Population.EVIDENCE, worst=None, bounds=(-1.0, 1.0))
    return [
        gain("query/recall_gain", "recall@k before reranking minus that of the question as typed", recall_gain, RANKS),
        gain("query/mrr_gain", "MRR before reranking minus that of the question as typed", mrr_gain),
    ]


def _cost() -> list[Family]:
    cost = partial(Family, bounds=UNBOUNDED, worst=None, higher_is_better=False)
    return [
        *(
            cost(f"cost/{stage}_ms", f"milliseconds of the stage {stage}", partial(latency.stage_ms, stage=stage))
            for stage in latency.STAGES
        ),
        cost("cost/total_ms", "milliseconds of all stages", latency.total_ms),
        cost("cost/query_calls", "calls of models to understand the question", partial(spent, names=("calls",))),
        cost("cost/query_tokens", "tokens of these calls, prompt and completion", partial(spent, names=TOKENS_SPENT)),
        cost("cost/searches", "texts searched over all rounds", searches),
        cost("cost/context_tokens", "tokens of the packed context", length.context_tokens),
        *_packing(),
        cost("cost/answer_chars", "characters of the answer", length.answer_chars),
    ]


def _packing() -> list[Family]:
    share = partial(Family, reach=Reach.CONTEXT, higher_is_better=False, worst=1.0)
    number = partial(Family, reach=Reach.CONTEXT, higher_is_better=False, worst=None, bounds=UNBOUNDED)
    reasons = {
        "no_room": (("budget", "too_large"), "chunks dropped for want of room in the context"),
        "duplicates": (("duplicate",), "chunks dropped because their text stands in the context already"),
        "shortened": (("shortened", "truncated"), "chunks of which only a line or the beginning is in the context"),
    }
    return [
        share("cost/budget_used", "tokens of the packed context ÷ its budget", context.budget_used),
        share("cost/context_repeated", "characters of the context that stand in it again ÷ all", context.repeated),
        *(
            number(f"cost/dropped_{name}", words, partial(context.dropped, reasons=asked))
            for name, (asked, words) in reasons.items()
        ),
    ]


@cache
def registry() -> dict[str, Family]:
    """All families by `layer/measure`, in the order of the layers."""
    every = [
        *chunk_families(),
        *_query(),
        *families("retrieval", fused, Reach.FUSED),
        *route_families(),
        *families("ranking", reranked, Reach.RERANKED),
        *answer_families(),
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
