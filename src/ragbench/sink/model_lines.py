"""What language models cost, in a line a role of the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def model_lines(models: Mapping[str, Mapping[str, Any]] | None) -> list[str]:
    """Calls, tokens and price of each role; what is unknown is told as unknown. None where no model was asked."""
    lines = []
    for role, one in (models or {}).items():
        failed = f", {one['failed']:,} without a reply" if one["failed"] else ""
        tokens = f"tokens unknown (not told by {one.get('untold', 0):,} answers)"
        if one["prompt_tokens"] is not None:
            tokens = f"{one['prompt_tokens']:,} + {one['completion_tokens']:,} tokens"
        price = "price unknown" if one["price"] is None else f"{one['price']:.4f} {one['currency']}"
        lines.append(f"model calls, {role}: {one['calls']:,}{failed}, {tokens}, {price} ({', '.join(one['models'])})")
    return lines


def answer_line(facts: Mapping[str, Any]) -> list[str]:
    """What is to be known of answers that a model wrote; none where nothing is."""
    told = []
    if facts.get("uncited"):
        told.append(f"{facts['uncited']:,} of {facts['answers']:,} answers cite no passage")
    if facts.get("unknown_citations"):
        told.append(f"{facts['unknown_citations']:,} citations of no passage dropped")
    if facts.get("unanswered"):
        told.append(f"{facts['unanswered']:,} questions without an answer; the first: {facts['reasons'][0]}")
    return [f"generator: {', '.join(told)}"] if told else []


def fallback_line(facts: Mapping[str, Any]) -> list[str]:
    """Questions whose planning had to do without a model's reply; none where there are none."""
    if not facts.get("fallbacks"):
        return []
    return [
        f"query: {facts['fallbacks']} questions planned without the model's reply; the first: {facts['reasons'][0]}"
    ]
