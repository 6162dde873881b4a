"""What every query stage with a classifier does alike."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.query.base import Query
from ragbench.query.classifier import Classifier, check_classifier
from ragbench.records.question import Question


@dataclass(frozen=True, kw_only=True)
class ClassifyingQuery(Query):
    """A query stage whose `classifier` says what a question is taken for; None: nothing is said."""

    classifier: Classifier | None

    def __post_init__(self) -> None:
        check_classifier(self.classifier)

    @property
    def classifies(self) -> bool:
        """Only with a classifier."""
        return self.classifier is not None

    @property
    def uses_embedder(self) -> bool:
        """Where the classifier does."""
        return self.classifier is not None and self.classifier.uses_embedder

    def llm_calls(self, question: Question | None = None) -> int:
        """Those of the classifier; see `Query.llm_calls`."""
        return self.classifier.llm_calls(question) if self.classifier is not None else 0
