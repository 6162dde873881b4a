"""What a model's reply says of claims: a label is read as it stands or not at all."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ragbench.errors import DataError
from ragbench.judge.llm_prompts import ADDRESSES, STATES, claim_key
from ragbench.llm.base import Reply
from ragbench.llm.structured import read_object
from ragbench.records.score import ClaimState

_ANY: Mapping[str, Any] = {"type": "object"}
_STATES = {state.value: state for state in STATES}


@dataclass(frozen=True, slots=True)
class Labels:
    """A state and the deciding passage of each claim in order, and the relevancy; None: not told."""

    claims: tuple[tuple[ClaimState, int | None], ...]
    relevancy: float | None


def read_labels(reply: Reply | str, schema: Mapping[str, Any], n_claims: int, passages: Collection[int]) -> Labels:
    """The labels of a reply for claims numbered from 1: of its first object that fits the schema, else of its first.

    A claim that the reply leaves out, or labels otherwise than it was asked to, is an error; fields for claims that
    there are none of are not looked at, and so is a passage that is none of `passages`. Raises DataError where there
    is no JSON object in the reply.
    """
    try:
        found = read_object(reply, schema)
    except DataError:
        found = read_object(reply, _ANY)
    claims = [_claim(found.get(claim_key(number)), passages) for number in range(1, n_claims + 1)]
    return Labels(tuple(claims), ADDRESSES.get(_word(found.get("addresses"))))


def _claim(told: Any, passages: Collection[int]) -> tuple[ClaimState, int | None]:
    fields = told if isinstance(told, Mapping) else {"verdict": told}
    passage = fields.get("passage")
    block = passage if isinstance(passage, int) and not isinstance(passage, bool) and passage in passages else None
    state = _STATES.get(_word(fields.get("verdict")), ClaimState.ERROR)
    return state, None if state is ClaimState.ERROR else block


def _word(value: Any) -> str:
    """A label however it is spaced: `Not enough` is `not_enough`."""
    return "_".join(value.casefold().replace("-", " ").replace("_", " ").split()) if isinstance(value, str) else ""
