"""What of a foreign run can be measured and diagnosed: of its retrieval only the last list is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ragbench.errors import ConfigError
from ragbench.evaluate.defaults import BUDGET, DEFAULT, default_names, named
from ragbench.evaluate.diagnose import DiagnosisRules
from ragbench.measure.base import Reach
from ragbench.measure.name import MeasureName

_UNKNOWN = frozenset(
    {
        "answer/citation_precision", "answer/citation_recall", "answer/correctness_semantic", "answer/clarified",
        "answer/false_clarification", "answer/evidence_dropped",
    }
)  # fmt: skip
_REFUSALS = frozenset({f"answer/{name}" for name in ("refusal_accuracy", "false_answer", "false_refusal", "answered")})
_COST = frozenset({"cost/context_tokens", "cost/answer_chars"})


def foreign_rules(facts: Mapping[str, Any]) -> DiagnosisRules:
    """The cut-offs of a foreign run; that its chunks, and where it does not say so its refusals, are not known."""
    depth, k = int(facts.get("depth") or 1), int(facts.get("k") or 0)
    return DiagnosisRules(recall_k=depth, k=k or depth, chunks_known=False, refusals_told=bool(facts.get("refusals")))


def foreign_reach(facts: Mapping[str, Any]) -> frozenset[Reach]:
    """The parts that a foreign run shows."""
    answers = {Reach.CONTEXT, Reach.ANSWER}
    return frozenset({Reach.NOTHING, Reach.FUSED, Reach.RERANKED, *(answers if facts.get("answers") else ())})


def foreign_measures(facts: Mapping[str, Any], names: Iterable[str] | None, judged: tuple[str, ...]) -> list[str]:
    """The measures `names` of a foreign run (None: all that can be computed, but for those of a ranking without a cut,
    which lists of other depths cannot be compared by).

    Raises ConfigError for one that reads what such a run does not show.
    """
    given = named(names or (DEFAULT,), judged)
    fitting = [name for name in given if _fits(name, facts)]
    own = set(default_names(judged)) if names is None or DEFAULT in names else set()
    fitting = [name for name in fitting if name not in own or "@" in name or not name.startswith("ranking/")]
    for name in given:
        if name not in fitting and name not in own:
            hint = "Of another's system the last list, the context and the answer are known: docs/trec.md."
            raise ConfigError(
                name, expected="a measure of a foreign run", found="one of what it does not show", hint=hint
            )
    return fitting


def _fits(name: str, facts: Mapping[str, Any]) -> bool:
    layer = name.partition("/")[0]
    if name in _UNKNOWN or layer in ("chunks", "query", "retrieval"):
        return False
    if (
        layer == "ranking"
    ):  # how a list of contexts would have gone on is not known; trec_eval takes a run for all that there is
        parsed = MeasureName.parse(name)
        known = facts.get("kind") == "trec" or (parsed.k or 0) <= int(facts.get("depth") or 0)
        return parsed.measure != BUDGET and known
    if not facts.get("answers"):
        return False
    return name in _COST if layer == "cost" else bool(facts.get("refusals")) or name not in _REFUSALS
