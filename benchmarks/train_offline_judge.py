"""Fits `src/ragbench/judge/offline_model.json` and measures it.

    python benchmarks/train_offline_judge.py [--write] [--measure]

Claims: trained on claims planted in XQuAD (zh, en) and CMRC 2018 (both CC BY-SA 4.0) and on the references of the dev
questions of the shipped eval sets, true against their own evidence, false against another question's. Whole answers:
trained on answers that people wrote, with planted faults (`train_answer_support.py`); `TRAINING.md` is the datasheet.
`--measure` prints AUROC and balanced accuracy of claims on planted kinds that the fit never saw (optimistic: signals
were added and kinds moved between training and held-out after looking at these figures; `fresh_claims.py` has kinds
that nobody looked at) and on human labels (BEGIN-WoW; FaithBench and OCNLI, which are non-commercial, are only
measured), and AUROC of whole answers on held-out sources. The data folder is RAGBENCH_DATA, else ../shared/data.
Nothing of it is stored.
"""

from __future__ import annotations

import csv
import json
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from natural_answers import natural_answers
from planted_claims import HELD_FALSE, HELD_TRUE, TRAINED_FALSE, TRAINED_TRUE, Passage, Planted, plant

from ragbench.core.codec import read_json, write_json
from ragbench.judge.claims import split_claims
from ragbench.judge.evidence import Evidence, facts_of
from ragbench.judge.signals import SIGNALS, signals

DATA = Path(os.environ.get("RAGBENCH_DATA", "../shared/data"))
TARGET = Path("src/ragbench/judge/offline_model.json")
NAMES = [*SIGNALS]
AGAINST = ("number_missing", "number_elsewhere", "rival", "name_missing", "negation_differs", "opposite", "longest_gap")


def passages(path: Path, language: str) -> list[Passage]:
    """Paragraphs of a SQuAD file with their short answers."""
    found = []
    for number, article in enumerate(read_json(path)["data"]):
        for paragraph in article["paragraphs"]:
            text = paragraph["context"]
            answers = [a["text"] for qa in paragraph["qas"] for a in qa["answers"]]
            kept = tuple(
                dict.fromkeys(a for a in answers if a in text and 2 <= len(a) <= (20 if language == "zh" else 50))
            )
            found.append(Passage(language, text, kept, f"{path.name}-{number}"))
    return found


def public_passages() -> list[Passage]:
    """XQuAD in both languages and CMRC 2018."""
    return [
        *passages(DATA / "xquad/xquad.en.json", "en"),
        *passages(DATA / "xquad/xquad.zh.json", "zh"),
        *passages(DATA / "cmrc2018/cmrc2018_dev.squad.json", "zh")[:200],
    ]


def references() -> list[Planted]:
    """References of dev questions: true with the quotes of their evidence in reading order, false with those of the
    next question."""
    found = []
    for name, language in (("policy_zh", "zh"), ("product_en", "en")):
        rows = [
            json.loads(line)
            for line in (Path("eval_sets") / name / "v1/questions.jsonl").read_text().splitlines()
            if line
        ]
        rows = [row for row in rows if row["split"] == "dev" and row["answerable"]]
        contexts = ["\n".join(item["quote"] for item in row["evidence"] if "quote" in item) for row in rows]
        for place, row in enumerate(rows):
            for context, truth in ((contexts[place], True), (contexts[place - 1], False)):
                found += [
                    Planted(language, "reference", context, claim.text, truth, row["id"])
                    for claim in split_claims(row["reference"])
                ]
    return found


def table(items: Sequence[Planted]) -> tuple[np.ndarray, np.ndarray]:
    """Signals of each claim, and which ones are verbatim (decided without the model)."""
    rows, verbatim = [], []
    cache: dict[str, Evidence] = {}
    for item in items:
        evidence = cache.setdefault(item.context, Evidence([(1, item.context)]))
        facts = facts_of(item.claim)
        found = signals(item.claim, facts, evidence)
        rows.append([found.values[name] if found else 0.0 for name in NAMES])
        verbatim.append(evidence.verbatim(facts) is not None)
    return np.array(rows), np.array(verbatim)


def human_sets() -> dict[str, list[Planted]]:
    """Labelled responses; a response is one claim here, as its labels are."""
    found: dict[str, list[Planted]] = {}
    with (DATA / "begin_wow/begin_test_wow.part.tsv").open(encoding="utf-8", newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["begin_label"] != "Generic"
        ]
    found["begin_wow"] = [
        Planted(
            "en",
            "human",
            row["knowledge"],
            row["response"],
            row["begin_label"] == "Fully attributable",
            row["knowledge"][:60],
        )
        for row in rows
    ]
    lines = (DATA / "nc_ocnli/dev.part.json").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    found["nc_ocnli"] = [
        Planted("zh", "human", row["sentence1"], row["sentence2"], row["label"] == "entailment", row["prem_id"])
        for row in rows
        if row["label"] != "-"
    ]
    found["nc_faithbench"] = _faithbench()
    rng = random.Random(5)
    return {name: rng.sample(items, min(1500, len(items))) for name, items in found.items()}


def _faithbench() -> list[Planted]:
    """Supported: no annotator marked anything Unwanted or Questionable; Benign additions count as supported."""
    found = []
    for path in sorted((DATA / "nc_faithbench").glob("batch_*.json")):
        for sample in read_json(path)["samples"]:
            labels = {label.split(".")[0] for mark in sample["annotations"] for label in mark["label"]}
            if "Questionable" in labels and "Unwanted" not in labels:
                continue
            found.append(
                Planted(
                    "en", "human", sample["source"], sample["summary"], "Unwanted" not in labels, sample["source"][:60]
                )
            )
    return found


def fit(
    inputs: np.ndarray, labels: np.ndarray, names: Sequence[str] = NAMES, each: np.ndarray | None = None
) -> dict[str, Any]:
    """Logistic regression (L2, C = 1, both classes weighing the same) whose weights keep their meaning: covered
    words never speak against a claim, missing numbers, names or a differing negation never for it. `each` is what rows
    weigh within their class (None: the same)."""
    from scipy.optimize import minimize

    signs = np.where(labels == 1, 1.0, -1.0)
    each = np.ones(len(labels)) if each is None else each
    weights = np.where(labels == 1, 0.5 / each[labels == 1].sum(), 0.5 / each[labels == 0].sum()) * len(labels) * each

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        margin = signs * (inputs @ values[1:] + values[0])
        slope = -signs * weights / (1 + np.exp(np.clip(margin, -60, 60)))
        total = float((weights * np.logaddexp(0, -margin)).sum() + 0.5 * (values[1:] ** 2).sum())
        return total, np.concatenate(([slope.sum()], inputs.T @ slope + values[1:]))

    bounds = [(None, None), *((None, 0.0) if name in AGAINST else (0.0, None) for name in names)]
    found = minimize(loss, np.zeros(len(names) + 1), jac=True, bounds=bounds, method="L-BFGS-B").x
    kept = {name: round(float(value), 3) for name, value in zip(names, found[1:])}
    return {"bias": round(float(found[0]), 3), "weights": kept}


def scores(fitted: dict, rows: np.ndarray, verbatim: np.ndarray) -> np.ndarray:
    """Support scores as the judge gives them."""
    weights = np.array([fitted["weights"].get(name, 0.0) for name in NAMES])
    return np.where(verbatim, 1.0, 1 / (1 + np.exp(-(rows @ weights + fitted["bias"]))))


def measure(title: str, items: Sequence[Planted], fitted: dict) -> None:
    """One line of the table in docs/judge.md: AUROC of word overlap and of the support score, balanced accuracy at
    the threshold."""
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score

    rows, verbatim = table(items)
    labels = np.array([item.supported for item in items], dtype=int)
    overlap = roc_auc_score(labels, rows[:, NAMES.index("context_cover")])
    score = scores(fitted, rows, verbatim)
    guess = score >= fitted["threshold"]
    cells = [title, str(len(items)), f"{labels.mean():.2f}", f"{overlap:.3f}", f"{roc_auc_score(labels, score):.3f}"]
    print("| " + " | ".join([*cells, f"{balanced_accuracy_score(labels, guess):.3f}"]) + " |", flush=True)
    kinds = sorted({item.kind for item in items})
    for kind in kinds if len(kinds) > 1 else ():
        here = np.array([item.kind == kind for item in items])
        print(f"    {kind}: n {int(here.sum())}, right {float((guess[here] == labels[here]).mean()):.2f}", flush=True)


def main() -> None:
    """Fit, and measure where asked."""
    from train_answer_support import answer_model, held_out, read
    from train_likeness import ClaimLikeness, claim_embedder, store
    from train_likeness import claims as claims_compared
    from train_likeness import fitted as fitted_with_vectors

    sources = public_passages()
    training = [*plant(sources, [*TRAINED_TRUE, *TRAINED_FALSE], 4, seed=1), *references()]
    rows, verbatim = table(training)
    labels = np.array([item.supported for item in training], dtype=int)
    claims = fit(rows[~verbatim], labels[~verbatim])
    fitted = {"bias": claims["bias"], "threshold": 0.5, "weights": claims["weights"]}
    answers = read(natural_answers(), fitted)
    fitted["answer"] = answer_model(answers)
    print(len(training), "training claims,", int(labels.sum()), "true")
    print(json.dumps(fitted, indent=1))
    if "--measure" in sys.argv:
        print("| set | n | true | word overlap AUROC | support score AUROC | bal. acc. |")
        measure("trained kinds (fitted on)", training, fitted)
        for language in ("zh", "en"):
            held = [p for p in plant(sources, [*HELD_TRUE, *HELD_FALSE], 4, seed=2) if p.language == language]
            measure(f"held-out kinds {language}", held, fitted)
        for name, items in human_sets().items():
            measure(name, items, fitted)
        held_out(answers)
    with claim_embedder(store(), None) as embedder:
        likeness = ClaimLikeness(embedder)
        vectors = fitted_with_vectors(likeness, claims_compared(likeness))
    print(json.dumps(vectors, indent=1))
    if "--write" in sys.argv:
        write_json(TARGET, {"about": " ".join(ABOUT.split()), "words": fitted, "vectors": vectors})


ABOUT = """
Support score of a claim = logistic function of bias and weighted signals (src/ragbench/judge/signals.py says what each
is); of an answer, of those in src/ragbench/judge/answer_support.py. Logistic regression (C = 1, balanced, signs held).
Claims: planted in XQuAD and CMRC 2018 (CC BY-SA 4.0), and references of the dev questions of policy_zh and product_en.
With vectors (`train_likeness.py`) also: questions of both with an answer put in, and claims of our own
(`written_kinds.tsv`). Answers: those references; by words also answers of ClapNQ (Apache-2.0; Wikipedia's text CC BY-SA
3.0) and targets of MT-RAG UN (Apache-2.0), with vectors also the claims; with planted faults. Made by
benchmarks/train_offline_judge.py; datasheet benchmarks/TRAINING.md.
"""

if __name__ == "__main__":
    main()
