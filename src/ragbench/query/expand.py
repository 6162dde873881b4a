"""The question with further words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ragbench.errors import ConfigError
from ragbench.llm.base import ChatRequest
from ragbench.query import expand_prompts
from ragbench.query.asking import ask
from ragbench.query.checks import JOINS, check_count, check_join, check_weight
from ragbench.query.feedback import WORDS_VERSION, feedback_terms
from ragbench.query.replies import QUERIES, read_queries
from ragbench.query.spent import Spent
from ragbench.query.transform import Forms, Means, TransformQuery
from ragbench.records.search import SearchRequest

EXPANSION = "expansion"
ROUTES = ("all", "dense", "sparse")
_TOKENS_EACH = 12
_MOST = 30


@dataclass(frozen=True, kw_only=True)
class ExpandQuery(TransformQuery):
    """Searches the question and, beside it, the question followed by up to `terms` further words. Without a model they
    come from the corpus: words that the best chunks for the question have in common
    (`ragbench.query.feedback`), which takes a search before the search.

    Args:
        terms: further words.
        feedback: chunks at the top that words are taken from; a model does not read them.
        weight: weight of the expanded question's lists beside the question's own, which is 1.
        routes: where the expanded question is searched: `all`, `dense` or `sparse`.
        join: how the lists of a route become one: `rrf` reciprocal ranks, `sum` the mean of scaled scores.
    """

    VERSION: ClassVar[int] = 1
    LIBRARIES: ClassVar[tuple[str, ...]] = ("jieba",)
    PROMPTS = expand_prompts.IDENTITY

    terms: int
    feedback: int
    weight: float
    routes: str
    join: str

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("terms", self.terms, 1, _MOST)
        check_count("feedback", self.feedback, 1, 50)
        check_weight("weight", self.weight)
        check_join(self.join)
        if self.routes not in ROUTES:
            raise ConfigError("pipeline.query.routes", expected=" or ".join(ROUTES), found=repr(self.routes))

    @property
    def searches(self) -> bool:
        """Without a model."""
        return self.llm is None

    def identity(self) -> dict[str, Any]:
        """The versions of the prompts or of how words are cut."""
        return super().identity() or {"words": WORDS_VERSION}

    def idle_fields(self) -> dict[str, str]:
        """`feedback` with a model."""
        return {"feedback": "a language model"} if self.llm is not None else {}

    def forms(self, asked: SearchRequest, means: Means) -> Forms:
        """See `TransformQuery.forms`."""
        words, spent = self._words(asked, means)
        if not words:
            return Forms((asked,), spent)
        routes = () if self.routes == "all" else (self.routes,)
        text = " ".join([asked.text, *words])
        asked = replace(asked, join=JOINS[self.join])
        expanded = replace(asked, text=text, form=EXPANSION, weight=float(self.weight), routes=routes)
        return Forms((asked, expanded), spent)

    def _words(self, asked: SearchRequest, means: Means) -> tuple[list[str], Spent]:
        if means.asker is None:
            if means.search is None:
                raise ConfigError("query=expand", expected="an index to take words from", found="none is open")
            return feedback_terms(asked.text, means.search(asked), self.feedback, self.terms), Spent()
        request = ChatRequest(
            messages=expand_prompts.expansion(asked.text, self.terms),
            max_tokens=_TOKENS_EACH * self.terms + 20,
            schema=QUERIES,
            prompt=expand_prompts.NAME,
        )
        found, spent = ask(means.asker, request, self._read(asked.text))
        return found or [], spent

    def _read(self, question: str) -> Callable[[str], list[str]]:
        return lambda reply: read_queries(reply, question, self.terms, any_language=True)
