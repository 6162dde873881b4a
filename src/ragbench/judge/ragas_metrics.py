"""The metrics of RAGAS that are offered, what each reads and asks, and what can be told without asking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragbench.judge.claims import split_claims
from ragbench.records.score import JudgedValue, Status


@dataclass(frozen=True, slots=True)
class Sample:
    """What RAGAS knows of one answer, by its own names. `response` is empty for a refusal, `reference` for a question
    without an answer; `retrieved_contexts` are the passages of the packed context in their order."""

    user_input: str
    response: str
    retrieved_contexts: tuple[str, ...]
    reference: str


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric: its class in `ragas.metrics.collections`, the fields of `Sample` it reads, its prompts (attribute →
    name of the Chinese texts), and how many calls it takes: `calls`, and one more for each context where `a_context`.
    `silent` is its value for an answer that says nothing; None: it has none."""

    kind: str
    reads: tuple[str, ...]
    prompts: Mapping[str, str]
    calls: int = 0
    a_context: bool = False
    silent: float | None = None


METRICS: Mapping[str, Metric] = {
    "faithfulness": Metric(
        "Faithfulness",
        ("user_input", "response", "retrieved_contexts"),
        {"statement_generator_prompt": "statements", "nli_statement_prompt": "verdicts"},
        calls=2,
    ),
    "response_relevancy": Metric("AnswerRelevancy", ("user_input", "response"), {"prompt": "relevancy"}),
    "context_precision": Metric(
        "ContextPrecision",
        ("user_input", "reference", "retrieved_contexts"),
        {"prompt": "precision"},
        a_context=True,
    ),
    "context_recall": Metric(
        "ContextRecall", ("user_input", "retrieved_contexts", "reference"), {"prompt": "recall"}, calls=1
    ),
    "factual_correctness": Metric(
        "FactualCorrectness",
        ("response", "reference"),
        {"prompt": "decomposition", "nli_prompt": "verdicts"},
        calls=4,
        silent=0.0,
    ),
}
RELEVANCY = "response_relevancy"


def measure_of(name: str) -> str:
    """The measure that shows a metric: names of RAGAS are kept apart from ours."""
    return f"answer/ragas_{name}"


def told_unasked(name: str, sample: Sample) -> JudgedValue | None:
    """What needs no model: a metric of an answer where nothing is said, of a reference where there is none, and of a
    context that is empty; None: the model is to be asked."""
    metric, measure = METRICS[name], measure_of(name)
    if "reference" in metric.reads and not sample.reference.strip():
        return JudgedValue(measure, Status.NOT_APPLICABLE, None, "no reference answer")
    if "response" in metric.reads and not sample.response.strip():
        status = Status.NOT_APPLICABLE if metric.silent is None else Status.SCORED
        return JudgedValue(measure, status, metric.silent, "refused")
    if name == "faithfulness" and not split_claims(sample.response):
        return JudgedValue(measure, Status.NOT_APPLICABLE, None, "no claims")
    if "retrieved_contexts" in metric.reads and not sample.retrieved_contexts:
        return JudgedValue(measure, Status.SCORED, 0.0, "empty context")
    return None


def arguments(name: str, sample: Sample) -> dict[str, Any]:
    """What a metric is called with."""
    found = {field: getattr(sample, field) for field in METRICS[name].reads}
    return {field: list(value) if isinstance(value, tuple) else value for field, value in found.items()}
