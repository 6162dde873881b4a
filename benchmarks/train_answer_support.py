"""Fits the support score of whole answers, for `train_offline_judge.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from natural_answers import CONTENT_FAULTS, Written
from train_offline_judge import fit

from ragbench.judge.answer_support import ANSWER_SIGNALS, answer_signals
from ragbench.judge.claims import split_claims
from ragbench.judge.evidence import Evidence
from ragbench.judge.support import SupportModel, check_claim

FITTED = ("clapnq", "mtrag_un", "refs")
"""Sources of whole answers; `written_claims.tsv` is only measured."""

CONTENT_SHARE = 0.9
"""How much of the false answers' weight those have that say what their passages do not; the rest has a word changed."""


@dataclass(frozen=True)
class Read:
    """Answers with their signals [n, signals]."""

    answers: Sequence[Written]
    inputs: np.ndarray

    def of(self, mask: np.ndarray) -> Read:
        """Some of them."""
        return Read([one for one, kept in zip(self.answers, mask) if kept], self.inputs[mask])

    @property
    def labels(self) -> np.ndarray:
        """1 where supported."""
        return np.array([int(one.supported) for one in self.answers])


def read(answers: Sequence[Written], claims: Mapping[str, Any]) -> Read:
    """The signals of answers that make claims, these scored by a fitted model of claims."""
    model = SupportModel(claims["bias"], claims["weights"], claims["threshold"])
    cache: dict[tuple[str, ...], Evidence] = {}
    kept, rows = [], []
    for one in answers:
        if one.passages not in cache:
            cache[one.passages] = Evidence(list(enumerate(one.passages, start=1)))
        evidence = cache[one.passages]
        found = [check_claim(claim, evidence, model).verdict for claim in split_claims(one.answer)]
        values = answer_signals(one.answer, found, evidence)
        if values is not None:
            kept.append(one)
            rows.append([values[name] for name in ANSWER_SIGNALS])
    return Read(kept, np.array(rows))


def answer_model(known: Read, without: str = "") -> dict[str, Any]:
    """Weights fitted on the people's answers, but for one source. Sources count the same; among their false answers
    content faults have nine tenths of the weight. That share was set on held-out sources, where with less of it answers
    over near passages are found worse than by word overlap."""
    part = known.of(np.array([one.source in FITTED and one.source != without for one in known.answers]))
    kinds = [
        (one.source, "true" if one.supported else "content" if one.kind in CONTENT_FAULTS else "edit")
        for one in part.answers
    ]
    counts, share = Counter(kinds), {"true": 1.0, "content": CONTENT_SHARE, "edit": 1 - CONTENT_SHARE}
    each = np.array([share[kind[1]] / counts[kind] for kind in kinds])
    return fit(part.inputs, part.labels, list(ANSWER_SIGNALS), each)


def held_out(known: Read) -> None:
    """AUROC of word overlap and of the support score by source and fault, each source by a fit without it."""
    from sklearn.metrics import roc_auc_score

    print("| source, held out | fault | n true, false | word overlap AUROC | answer AUROC |")
    places = sorted({(one.source, one.language) for one in known.answers})
    for source, language in places:
        fitted = answer_model(known, without=source)
        part = known.of(np.array([(one.source, one.language) == (source, language) for one in known.answers]))
        score = part.inputs @ np.array([fitted["weights"][name] for name in ANSWER_SIGNALS])
        for kind in sorted({one.kind for one in part.answers if not one.supported}):
            mask = np.array([one.supported or one.kind == kind for one in part.answers])
            labels = part.labels[mask]
            words, own = (roc_auc_score(labels, values[mask]) for values in (part.inputs[:, 0], score))
            n = f"{int(labels.sum())}, {int((labels == 0).sum())}"
            print(f"| {source} {language} | {kind} | {n} | {words:.3f} | {own:.3f} |", flush=True)
