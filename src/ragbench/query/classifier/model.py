"""The second tier of query classification: a small trained model over the offline embedder's vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar

from ragbench.core.workers import TextEmbedder, Tools
from ragbench.errors import ConfigError
from ragbench.query.classifier.base import ABSTAINED, Classifier, TrainedOn, Understood
from ragbench.query.classifier.label_model import LabelModel, decided, load_label_model
from ragbench.records.question import Turn

YES = "true"
_LABELS = ("complexity", "category", "answerable")


@dataclass(frozen=True, kw_only=True)
class ModelClassifier(Classifier):
    """Logistic regression over the query vector of the question and counts of its form; it reads no earlier turn.

    `complexity`, `category` and `answerable` are each `builtin` (trained on the dev questions of the shipped sets; not
    for `answerable`), the path of a file that `ragbench classifier train` wrote, or null: not predicted. The class is
    the one of least expected cost, where taking a complex question for a simple one costs `simple_cost` and any other
    error 1. A class or category of less probability than `threshold` or `category_threshold` is an abstention; null:
    the model's own, calibrated on held-out folds.
    """

    VERSION: ClassVar[int] = 1
    TIER: ClassVar[str] = "model"

    complexity: str | None
    category: str | None
    answerable: str | None
    simple_cost: float
    threshold: float | None
    category_threshold: float | None

    def __post_init__(self) -> None:
        if not any(getattr(self, name) for name in _LABELS):
            raise ConfigError("classifier model", expected=f"a model for {', '.join(_LABELS)}", found="none")
        check_cost("classifier.simple_cost", self.simple_cost)
        for name in ("threshold", "category_threshold"):
            check_share(f"classifier.{name}", getattr(self, name))

    @property
    def uses_embedder(self) -> bool:
        """Always: it reads vectors."""
        return True

    @property
    def says(self) -> frozenset[str]:
        """What it has a model for."""
        return frozenset(name for name in _LABELS if getattr(self, name))

    def identity(self) -> dict[str, Any]:
        """The numbers of the models, whatever their files are called. Raises DataError for a file that holds none."""
        return {name: model.fingerprint() for name, model in self._models().items()}

    def trained_on(self) -> Mapping[str, TrainedOn]:
        """What the datasheets of the models say."""
        return {name: model.trained_on for name, model in self._models().items()}

    def _models(self) -> dict[str, LabelModel]:
        return {name: load_label_model(getattr(self, name), name) for name in _LABELS if name in self.says}

    @contextmanager
    def open(self, tools: Tools) -> Iterator[ModelWorker]:
        """Read the models. Raises DataError for a file that holds none, ConfigError without an embedder and for one of
        another vector space than theirs."""
        if tools.embedder is None:
            raise ConfigError("classifier=model", expected="an embedder", found="none in this pipeline")
        models = self._models()
        for name, model in models.items():
            model.check_space(tools.embedder, str(getattr(self, name)))
        yield ModelWorker(self, models, tools.embedder)


class ModelWorker:
    """An open ModelClassifier."""

    def __init__(self, stage: ModelClassifier, models: dict[str, LabelModel], embedder: TextEmbedder) -> None:
        self._stage, self._models, self._embedder = stage, models, embedder

    def classify(self, text: str, history: tuple[Turn, ...] = ()) -> Understood:
        """See `OpenClassifier.classify`; a text without a letter or digit is an abstention."""
        models, stage = self._models, self._stage
        if not any(char.isalnum() for char in text):
            return Understood(category_tier=ABSTAINED if "category" in models else "")
        vectors = self._embedder.embed_queries([text])
        said: dict[str, Any] = {}
        for name, model in models.items():
            row = model.probabilities(vectors, [text])[0]
            if name == "answerable":
                said[name] = float(row[model.labels.index(YES)]) if YES in model.labels else None
                continue
            at = decided(row, model.labels, stage.simple_cost)
            own = stage.threshold if name == "complexity" else stage.category_threshold
            sure = row[at] >= (model.threshold if own is None else own)
            tier = "tier" if name == "complexity" else "category_tier"
            said[tier] = self._stage.TIER if sure else ABSTAINED
            said[name] = model.labels[at] if sure else None
            if name == "complexity" and sure:
                said["confidence"] = float(row[at])
        return Understood(**said)


def check_cost(name: str, value: Any) -> None:
    """Raise ConfigError unless `value` is a finite number of at least 1."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not number or value < 1:
        raise ConfigError(name, expected="a number of at least 1", found=repr(value))


def check_share(name: str, value: Any) -> None:
    """Raise ConfigError unless `value` is None or a number from 0 to 1."""
    if value is None:
        return
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= 1:
        raise ConfigError(name, expected="a number from 0 to 1, or null", found=repr(value))
