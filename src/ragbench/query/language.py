"""Searches by language: mixed questions also by their parts, and, where wanted, each in the chunks of its language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import isfinite

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.query.base import OpenQuery
from ragbench.query.classifier import Understanding, understanding
from ragbench.query.classifying import ClassifyingQuery
from ragbench.records.question import Question
from ragbench.records.search import SearchRequest
from ragbench.records.trace import QueryView
from ragbench.text.language import Language, language_of
from ragbench.text.scripts import bracketed_terms, chinese_part, latin_part

CHUNKS = ("all", "own")
_OWN: Mapping[Language, tuple[str, ...]] = {"zh": ("zh", "mixed"), "en": ("en", "mixed"), "mixed": ()}


@dataclass(frozen=True, kw_only=True)
class LanguageQuery(ClassifyingQuery):
    """A question in one language is searched as typed. A mixed one (`text.language`) is searched as typed and, beside
    it, by its Chinese part, its Latin part, and all its bracketed terms together (`text.scripts`): those that have a
    word of content and differ from what is searched already. The retriever joins the lists by reciprocal rank.

    Args:
        classifier: says what the question is taken for; None: nothing is said.
        part_weight: weight of each part's lists beside the question's own, which is 1; 0 searches no parts.
        chunks: `all`: every search sees all chunks, as in one multilingual index. `own`: a Chinese text is searched in
            Chinese and mixed chunks, a text without Han in English and mixed ones, a mixed text in all, as in an index
            a language; where a question may see no chunk of these languages, it is searched in all.
    """

    part_weight: float
    chunks: str

    def __post_init__(self) -> None:
        super().__post_init__()
        weight = self.part_weight
        number = isinstance(weight, int | float) and not isinstance(weight, bool) and isfinite(weight)
        if not number or weight < 0:
            raise ConfigError("pipeline.query.part_weight", expected="a number of 0 or more", found=repr(weight))
        if self.chunks not in CHUNKS:
            raise ConfigError("pipeline.query.chunks", expected=" or ".join(CHUNKS), found=repr(self.chunks))

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenQuery]:
        """Open the classifier."""
        with understanding(self.classifier, tools) as classifier:
            yield _ByLanguage(self, classifier)


class _ByLanguage:
    def __init__(self, stage: LanguageQuery, classifier: Understanding) -> None:
        self._stage, self._classifier = stage, classifier

    def plan(self, question: Question) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        """See `OpenQuery.plan`; the question as typed is the first request."""
        stage = self._stage
        typed = SearchRequest.of(question)
        texts = _parts(typed.text) if stage.part_weight > 0 and language_of(typed.text) == "mixed" else []
        parts = [replace(typed, text=text, weight=float(stage.part_weight)) for text in texts]
        requests = [typed, *parts]
        if stage.chunks == "own":
            requests = [replace(one, languages=_OWN[language_of(one.text)]) for one in requests]
        return self._classifier.of(question)[0], tuple(requests)


def _parts(text: str) -> list[str]:
    """What a mixed text is searched by beside itself, each once."""
    found = (chinese_part(text), latin_part(text), " ".join(bracketed_terms(text)))
    return [part for part in dict.fromkeys(found) if part and part != text]
