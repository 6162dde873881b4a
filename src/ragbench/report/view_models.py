"""What language models cost, for the page's section on cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragbench.report.labels import Labels


def model_costs(cost: Mapping[str, Any], labels: Labels) -> list[tuple[str, str]]:
    """`(label, value)` of each role: calls, tokens, price (unknown is told as unknown); questions planned without a
    reply; and limits that could not be kept."""
    rows = []
    for role, one in (cost.get("models") or {}).items():
        price = labels("price_unknown") if one["price"] is None else f"{one['price']:.4f} {one['currency']}"
        parts = [
            labels("model_calls", n=f"{one['calls']:,}"),
            _tokens(one, labels),
            price,
            *([labels("model_failed", n=f"{one['failed']:,}")] if one["failed"] else []),
        ]
        value = f"{labels('s_comma').join(parts)} · {', '.join(one['models'])}"
        rows.append((labels("model_role", role=labels.stage(role)), value))
    facts = (cost.get("facts") or {}).get("query") or {}
    if facts.get("fallbacks"):
        rows.append((labels("planned_without"), f"{facts['fallbacks']:,}: {'; '.join(facts['reasons'])}"))
    rows += _answers((cost.get("facts") or {}).get("generator") or {}, labels)
    return rows + [(labels("model_note"), note) for note in cost.get("notes", ())]


def _answers(facts: Mapping[str, Any], labels: Labels) -> list[tuple[str, str]]:
    """What is to be known of answers that a model wrote."""
    named = {"uncited": "answers_uncited", "unknown_citations": "citations_unknown", "unanswered": "answers_missing"}
    why = {"unanswered": f": {'; '.join(facts.get('reasons', ()))}"}
    rows = [(labels(label), f"{facts[name]:,}{why.get(name, '')}") for name, label in named.items() if facts.get(name)]
    if checked := facts.get("grounding"):
        rows.append((labels("answers_grounding"), labels("answers_grounded", **checked)))
    return rows


def _tokens(one: Mapping[str, Any], labels: Labels) -> str:
    if one["prompt_tokens"] is None:
        return labels("tokens_unknown", n=f"{one.get('untold', 0):,}")
    return labels("model_tokens", prompt=f"{one['prompt_tokens']:,}", reply=f"{one['completion_tokens']:,}")
