"""The question and the more general one behind it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ragbench.llm.base import Asker, ChatRequest
from ragbench.query import step_back_prompts
from ragbench.query.asking import ask
from ragbench.query.checks import JOINS, check_count, check_join
from ragbench.query.general import general
from ragbench.query.replies import QUESTION, read_queries
from ragbench.query.spent import Spent
from ragbench.query.transform import Forms, Means, TransformQuery
from ragbench.records.search import SearchRequest

STEP_BACK = "step_back"
_MAX_TOKENS = 150
_DEEPEST = 100_000


@dataclass(frozen=True, kw_only=True)
class StepBackQuery(TransformQuery):
    """Searches the general question behind a question to a depth of `k`, and the question to `original_k`; the lists of
    each route are joined. Rankings are so short by design. Where there is no general question the
    question is searched alone, to the full depth. Without a model the general question is the question without its
    specifics (`ragbench.query.general`). Source: Zheng et al., ICLR 2024 (step-back prompting).

    Args:
        k: chunks of each route for the general question; None: as many as any search takes.
        original_k: chunks of each route for the question itself; None likewise.
        join: how the lists of a route become one: `rrf` reciprocal ranks, `sum` the mean of scaled scores.
    """

    VERSION: ClassVar[int] = 3
    PROMPTS = step_back_prompts.IDENTITY

    k: int | None
    original_k: int | None
    join: str

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("k", "original_k"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name), 1, _DEEPEST)
        check_join(self.join)

    def forms(self, asked: SearchRequest, means: Means) -> Forms:
        """See `TransformQuery.forms`."""
        general, spent = self._general(asked.text, means.asker)
        if not general:
            return Forms((asked,), spent)
        asked = replace(asked, join=JOINS[self.join])
        back = replace(asked, text=general, form=STEP_BACK, depth=self.k)
        return Forms((replace(asked, depth=self.original_k), back), spent)

    def _general(self, text: str, asker: Asker | None) -> tuple[str, Spent]:
        if asker is None:
            return general(text), Spent()
        request = ChatRequest(
            messages=step_back_prompts.step_back(text),
            max_tokens=_MAX_TOKENS,
            schema=QUESTION,
            prompt=step_back_prompts.NAME,
        )
        found, spent = ask(asker, request, lambda reply: read_queries(reply, text, 1, empty=True))
        return (found or [""])[0], spent
