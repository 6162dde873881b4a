"""How much is read and written."""

from __future__ import annotations

from ragbench.measure.base import Outcome, not_applicable
from ragbench.measure.case import Case


def context_tokens(case: Case) -> Outcome:
    """Tokens of the packed context as the packer counted them; n/a where nothing is packed."""
    context = case.trace.context if case.trace is not None else None
    return float(context.tokens) if context is not None else not_applicable("the variant packs no context")


def answer_chars(case: Case) -> Outcome:
    """Characters of the answer; n/a for a refusal or a question back, whose length says nothing."""
    answer = case.trace.answer if case.trace is not None else None
    if answer is None or answer.refused or answer.clarifies:
        return not_applicable("no answer was given")
    return float(len(answer.text))
