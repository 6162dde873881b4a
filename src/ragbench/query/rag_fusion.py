"""Reciprocal rank fusion over routes and forms of a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ragbench.query import variant_prompts
from ragbench.query.checks import check_count, check_weight
from ragbench.query.multi_query import MOST, other_words, with_variants
from ragbench.query.transform import Forms, Means, TransformQuery
from ragbench.records.search import SearchRequest


@dataclass(frozen=True, kw_only=True)
class RagFusionQuery(TransformQuery):
    """Searches the question and `n` variants of it, made as by `MultiQuery`, and adds up the reciprocal ranks of all
    lists of all routes, whatever the retriever's own fusion. Source: Rackauckas, RAG-Fusion, 2024 (arXiv:2402.03367).

    Args:
        n: variants; fewer where the model or the rules find fewer different ones.
        variant_weight: weight of each variant's lists beside the question's own, which is 1.
    """

    VERSION: ClassVar[int] = 2
    PROMPTS = variant_prompts.IDENTITY

    n: int
    variant_weight: float

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("n", self.n, 1, MOST)
        check_weight("variant_weight", self.variant_weight)

    def forms(self, asked: SearchRequest, means: Means) -> Forms:
        """See `TransformQuery.forms`."""
        texts, spent = other_words(asked.text, self.n, means.asker)
        return Forms(with_variants(asked, texts, "flat", float(self.variant_weight)), spent)
