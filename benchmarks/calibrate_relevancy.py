"""Fits `src/ragbench/judge/relevancy_model.json` and shows what thresholds of the diagnosis mean.

    python benchmarks/calibrate_relevancy.py [--write]

Fitted on the development questions of the shipped sets: each with its own reference (relevant) and with those of five
others of the set (not). `read_answers.jsonl` holds the answers of `variant=hybrid_rerank` with alpha=0.7, the default
when they were read, to the same questions with what one reader said of each: whether it speaks of what was asked
(`on_topic`), and which claims of the reference it states (`stated`). Nothing is fitted on those labels; they say what
`DiagnosisRules.relevant` calls off topic, and how far completeness can be believed. Questions of the split `test` are
never read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from packed_contexts import LANGUAGES, SPLIT, default

from ragbench.core.codec import write_json
from ragbench.core.store import Store
from ragbench.core.workers import TextEmbedder, Tools
from ragbench.judge.claims import split_claims
from ragbench.judge.offline import OfflineJudge
from ragbench.judge.relevancy import Relevancy, probability, relevancy_model
from ragbench.records.question import Question
from ragbench.records.score import ClaimState
from ragbench.records.trace import Answer, PackedContext
from ragbench.run.session import Session

TARGET = Path("src/ragbench/judge/relevancy_model.json")
READ = Path(__file__).with_name("read_answers.jsonl")
SHIFTS = (1, 7, 13, 19, 31)
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


def claimed(text: str) -> str:
    """What an answer claims."""
    return " ".join(claim.text for claim in split_claims(text))


def pairs(questions: Sequence[Question]) -> list[tuple[str, str, int, str]]:
    """Question, text, whether the text is its own reference, and the question's id."""
    found = []
    for at, question in enumerate(questions):
        for shift in (0, *SHIFTS):
            other = questions[(at + shift) % len(questions)]
            found.append((question.question, claimed(other.reference), int(shift == 0), question.id))
    return found


def fit(every: Sequence[tuple[str, str, int, str]], embedder: TextEmbedder | None, title: str) -> dict[str, float]:
    """Logistic regression with balanced classes; prints AUROC by five-fold cross-validation grouped by question."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold, cross_val_predict

    relevancy = Relevancy(embedder)
    rows = np.array([[relevancy.likeness(question, text)] for question, text, _, _ in every])
    labels, groups = np.array([one[2] for one in every]), [one[3] for one in every]
    model = LogisticRegression(C=1000.0, class_weight="balanced", max_iter=2000)
    guess = cross_val_predict(model, rows, labels, groups=groups, cv=GroupKFold(5), method="predict_proba")[:, 1]
    for name, prefix in (("zh", "pz-"), ("en", "pe-")):
        here = np.array([group.startswith(prefix) for group in groups])
        print(f"{title} {name}: own against other reference, AUROC {roc_auc_score(labels[here], guess[here]):.3f}")
    model.fit(rows, labels)
    return {"bias": round(float(model.intercept_[0]), 3), "weight": round(float(model.coef_[0][0]), 3)}


def relevancies(
    read: Sequence[dict[str, Any]], asked: dict[str, Question], embedder: TextEmbedder | None, model: dict[str, float]
) -> np.ndarray:
    """Relevancy of each read answer."""
    relevancy = Relevancy(embedder)
    texts = [(asked[row["id"]].question, claimed(row["answer"])) for row in read]
    return np.array([probability(relevancy.likeness(q, text), model) if text else 0.0 for q, text in texts])


def show_topic(read: Sequence[dict[str, Any]], score: np.ndarray, title: str) -> None:
    """What each threshold calls off topic, against the reader."""
    from sklearn.metrics import roc_auc_score

    on = np.array([row["on_topic"] for row in read])
    print(f"{title}: {len(read)} answers read, {int(on.sum())} on topic, AUROC {roc_auc_score(on, score):.3f}")
    for at in THRESHOLDS:
        off = score < at
        wrong = int((off & on).sum())
        print(f"   below {at}: {int(off.sum())} called off topic, {wrong} of them on topic by reading")


def show_completeness(read: Sequence[dict[str, Any]], asked: dict[str, Question]) -> None:
    """Claims of the references against the reader."""
    rows = []
    with OfflineJudge(semantic=False).open(Tools(None)) as judge:
        for row in read:
            verdict = judge.judge(asked[row["id"]], PackedContext(), Answer(row["answer"]))
            if verdict.error:
                raise RuntimeError(f"{row['id']}: {verdict.error}")
            rows += [(c.claim in row["stated"], c.state is ClaimState.SUPPORTED) for c in verdict.reference_in_answer]
    stated, said = np.array(rows).T
    print(
        f"completeness: {len(rows)} claims of references, {int(stated.sum())} stated by reading, "
        f"{int(said.sum())} by the judge, {int((stated & said).sum())} by both"
    )


def main() -> None:
    """Fit, show, and write where asked."""
    read = [json.loads(line) for line in READ.read_text(encoding="utf-8").splitlines()]
    chosen = default("policy_zh")
    with Session(Store(chosen.places.store)) as session:
        sets = {name: session.eval_set(default(name)).of_split(SPLIT) for name in LANGUAGES}
        asked = {question.id: question for questions in sets.values() for question in questions}
        every = [pair for questions in sets.values() for pair in pairs([q for q in questions if q.answerable])]
        embedder = session.open_embedder(chosen.pipeline.embedder)
        fitted: dict[str, Any] = {"about": ABOUT, "questions": relevancy_model()["questions"]}
        for kind, worker in (("cosine", embedder), ("words", None)):
            fitted[kind] = fit(every, worker, kind)
            show_topic(read, relevancies(read, asked, worker, fitted[kind]), kind)
        print({kind: fitted[kind] for kind in ("cosine", "words")})
        if "--write" in sys.argv:
            write_json(TARGET, fitted)
        show_completeness(read, asked)


ABOUT = (
    "Probability that claims belong to the question and not to another one of the corpus: logistic regression "
    "(C = 1000, balanced) on the dev questions of policy_zh and product_en with their own reference and with "
    "five others; made by benchmarks/calibrate_relevancy.py. The questions are of general kind and were written for it."
)

if __name__ == "__main__":
    main()
