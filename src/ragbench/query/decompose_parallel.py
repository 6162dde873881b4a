"""A question taken apart into independent ones, each searched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ragbench.llm.base import Asker, ChatRequest
from ragbench.query import decompose_prompts, splitting
from ragbench.query.asking import ask
from ragbench.query.checks import JOINS, check_count, check_join, check_weight
from ragbench.query.replies import QUERIES, read_queries
from ragbench.query.spent import Spent
from ragbench.query.transform import Forms, Means, TransformQuery
from ragbench.records.search import SearchRequest

PART = "part"
_MOST = 3
_TOKENS_EACH = 80


@dataclass(frozen=True, kw_only=True)
class DecomposeParallelQuery(TransformQuery):
    """Searches each of at most `n` independent questions that a question holds; the lists of each route are joined, so
    that each part's first hits come first, each chunk once. A question that asks one thing is
    searched alone. Without a model it is taken apart by punctuation and conjunctions (`ragbench.query.splitting`): the
    sides of a comparison, several questions; what needs another's answer stays whole.

    Args:
        n: parts, 2 or 3.
        whole_weight: weight of the whole question's lists beside those of the parts, which are 1; 0: it is not
            searched where there are parts.
        join: how the lists of a route become one: `rrf` reciprocal ranks, `sum` the mean of scaled scores.
    """

    VERSION: ClassVar[int] = 3
    PROMPTS = decompose_prompts.IDENTITY

    n: int
    whole_weight: float
    join: str

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("n", self.n, 2, _MOST)
        check_weight("whole_weight", self.whole_weight)
        check_join(self.join)

    def forms(self, asked: SearchRequest, means: Means) -> Forms:
        """See `TransformQuery.forms`."""
        texts, spent = self._parts(asked.text, means.asker)
        if len(texts) < 2:
            return Forms((asked,), spent)
        asked = replace(asked, join=JOINS[self.join])
        parts = [replace(asked, text=text, form=PART) for text in texts]
        whole = [replace(asked, weight=float(self.whole_weight))] if self.whole_weight > 0 else []
        return Forms((*whole, *parts), spent)

    def _parts(self, text: str, asker: Asker | None) -> tuple[list[str], Spent]:
        if asker is None:
            pieces = splitting.sides(text) or splitting.parts(text) if len(text) <= splitting.LONGEST else None
            return [part.text for part in pieces.parts[: self.n]] if pieces else [], Spent()
        request = ChatRequest(
            messages=decompose_prompts.parts(text, self.n),
            max_tokens=_TOKENS_EACH * self.n,
            schema=QUERIES,
            prompt=decompose_prompts.NAME,
        )
        found, spent = ask(asker, request, lambda reply: read_queries(reply, text, self.n, empty=True))
        return found or [], spent
