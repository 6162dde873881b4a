"""Asking a model on behalf of a question: every failure becomes a counted fallback with its reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from typing import TypeVar

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError, UserError
from ragbench.llm.base import Asker, ChatRequest, Llm, Reply
from ragbench.query.spent import Spent, together

T = TypeVar("T")
ROLE = "query"
"""What calls of query stages are counted under."""


class Unusable(ValueError):
    """A reply that says nothing a stage can work with; the text says why."""


def opened(llm: Llm, tools: Tools, role: str = ROLE) -> Asker:
    """The open model of a stage. Raises ConfigError where the tools offer no models."""
    if tools.models is None:
        raise ConfigError("pipeline.query.llm", expected="a run that may ask models", found="none can be asked here")
    asker: Asker = tools.models.asker(llm, role)
    return asker


def ask(asker: Asker, request: ChatRequest, read: Callable[[str], T]) -> tuple[T | None, Spent]:
    """What `read` makes of the reply, and what that cost.

    None where the model gave no reply or `read` raised Unusable: a fallback is counted and its reason kept. What is
    no question's own failure (CannotOpen, StoreError) passes through.
    """
    try:
        reply = asker.ask(request)
    except UserError as error:
        return None, replace(_spent(error), fallbacks=1, reasons=(str(error),))
    spent = replace(_spent(reply), ms=reply.ms)
    try:
        return read(reply.text), spent
    except Unusable as error:
        return None, replace(spent, fallbacks=1, reasons=(str(error),))


def _spent(outcome: Reply | UserError) -> Spent:
    tokens = outcome.prompt_tokens, outcome.completion_tokens
    return Spent(outcome.calls, *tokens, untold=outcome.untold)


def ask_all(asker: Asker, requests: Sequence[ChatRequest], read: Callable[[str], T]) -> tuple[list[T | None], Spent]:
    """As `ask` for several requests at the same time, in their order."""
    if len(requests) == 1:
        one, spent = ask(asker, requests[0], read)
        return [one], spent
    with ThreadPoolExecutor(max(1, len(requests))) as pool:
        # In a copy of this context: what a call costs is told to whoever keeps the plan.
        jobs = [pool.submit(copy_context().run, ask, asker, request, read) for request in requests]
        found = [job.result() for job in jobs]
    return [one for one, _ in found], together(spent for _, spent in found)
