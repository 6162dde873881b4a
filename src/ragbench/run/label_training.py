"""Training of a model of labels: fitted on all rows, measured and calibrated on held-out folds."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ragbench.core.fingerprint import fingerprint
from ragbench.core.workers import TextEmbedder
from ragbench.errors import DataError
from ragbench.query.classifier.form import FORM
from ragbench.query.classifier.label_model import FORMAT, PROBES, LabelModel, features, read_model, softmax
from ragbench.run.label_figures import figures
from ragbench.run.label_fit import (
    Decisions,
    Floats,
    Ints,
    Settings,
    best_threshold,
    decisions,
    fit,
    rounded,
    temperature,
)  # fmt: skip
from ragbench.run.label_folds import folds_of
from ragbench.run.labelled_data import LabelledData, LabelledRow

_MOST_LABELS = 500


@dataclass(frozen=True)
class Trained:
    """The content of a model's file, and the figures of its held-out folds, which it holds too."""

    content: Mapping[str, Any]
    figures: Mapping[str, Any]


@dataclass(frozen=True)
class HeldOut:
    """What models that had not seen a row said of it: probabilities at their own temperature, and decisions with
    thresholds that were chosen on the other folds."""

    probabilities: Floats
    decisions: Decisions
    thresholds: Floats
    logits: Floats


def train(data: LabelledData, label: str, embedder: TextEmbedder, settings: Settings) -> Trained:
    """A model of the rows' labels; equal rows, embedder and settings give an equal file.

    Raises DataError for fewer than two labels, more than 500, or fewer than two groups a fold, MissingExtra without
    scikit-learn.
    """
    labels, truth = _checked(data.rows, settings.folds)
    texts = [row.text for row in data.rows]
    rows = features(embedder.embed_queries(texts), texts, settings.form)
    held = held_out(data.rows, rows, truth, labels, settings)
    heat = temperature(held.logits, truth)
    weights, bias = fit(rows, truth, len(labels), settings)
    calibrated = decisions(softmax(held.logits / heat), truth, labels, settings.costs)
    told = figures(held.probabilities, truth, labels, held.decisions, held.thresholds, settings.costs)
    content = {
        "format": FORMAT,
        "label": label,
        "about": _about(data, label, settings) | {"temperature": heat},
        "held_out": told,
        "embedder": {
            "space": embedder.space,
            "dimension": embedder.dimension,
            "probe_texts": list(PROBES),
            "probes": rounded(embedder.embed_queries(PROBES).astype(np.float64)),
        },
        "form": list(FORM) if settings.form else [],
        "threshold": best_threshold(calibrated, settings.costs.abstain),
        "labels": list(labels),
        "bias": rounded(bias / heat),
        "weights": rounded(weights / heat),
    }
    return Trained(content, told)


def held_out(
    every: Sequence[LabelledRow], rows: Floats, truth: Ints, labels: Sequence[str], settings: Settings
) -> HeldOut:
    """Each row by a model fitted on the other folds; temperature and threshold of a fold are those of the others."""
    folds = folds_of(every, settings.folds)
    logits = np.zeros((len(rows), len(labels)))
    for fold in range(settings.folds):
        out = folds == fold
        weights, bias = fit(rows[~out], truth[~out], len(labels), settings)
        logits[out] = rows[out] @ weights.T + bias
    probabilities, thresholds = np.zeros_like(logits), np.zeros(len(rows))
    for fold in range(settings.folds):
        out = folds == fold
        heat = temperature(logits[~out], truth[~out])
        others = decisions(softmax(logits[~out] / heat), truth[~out], labels, settings.costs)
        thresholds[out] = best_threshold(others, settings.costs.abstain)
        probabilities[out] = softmax(logits[out] / heat)
    return HeldOut(probabilities, decisions(probabilities, truth, labels, settings.costs), thresholds, logits)


def measured(model: LabelModel, data: LabelledData, embedder: TextEmbedder, settings: Settings) -> dict[str, Any]:
    """Figures of a finished model on other rows; a label that it does not know is always missed."""
    texts = [row.text for row in data.rows]
    labels = [*model.labels, *sorted({row.label for row in data.rows} - set(model.labels))]
    truth = np.array([labels.index(row.label) for row in data.rows], dtype=np.int64)
    known = model.probabilities(embedder.embed_queries(texts), texts)
    probabilities = np.hstack([known, np.zeros((len(texts), len(labels) - len(model.labels)))])
    found = decisions(probabilities, truth, labels, settings.costs)
    return figures(probabilities, truth, labels, found, np.full(len(texts), model.threshold), settings.costs)


def with_test(content: Mapping[str, Any], split: str, told: Mapping[str, Any]) -> dict[str, Any]:
    """The content with figures on a split that no part of the model has seen, before the numbers of the model."""
    before = {key: content[key] for key in ("format", "label", "about", "held_out")}
    return before | {"test": {"split": split, **told}} | dict(content)


def write_model(path: Path, content: Mapping[str, Any]) -> LabelModel:
    """Write a model's file, a row of numbers a line, and read it back; whole or not at all."""
    plain = json.dumps(content, ensure_ascii=False, indent=1)
    text = re.sub(r"\[\s+(-?[\d.][^\[\]{}\"]*?)\s+\]", lambda found: f"[{' '.join(found[1].split())}]", plain)
    found = read_model(json.loads(text), str(path))
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text + "\n", encoding="utf-8")
    temporary.replace(path)
    return found


def _checked(rows: Sequence[LabelledRow], n_folds: int) -> tuple[tuple[str, ...], Ints]:
    """The labels in order, and the number of each row's."""
    labels = tuple(sorted({row.label for row in rows}))
    if not 2 <= len(labels) <= _MOST_LABELS:
        shown = f"{len(labels)}: {', '.join(labels[:3])}" + (", …" if len(labels) > 3 else "")
        raise DataError("labels", expected=f"2 to {_MOST_LABELS} different ones", found=shown)
    n_groups = len({row.group for row in rows})
    if n_groups < 2 * n_folds:
        hint = "Take fewer --folds or more data."
        raise DataError("rows", expected=f"at least {2 * n_folds} different ones", found=str(n_groups), hint=hint)
    number = {label: at for at, label in enumerate(labels)}
    return labels, np.array([number[row.label] for row in rows], dtype=np.int64)


def _about(data: LabelledData, label: str, settings: Settings) -> dict[str, Any]:
    trained_on = [[row.text, row.label, row.group] for row in data.rows]
    return {
        "what": f"P({label}) of a question; multinomial logistic regression, made by ragbench classifier train",
        "data": list(data.sources),
        "split": data.split,
        "rows": len(data.rows),
        "left_out": dict(data.left_out),
        "labels": dict(sorted(Counter(row.label for row in data.rows).items())),
        "training_hash": fingerprint(trained_on, asdict(settings)),
        "settings": asdict(settings),
    }
