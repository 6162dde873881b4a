"""The question as a rewriter understands it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from ragbench.query.llm_rewriter import LlmRewriter
from ragbench.query.rule_rewriter import RuleRewriter
from ragbench.query.transform import Forms, Means, TransformQuery
from ragbench.records.search import SearchRequest


@dataclass(frozen=True, kw_only=True)
class RewriteQuery(TransformQuery):
    """Searches the question as rewritten, once, and lets reranker and generator read it: a follow-up with what it
    leaves out filled in, a question without its greeting. What needs neither is searched as typed.

    `rewriter` None is the model where there is one, else rules (`RuleRewriter`). `llm` is read only then.
    """

    @property
    def own_calls(self) -> int:
        """None: the rewriter's are counted."""
        return 0

    def idle_fields(self) -> dict[str, str]:
        """`llm` with a rewriter of its own."""
        return {"llm": "a rewriter"} if self.rewriter is not None and self.llm is not None else {}

    def resolved(self) -> Self:
        """The same stage with the rewriter that it uses."""
        if self.rewriter is not None:
            return replace(self, llm=None)
        if self.llm is not None:
            return replace(self, rewriter=LlmRewriter(llm=self.llm, every=False), llm=None)
        return replace(self, rewriter=RuleRewriter(replies=True))

    def forms(self, asked: SearchRequest, means: Means) -> Forms:
        """See `TransformQuery.forms`."""
        return Forms((asked,))
