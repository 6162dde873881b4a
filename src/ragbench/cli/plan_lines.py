"""A plan in lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbench.run.plan import Plan
    from ragbench.run.plan_cost import Cost


def plan_lines(label: str, plan: Plan) -> Iterator[str]:
    """One variant: its artifacts and what it takes."""
    over = ", taken over from a finished run" if plan.taken_over else ""
    yield f"{label}: {plan.n_questions} questions{over}"
    for stage in plan.stages:
        state = "cached" if stage["cached"] else "missing"
        yield f"  {stage['stage']:<8} {state:<7} {stage['key'][:16]}  ({stage['made_of']})"
    unknown = "not known before the chunks exist"
    yield f"  texts to embed: {unknown if plan.texts_to_embed is None else plan.texts_to_embed}"
    searched = plan.lists_to_search
    yield f"  route lists to search: {'those not in the store' if searched is None else f'up to {searched}'}"
    yield f"  LLM calls: {_calls(plan)}"
    if plan.llm_calls:
        yield f"  LLM tokens: {_tokens(plan.cost)}"
        yield f"  LLM price: {_price(plan.cost)}"
    yield f"  time: {'not known: no finished run with these stages' if plan.seconds is None else _time(plan.seconds)}"


def total_line(plans: Sequence[Plan]) -> str:
    """All variants of a sweep; what two have in common is counted once."""
    left = [plan for plan in plans if not plan.taken_over]
    embedded = {_index(plan): plan.texts_to_embed for plan in left}
    texts = None if None in embedded.values() else sum(n or 0 for n in embedded.values())
    calls = sum(plan.llm_calls for plan in left)
    tokens = [plan.cost.tokens for plan in left]
    money, currencies = [plan.cost.money for plan in left], {plan.cost.currency for plan in left if plan.cost.currency}
    seconds = [plan.seconds for plan in left]
    told = [
        f"{len(plans)} variants, {len(plans) - len(left)} taken over",
        f"texts to embed {'not known' if texts is None else texts}",
        f"LLM calls {f'up to {calls}' if calls else 0}",
    ]
    if calls:
        told.append(f"tokens {'not known' if None in tokens else f'up to {sum(n or 0 for n in tokens):,}'}")
        known = None not in money and len(currencies) == 1
        told.append(f"price {f'up to {sum(n or 0 for n in money):.2f} {currencies.pop()}' if known else 'not known'}")
    told.append(f"time {'not known' if None in seconds else _time(sum(n or 0 for n in seconds))}")
    return "total: " + ", ".join(told)


def _index(plan: Plan) -> str:
    """What the texts of a variant are embedded for."""
    return next((str(stage["key"]) for stage in plan.stages if stage["stage"] == "index"), "")


def _calls(plan: Plan) -> str:
    if not plan.llm_calls:
        return "0"
    by_role = ", ".join(f"{role} {n}" for role, n in plan.cost.calls.items())
    return f"up to {plan.llm_calls} ({by_role})"


def _tokens(cost: Cost) -> str:
    unknown = "not known: no finished run asked these models"
    return unknown if cost.tokens is None else f"about {cost.tokens:,}, by the calls of finished runs"


def _price(cost: Cost) -> str:
    if cost.money is None:
        return "not known" if cost.tokens is None else "not known: the model is in no price table (calls.prices)"
    return f"about {cost.money:.4f} {cost.currency}"


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 7200 else f"about {seconds / 3600:.1f} h"
