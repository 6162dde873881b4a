"""A logistic model over features of a candidate, as numbers in a JSON file that says how they were made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragbench.core.codec import loads
from ragbench.errors import DataError
from ragbench.reranker.fusion_features import FEATURES

BUILTIN = "builtin"


@dataclass(frozen=True, slots=True)
class FusionModel:
    """`probability = 1 / (1 + exp(-(bias + Σ weight · feature)))` that a candidate holds the evidence."""

    bias: float
    weights: Mapping[str, float]

    def logits(self, features: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """`bias + Σ weight · feature` of each candidate, [n]."""
        return np.asarray(self.bias + sum(weight * features[name] for name, weight in self.weights.items()))


def load_model(model: str) -> FusionModel:
    """The shipped model (`builtin`) or one of a file.

    Raises DataError for a file that cannot be read, an unknown feature or a number that is not finite.
    """
    return _builtin() if model == BUILTIN else _checked(_read(model), model)


@cache
def _builtin() -> FusionModel:
    return _checked(loads((files("ragbench.reranker") / "fusion_model.json").read_bytes()), BUILTIN)


def _read(model: str) -> Any:
    try:
        return loads(Path(model).read_bytes())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"fusion model {model}", expected="`builtin` or a JSON file", found=reason) from error


def _checked(data: Any, name: str) -> FusionModel:
    thing = f"fusion model {name}"
    weights = data.get("weights") if isinstance(data, Mapping) else None
    if not isinstance(weights, Mapping) or not weights:
        raise DataError(thing, expected="`bias` and `weights`", found=str(data)[:80])
    unknown = sorted(weights.keys() - set(FEATURES))
    if unknown:
        raise DataError(thing, expected=f"the features {', '.join(FEATURES)}", found=unknown[0])
    for key, value in {"bias": data.get("bias"), **weights}.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise DataError(f"{thing}: {key}", expected="a finite number", found=repr(value))
    return FusionModel(float(data["bias"]), {key: float(value) for key, value in weights.items()})
