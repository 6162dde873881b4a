"""Fits `src/ragbench/generator/refusal_model.json` on the development questions of the shipped eval sets.

    python benchmarks/calibrate_refusal.py [--write]

A case is a question with a packed context of the default pipeline; it is positive where the context holds an
evidence group. Contexts as retrieved, with evidence put in and with evidence taken out all count, the last two so
that both classes are there. Off-topic questions come from XQuAD. Prints AUROC and shares refused at some thresholds
by five-fold cross-validation grouped by question; `--write` stores the fit on all dev cases.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from packed_contexts import LANGUAGES, Case, cases, default

from ragbench.core.codec import write_json
from ragbench.core.store import Store
from ragbench.generator.extractive import SHORT_LIST, candidates
from ragbench.generator.late_match import LateMatch
from ragbench.generator.refusal import FEATURES, features_of
from ragbench.generator.support import units
from ragbench.run.session import Session
from ragbench.text.language import answers_in_chinese

THRESHOLDS = (0.1, 0.2, 0.3, 0.4)
TARGET = Path("src/ragbench/generator/refusal_model.json")


def features(case: Case, late: LateMatch | None) -> list[float]:
    """The calibration's view of a case."""
    scored, match = candidates(case.question.question, units(case.context, SHORT_LIST), late)
    found = features_of(scored, match.covered, answers_in_chinese(case.question.question))
    return [found[name] for name in FEATURES]


def fit(rows: np.ndarray, every: list[Case], names: list[str]) -> dict[str, object]:
    """Logistic regression with balanced classes; prints what cross-validation says of each kind of negative."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold, cross_val_predict

    labels = np.array([case.holds_evidence for case in every], dtype=int)
    groups = np.array([case.question.id + case.set_name for case in every])
    model = LogisticRegression(C=10.0, class_weight="balanced", max_iter=2000)
    mean, spread = np.zeros(len(names)), np.ones(len(names))
    if "alike" in names:  # cosines crowd together: unscaled, the penalty keeps their weights small
        mean, spread = rows.mean(axis=0), rows.std(axis=0)
    scaled = (rows - mean) / spread
    guess = cross_val_predict(model, scaled, labels, groups=groups, cv=GroupKFold(5), method="predict_proba")[:, 1]
    for set_name in LANGUAGES:
        here = np.array([case.set_name == set_name for case in every])
        positive = here & (labels == 1)
        line = [f"   {set_name}:"]
        for kind in ("off_topic", "removed", "unanswerable"):
            negative = here & np.array([_is(case, kind) for case in every]) & (labels == 0)
            both = positive | negative
            line.append(f"{kind} AUROC {roc_auc_score(labels[both], guess[both]):.3f} (n {int(negative.sum())})")
            line.append(", ".join(f"<{t} {np.mean(guess[negative] < t):.2f}" for t in THRESHOLDS))
        line.append("false refusals " + ", ".join(f"<{t} {np.mean(guess[positive] < t):.2f}" for t in THRESHOLDS))
        print(" | ".join(line))
    model.fit(scaled, labels)
    weights = model.coef_[0] / spread
    bias = float(model.intercept_[0] - weights @ mean)
    return {"bias": round(bias, 3), "weights": {name: round(float(one), 3) for name, one in zip(names, weights)}}


def _is(case: Case, kind: str) -> bool:
    return not case.question.answerable and case.kind == "found" if kind == "unanswerable" else case.kind == kind


def main() -> None:
    """Fit both scorers."""
    chosen = default("policy_zh")
    fitted: dict[str, object] = {
        "about": "Probability that the context answers the question. Logistic regression (C = 10, balanced) on the dev "
        "questions of policy_zh and product_en with contexts as retrieved, with evidence put in and taken out, and on "
        "off-topic questions of XQuAD (CC BY-SA 4.0); made by benchmarks/calibrate_refusal.py."
    }
    with Session(Store(chosen.places.store)) as session:
        every = list(cases(session))
        embed = session.open_embedder(chosen.pipeline.embedder)
        for scorer, late, names in (
            ("lexical", None, ["covered", "chinese"]),
            ("maxsim", LateMatch(embed), ["alike", "weakest", "chinese"]),
        ):
            rows = np.array([features(case, late) for case in every])[:, [FEATURES.index(name) for name in names]]
            print(scorer, len(every), "cases,", sum(case.holds_evidence for case in every), "with evidence")
            fitted[scorer] = fit(rows, every, names)
    if "--write" in sys.argv:
        write_json(TARGET, fitted)
    print(fitted)


if __name__ == "__main__":
    main()
