"""A trained model of labels: numbers in a JSON file that says how they were made, used without scikit-learn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragbench.core.codec import loads
from ragbench.core.fingerprint import fingerprint
from ragbench.core.workers import Floats, TextEmbedder
from ragbench.errors import ConfigError, DataError
from ragbench.query.classifier.base import SIMPLE, TrainedOn
from ragbench.query.classifier.form import FORM, form

BUILTIN = "builtin"
FORMAT = 1
PROBES = ("年假有多少天？", "How do I reset the API key?", "v4.2 的 rate limit 是多少")
"""Texts whose vectors a file holds, so that the vector space it was made in can be known again."""
NEAR = 0.995
"""Least cosine of a probe with what the file holds. Runtimes of the offline embedder lie at 0.9966 and closer, the same
model without its prefix at 0.988, as a passage at 0.962."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelModel:
    """Multinomial logistic regression over the query vector of a text and, where `form` is true, its counts.

    `weights` is [labels, dimension (+ 10)], `bias` [labels]. `threshold` is the probability below which a decision is
    an abstention, as calibrated on held-out folds. `probes` is [3, dimension], the vectors of PROBES. `trained_on` is
    what its datasheet says.
    """

    label: str
    labels: tuple[str, ...]
    bias: NDArray[np.float64]
    weights: NDArray[np.float64]
    form: bool
    threshold: float
    space: str
    probes: Floats
    trained_on: TrainedOn

    @property
    def dimension(self) -> int:
        """Of the vectors it reads."""
        return int(self.probes.shape[1])

    def fingerprint(self) -> str:
        """Of the numbers that decide, whatever the file says about them."""
        return fingerprint(self.labels, self.bias.tolist(), self.weights.tolist(), self.form, self.threshold)

    def probabilities(self, vectors: Floats, texts: Sequence[str]) -> NDArray[np.float64]:
        """Of each label, [n, labels]; rows sum to 1."""
        logits = features(vectors, texts, self.form) @ self.weights.T + self.bias
        return softmax(logits)

    def check_space(self, embedder: TextEmbedder, name: str) -> None:
        """Raise ConfigError where the embedder's vectors are not of the space that the model was trained in."""
        if embedder.space == self.space:
            return
        found = f"vectors of {embedder.dimension}"
        if embedder.dimension == self.dimension:
            nearest = float((embedder.embed_queries(PROBES) * self.probes).sum(axis=1).min())
            if nearest >= NEAR:
                return
            found = f"vectors at a cosine of {nearest:.2f} from those"
        raise ConfigError(
            f"classifier model {name}",
            expected=f"the vector space it was trained in ({self.dimension} dimensions)",
            found=found,
            hint="Train one for this embedder: ragbench classifier train DATA embedder=….",
        )


def features(vectors: Floats, texts: Sequence[str], with_form: bool) -> NDArray[np.float64]:
    """What a model reads of texts, [n, dimension (+ 10)]."""
    plain = vectors.astype(np.float64)
    return np.hstack([plain, form(texts)]) if with_form else plain


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows that sum to 1, [n, labels]."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def decided(probabilities: NDArray[np.float64], labels: Sequence[str], simple_cost: float) -> int:
    """Number of the label of least expected cost, the first of equal ones.

    A wrong label costs 1, and `simple_cost` where `simple_lookup` is wrong: its expected cost is that times the
    probability of all others. Source: Bayes decision rule (Duda, Hart & Stork 2001, §2.2).
    """
    price = np.array([simple_cost if label == SIMPLE else 1.0 for label in labels])
    return int(np.argmin(price * (1 - probabilities)))


def load_label_model(model: str, label: str) -> LabelModel:
    """The shipped model of a label (`builtin`) or one of a file.

    Raises DataError for a file that cannot be read, holds no model, numbers that are not finite, or one of another
    label.
    """
    found = _builtin(label) if model == BUILTIN else read_model(_read(model), model)
    if found.label != label:
        raise DataError(f"classifier model {model}", expected=f"a model of {label}", found=f"one of {found.label}")
    return found


@cache
def _builtin(label: str) -> LabelModel:
    file = files("ragbench.query.classifier") / f"{label}_model.json"
    if not file.is_file():
        hint = f"Train one: ragbench classifier train DATA --label {label} --out FILE."
        raise DataError(f"classifier model builtin for {label}", expected="a file", found="none is shipped", hint=hint)
    return read_model(loads(file.read_bytes()), BUILTIN)


def _read(model: str) -> Any:
    try:
        return loads(Path(model).read_bytes())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        expected = "`builtin` or a JSON file that ragbench classifier train wrote"
        raise DataError(f"classifier model {model}", expected=expected, found=reason) from error


def read_model(data: Any, name: str) -> LabelModel:
    """The model of the content of a file, checked."""
    thing = f"classifier model {name}"
    row: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    if row.get("format") != FORMAT:
        raise DataError(thing, expected=f"format {FORMAT}", found=str(row.get("format", str(data)[:60])))
    labels = row.get("labels")
    if not isinstance(labels, list) or len(labels) < 2 or not all(isinstance(one, str) for one in labels):
        raise DataError(f"{thing}: labels", expected="at least two texts", found=str(labels)[:60])
    embedder = row.get("embedder")
    space: Mapping[str, Any] = embedder if isinstance(embedder, Mapping) else {}
    probes = _numbers(space.get("probes"), f"{thing}: embedder.probes", (len(PROBES), None))
    with_form = row.get("form") == list(FORM)
    if row.get("form") and not with_form:
        raise DataError(f"{thing}: form", expected=", ".join(FORM), found=str(row.get("form"))[:80])
    width = probes.shape[1] + (len(FORM) if with_form else 0)
    threshold = _numbers([row.get("threshold")], f"{thing}: threshold", (1,))
    return LabelModel(
        label=str(row.get("label")),
        labels=tuple(labels),
        bias=_numbers(row.get("bias"), f"{thing}: bias", (len(labels),)),
        weights=_numbers(row.get("weights"), f"{thing}: weights", (len(labels), width)),
        form=with_form,
        threshold=float(threshold[0]),
        space=str(space.get("space")),
        probes=probes.astype(np.float32),
        trained_on=_trained_on(row.get("about")),
    )


def _trained_on(about: Any) -> TrainedOn:
    told: Mapping[str, Any] = about if isinstance(about, Mapping) else {}
    sources = told.get("data")
    return TrainedOn(tuple(map(str, sources)) if isinstance(sources, list) else (), str(told.get("split", "all")))


def _numbers(value: Any, thing: str, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
    try:
        found = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.array(math.nan)
    fits = found.ndim == len(shape) and all(b in (None, a) for a, b in zip(found.shape, shape))
    if not fits or not np.isfinite(found).all():
        size = " × ".join("n" if side is None else str(side) for side in shape)
        raise DataError(thing, expected=f"{size} finite numbers", found=str(value)[:60])
    return found
