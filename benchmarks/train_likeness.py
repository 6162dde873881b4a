"""Fits the offline judge's model of words and token vectors, for `train_offline_judge.py`.

    python benchmarks/train_likeness.py

prints AUROC and balanced accuracy of words alone and with vectors on each source by a fit that saw nothing of it, the
figures by which signals were chosen. Sources: planted claims of every second passage (every third claim), questions
with their answers put in (`asked_claims.py`, every third), and our own claims of one kind each (`written_kinds.tsv`).
`written_claims.tsv` is never fitted on. Vectors are kept in RAGBENCH_STORE, else .ragbench/store.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from asked_claims import asked_claims
from natural_answers import CONTENT_FAULTS, WRITTEN, Written, references, written_claims
from planted_claims import TRAINED_FALSE, TRAINED_TRUE, Planted, plant
from train_offline_judge import DATA, fit, public_passages
from train_offline_judge import references as claim_references

from ragbench.core.store import Store
from ragbench.judge.answer_support import BY_VECTORS, answer_signals
from ragbench.judge.claims import Claim, split_claims
from ragbench.judge.evidence import Evidence, facts_of
from ragbench.judge.likeness import LIKENESS, ClaimLikeness, claim_embedder
from ragbench.judge.signals import SIGNALS, signals
from ragbench.judge.support import SupportModel, check_claim

KINDS = WRITTEN.with_name("written_kinds.tsv")
EXACT = ("number_missing", "number_elsewhere", "rival", "name_missing", "negation_differs", "opposite")
NAMES = (*EXACT, "rest_like")
CONTENT = (*CONTENT_FAULTS, "unsupported", "asked_elsewhere", "asked_other")
FITTED = ("planted", "asked", "kinds")
EVERY = 3


@dataclass(frozen=True)
class Item:
    """An answer of one source with the values of its one claim (None: it stands there verbatim)."""

    source: str
    answer: Written
    values: Mapping[str, float] | None


def claims(likeness: ClaimLikeness) -> list[Item]:
    """Every source of single claims, in a fixed order."""
    sources = public_passages()[::2]
    held = {one.text for one in sources}
    planted = [*plant(sources, [*TRAINED_TRUE, *TRAINED_FALSE], 4, seed=1), *claim_references()]
    asked = [
        *asked_claims(DATA / "xquad/xquad.en.json", "en"),
        *asked_claims(DATA / "xquad/xquad.zh.json", "zh"),
        *asked_claims(DATA / "cmrc2018/cmrc2018_dev.squad.json", "zh", 0, 200),
    ]
    known = [_written("planted", one) for one in planted[::EVERY]]
    known += [_written("asked", one) for one in [one for one in asked if one.context in held][::EVERY]]
    known += [_as("kinds", one) for one in written_claims(KINDS)]
    known += [_as("written", one) for one in written_claims()]
    return list(_valued(known, likeness))


def _written(source: str, one: Planted) -> Written:
    return Written(source, one.kind, one.language, (one.context,), one.claim, one.supported, one.group)


def _as(source: str, one: Written) -> Written:
    return Written(source, one.kind, one.language, one.passages, one.answer, one.supported, one.group)


def _valued(known: Sequence[Written], likeness: ClaimLikeness) -> Iterator[Item]:
    cache: dict[tuple[str, ...], Evidence] = {}
    for one in known:
        evidence = cache.setdefault(one.passages, Evidence(list(enumerate(one.passages, start=1))))
        facts = facts_of(one.answer)
        found = signals(one.answer, facts, evidence)
        if found is None or evidence.verbatim(facts) is not None:
            yield Item(one.source, one, None)
        else:
            yield Item(one.source, one, {**found.values, **likeness.of(one.answer, evidence).values})


def fit_claims(items: Sequence[Item], names: Sequence[str] = NAMES) -> dict[str, Any]:
    """Weights of claims; each source and language weighs the same within its class."""
    known = [one for one in items if one.values is not None]
    inputs = np.array([[one.values[name] for name in names] for one in known if one.values is not None])
    labels = np.array([int(one.answer.supported) for one in known])
    return fit(inputs, labels, list(names), _even([(o.source, o.answer.language, o.answer.supported) for o in known]))


def fit_answers(items: Sequence[Item], fitted: Mapping[str, Any], likeness: ClaimLikeness) -> dict[str, Any]:
    """Weights of whole answers: references of dev questions with planted faults, and the single claims."""
    model = SupportModel(fitted["bias"], fitted["weights"], fitted["threshold"])
    rows, labels, keys = [], [], []
    whole = [(one, split_claims(one.answer)) for one in references()]
    alone = [one.answer for one in items if one.source in FITTED]
    single = [(one, [Claim(one.answer, 0, len(one.answer))]) for one in alone]
    cache: dict[tuple[str, ...], Evidence] = {}
    for one, parts in [*whole, *single]:
        evidence = cache.setdefault(one.passages, Evidence(list(enumerate(one.passages, start=1))))
        checked = [check_claim(part, evidence, model, likeness) for part in parts]
        values = answer_signals(one.answer, [c.verdict for c in checked], evidence, [c.soft for c in checked])
        if values is not None:
            rows.append([values[name] for name in BY_VECTORS])
            labels.append(int(one.supported))
            fault = "true" if one.supported else "content" if one.kind in CONTENT else "edit"
            keys.append((one.source, one.language, fault))
    halves = np.array([1.0 if key[2] == "true" else 0.5 for key in keys])
    return fit(np.array(rows), np.array(labels), list(BY_VECTORS), _even(keys) * halves)


def _even(keys: Sequence[Any]) -> np.ndarray:
    counts = Counter(keys)
    return np.array([1 / counts[key] for key in keys])


def fitted(likeness: ClaimLikeness, items: Sequence[Item]) -> dict[str, Any]:
    """The model of words and token vectors, as `offline_model.json` keeps it."""
    found = fit_claims([one for one in items if one.source in FITTED])
    model = {"bias": found["bias"], "threshold": 0.5, "weights": found["weights"]}
    model["answer"] = fit_answers(items, model, likeness)
    return model


def held_out(items: Sequence[Item]) -> None:
    """AUROC and balanced accuracy on each source by a fit without it: words alone, then with vectors."""
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score

    print("| source held out | n | words: AUROC, balanced accuracy | with vectors |")
    for source, language in sorted({(one.source, one.answer.language) for one in items}):
        here = [o for o in items if (o.source, o.answer.language) == (source, language) and o.values is not None]
        truth = [int(one.answer.supported) for one in here]
        cells = []
        for names in (SIGNALS, NAMES):
            model = fit_claims([one for one in items if one.source in FITTED and one.source != source], names)
            total = [model["bias"] + sum(w * (o.values or {})[n] for n, w in model["weights"].items()) for o in here]
            right = balanced_accuracy_score(truth, [value >= 0 for value in total])
            cells.append(f"{roc_auc_score(truth, total):.3f}, {right:.3f}")
        print(f"| {source} {language} | {len(here)} | {cells[0]} | {cells[1]} |", flush=True)


def store() -> Store:
    """Where vectors are kept."""
    return Store(Path(os.environ.get("RAGBENCH_STORE", ".ragbench/store")))


if __name__ == "__main__":
    with claim_embedder(store(), None) as opened:
        compared = claims(ClaimLikeness(opened))
        held_out(compared)
        print({name: round(fmean((one.values or {}).get(name, 1.0) for one in compared), 3) for name in LIKENESS})
