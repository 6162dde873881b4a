"""The question in several other words, each searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ragbench.errors import ConfigError
from ragbench.llm.base import Asker, ChatRequest
from ragbench.query import variant_prompts, wording
from ragbench.query.asking import ask
from ragbench.query.checks import check_count
from ragbench.query.replies import QUERIES, read_queries
from ragbench.query.spent import Spent
from ragbench.query.transform import Forms, Means, TransformQuery
from ragbench.records.search import Join, SearchRequest

RANKINGS: dict[str, Join] = {"rrf": "rrf", "votes": "votes", "best": "best", "sum": "sum"}
VARIANT = "variant"
MOST = 10
_TOKENS_EACH = 80


@dataclass(frozen=True, kw_only=True)
class MultiQuery(TransformQuery):
    """Searches the question and `n` variants of it; one call makes all of them. Without a model they are made by rules
    (`ragbench.query.wording`): plain wording, keywords, a heading, of a mixed question its parts by script.

    Args:
        n: variants; fewer where the model or the rules find fewer different ones.
        ranking: how the lists of one route become one: `rrf` reciprocal ranks, `votes` the lists that hold a chunk
            among their first ten, `best` its highest score, `sum` the mean of its scaled scores.
    """

    VERSION: ClassVar[int] = 2
    PROMPTS = variant_prompts.IDENTITY

    n: int
    ranking: str

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("n", self.n, 1, MOST)
        if self.ranking not in RANKINGS:
            raise ConfigError("pipeline.query.ranking", expected=" or ".join(RANKINGS), found=repr(self.ranking))

    def forms(self, asked: SearchRequest, means: Means) -> Forms:
        """See `TransformQuery.forms`."""
        texts, spent = other_words(asked.text, self.n, means.asker)
        return Forms(with_variants(asked, texts, RANKINGS[self.ranking]), spent)


def other_words(text: str, n: int, asker: Asker | None) -> tuple[list[str], Spent]:
    """At most `n` variants of a question, by the model or, without one, by rules. A model without a usable reply gives
    none."""
    if asker is None:
        return wording.variants(text)[:n], Spent()
    request = ChatRequest(
        messages=variant_prompts.variants(text, n),
        max_tokens=_TOKENS_EACH * n,
        schema=QUERIES,
        prompt=variant_prompts.NAME,
    )
    found, spent = ask(asker, request, lambda reply: read_queries(reply, text, n))
    return found or [], spent


def with_variants(
    asked: SearchRequest, texts: Sequence[str], join: Join, weight: float = 1.0
) -> tuple[SearchRequest, ...]:
    """The question's request and one a variant, all joined alike."""
    first = replace(asked, join=join)
    return first, *(replace(first, text=text, form=VARIANT, weight=weight) for text in texts)
