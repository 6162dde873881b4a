"""Dense search with a passage that might answer the question."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ragbench.llm.base import Asker, ChatRequest
from ragbench.query import hyde_prompts, wording
from ragbench.query.asking import ask_all
from ragbench.query.checks import check_count, check_weight
from ragbench.query.replies import read_passage
from ragbench.query.spent import Spent
from ragbench.query.transform import Forms, Means, TransformQuery
from ragbench.records.search import SearchRequest

HYPOTHESIS = "hypothesis"
LONGEST = 800
"""Characters of a hypothesis that are searched with."""
_MAX_TOKENS = 300
_MOST = 5


@dataclass(frozen=True, kw_only=True)
class HydeQuery(TransformQuery):
    """The dense route searches with a hypothetical answer, embedded as a passage; the question keeps the sparse route.
    Without a usable hypothesis the question is searched on all routes. Without a model the hypothesis is a templated
    statement (`ragbench.query.wording.statement`). Source: Gao et al., ACL 2023 (HyDE).

    A retriever without a dense route is not changed by it.

    Args:
        n: hypotheses, asked for at the same time as so many samples of one request; with a model that always says the
            same they are one. Their lists are joined by reciprocal rank. Rules make one.
        question_weight: weight of the question's own dense list beside those of the hypotheses, which are 1; 0: the
            dense route does not search the question.
    """

    VERSION: ClassVar[int] = 2
    PROMPTS = hyde_prompts.IDENTITY

    n: int
    question_weight: float

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("n", self.n, 1, _MOST)
        check_weight("question_weight", self.question_weight)

    @property
    def only_routes(self) -> tuple[str, ...]:
        """The dense one."""
        return ("dense",)

    @property
    def own_calls(self) -> int:
        """One a hypothesis."""
        return self.n

    def forms(self, asked: SearchRequest, means: Means) -> Forms:
        """See `TransformQuery.forms`."""
        passages, spent = self._hypotheses(asked.text, means.asker)
        if not passages:
            return Forms((asked,), spent)
        dense = [replace(asked, text=text, role="passage", routes=("dense",), form=HYPOTHESIS) for text in passages]
        own = [replace(asked, routes=("sparse",))]
        if self.question_weight > 0:
            own.append(replace(asked, routes=("dense",), weight=float(self.question_weight)))
        return Forms((*own, *dense), spent)

    def _hypotheses(self, text: str, asker: Asker | None) -> tuple[list[str], Spent]:
        if asker is None:
            made = wording.statement(text)
            return [made] if made else [], Spent()
        requests = [
            ChatRequest(
                messages=hyde_prompts.hypothesis(text), max_tokens=_MAX_TOKENS, sample=sample, prompt=hyde_prompts.NAME
            )
            for sample in range(self.n)
        ]
        found, spent = ask_all(asker, requests, lambda reply: read_passage(reply, text, LONGEST))
        return list(dict.fromkeys(one for one in found if one is not None)), spent
