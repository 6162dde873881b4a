"""Fits `src/ragbench/reranker/fusion_model.json` and shows what it gains on articles that it has not seen.

    python benchmarks/train_fusion.py [--write]

Data: XQuAD en and zh and CMRC 2018 (CC BY-SA 4.0) from RAGBENCH_DATA (default ../shared/data), cut into chunks of at
most 350 (en) or 150 (zh) characters; a chunk is relevant where the answer begins in it. Candidates are the first 20 of
the shipped hybrid retriever. Every fourth article (CMRC: passage) is for fitting, in both languages the same; the
others are for figures. Figures of other first stages are of the same model.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from embedder import data_folder, embedder, packed, reciprocal

from ragbench.core.codec import write_json
from ragbench.core.scale import minmax
from ragbench.core.store import Store
from ragbench.core.workers import Floats
from ragbench.embedder.cached import CachedEmbedder
from ragbench.records.search import Ranking, RouteList
from ragbench.reranker.fusion_features import FEATURES, features
from ragbench.reranker.fusion_model import FusionModel
from ragbench.reranker.maxsim import MaxSim
from ragbench.run.build import experiment
from ragbench.stats.paired import Difference, paired_difference

FILES = {"xquad en": ("xquad/xquad.en.json", "en"), "xquad zh": ("xquad/xquad.zh.json", "zh")} | {
    "cmrc2018 zh": ("cmrc2018/cmrc2018_dev.squad.json", "zh")
}
TARGET = Path("src/ragbench/reranker/fusion_model.json")
POOL, DEPTH, MIX = 20, 100, 0.5
STAGES = ("hybrid", "dense", "sparse")


@dataclass(frozen=True)
class Case:
    """The candidates of a question: features [n, 4] in the order of FEATURES, and the place of the gold chunk (None:
    not among them); `article` is the number of its article."""

    rows: Floats
    gold: int | None
    article: int

    @property
    def for_fitting(self) -> bool:
        """Whether its article is one of those the model is fitted on."""
        return self.article % 4 == 0


@dataclass(frozen=True)
class Questions:
    """Chunks of a set, and per question its text, the number of its gold chunk and of its article."""

    chunks: list[str]
    asked: list[tuple[str, int, int]]


def read(name: str) -> Questions:
    """A set; answers that do not stand where they should are left out."""
    path, language = FILES[name]
    found = Questions([], [])
    for number, article in enumerate(json.loads((data_folder() / path).read_text("utf-8"))["data"]):
        for paragraph in article["paragraphs"]:
            text, first = paragraph["context"], len(found.chunks)
            spans = packed(text, language)
            found.chunks.extend(text[a:b] for a, b in spans)
            for qa in paragraph["qas"]:
                start, answer = qa["answers"][0]["answer_start"], qa["answers"][0]["text"]
                if start >= 0 and text[start : start + len(answer)] == answer:
                    gold = first + next(n for n, (a, b) in enumerate(spans) if a <= start < b)
                    found.asked.append((qa["question"], gold, number))
    return found


def rankings(questions: Questions, cached: CachedEmbedder) -> Iterator[dict[str, Ranking]]:
    """Per question the candidates of each first stage, by the shipped sparse index and retrievers."""
    stages = {name: experiment([f"variant={'bm25' if name == 'sparse' else name}"]).pipeline for name in STAGES}
    dense = cached.embed_queries([text for text, _, _ in questions.asked]) @ cached.embed_documents(questions.chunks).T
    with tempfile.TemporaryDirectory() as folder:
        stages["sparse"].sparse.build(Path(folder), questions.chunks)
        with stages["sparse"].sparse.open(Path(folder)) as index:
            for (text, _, _), row in zip(questions.asked, dense):
                best = np.argsort(-row, kind="stable")[:DEPTH]
                numbers, scores = index.search(text, DEPTH)[:2]
                lists = [
                    RouteList("dense", 0, tuple(best.tolist()), tuple(row[best].tolist())),
                    RouteList("sparse", 0, tuple(numbers.tolist()), tuple(scores.tolist())),
                ]
                yield {
                    name: made.retriever.fuse([one for one in lists if one.route in made.routes])[:POOL]
                    for name, made in stages.items()
                }


def cases(name: str, cached: CachedEmbedder) -> dict[str, list[Case]]:
    """The cases of a set by first stage; a question without candidates has no case."""
    questions, scorer = read(name), MaxSim(cached)
    cached.token_vectors(questions.chunks, "passage")
    found: dict[str, list[Case]] = {stage: [] for stage in STAGES}
    for (text, gold, article), by_stage in zip(questions.asked, rankings(questions, cached), strict=True):
        for stage, ranking in by_stage.items():
            if not ranking:
                continue
            texts = [questions.chunks[hit.chunk] for hit in ranking]
            seen = features(text, texts, [hit.score for hit in ranking], scorer.scores(text, texts))
            place = next((n for n, hit in enumerate(ranking) if hit.chunk == gold), None)
            found[stage].append(Case(np.stack([seen[key] for key in FEATURES], axis=1), place, article))
    return found


def fit(every: Sequence[Case]) -> FusionModel:
    """Logistic regression (C = 1) on candidates of questions whose gold chunk is among them."""
    from sklearn.linear_model import LogisticRegression

    kept = [case for case in every if case.gold is not None]
    labels = np.concatenate([np.arange(len(case.rows)) == case.gold for case in kept])
    model = LogisticRegression(C=1.0, max_iter=5000).fit(np.concatenate([case.rows for case in kept]), labels)
    weights = {name: round(float(weight), 3) for name, weight in zip(FEATURES, model.coef_[0])}
    return FusionModel(round(float(model.intercept_[0]), 3), weights)


def gold_rank(case: Case, scores: Floats) -> float:
    """Rank of the gold chunk, ties by former rank; beyond every cut-off where it is not among the candidates."""
    if case.gold is None:
        return 10**6
    return 1 + float((scores > scores[case.gold]).sum() + (scores[: case.gold] == scores[case.gold]).sum())


def compared(every: Sequence[Case], model: FusionModel) -> dict[str, Floats]:
    """Reciprocal ranks (cut at 10) by the first stage, late interaction and the model."""
    first, late = FEATURES.index("first"), FEATURES.index("maxsim")
    ways = {
        "first stage": lambda case: case.rows[:, first],
        "late_interaction": lambda case: MIX * case.rows[:, late] + (1 - MIX) * minmax(case.rows[:, first]),
        "logistic_fusion": lambda case: model.logits(dict(zip(FEATURES, case.rows.T))),
    }
    return {name: reciprocal(np.array([gold_rank(case, way(case)) for case in every])) for name, way in ways.items()}


def told(found: Difference) -> str:
    """A mean difference with its interval."""
    return f"{found.mean:+.4f} [{found.low:+.4f}, {found.high:+.4f}]"


def figures(every: Mapping[str, Sequence[Case]], model: FusionModel, stage: str) -> list[dict[str, object]]:
    """What was measured on each set, printed too."""
    rows: list[dict[str, object]] = []
    for name, of_set in every.items():
        ranks = compared(of_set, model)
        over = {key: told(paired_difference(ranks["logistic_fusion"] - ranks[key], 0)) for key in list(ranks)[:2]}
        late = told(paired_difference(ranks["late_interaction"] - ranks["first stage"], 0))
        means = {key: round(float(values.mean()), 4) for key, values in ranks.items()}
        rows.append({"set": name, "first_stage": stage, "questions": len(of_set), "mrr@10": means, "gain_over": over})
        print(f"  {stage:6} {name:11} n {len(of_set):4}  MRR@10 {' '.join(f'{v:.4f}' for v in means.values())}")
        print(f"         late_interaction over first {late}; fusion over first {over['first stage']}, ", end="")
        print(f"over late_interaction {over['late_interaction']}")
    return rows


def main() -> None:
    """Fit, measure, and write where asked."""
    with tempfile.TemporaryDirectory() as folder, embedder("auto") as worker:
        cached = CachedEmbedder(worker, Store(Path(folder)))
        every = {name: cases(name, cached) for name in FILES}
    model = fit([case for found in every.values() for case in found["hybrid"] if case.for_fitting])
    print(f"bias {model.bias}, weights {dict(model.weights)}")
    print("articles that were not used for the fit:")
    measured = []
    for stage in STAGES:
        held = {name: [case for case in found[stage] if not case.for_fitting] for name, found in every.items()}
        measured += figures(held, model, stage)
    fitted = {
        name: sum(case.for_fitting and case.gold is not None for case in found["hybrid"])
        for name, found in every.items()
    }
    if "--write" in sys.argv:
        write_json(TARGET, sheet(fitted, measured) | {"bias": model.bias, "weights": dict(model.weights)})


def sheet(fitted: Mapping[str, int], measured: Sequence[object]) -> dict[str, object]:
    """What a user of the numbers should know."""
    return {
        "about": "Probability that a candidate holds the evidence, from four features that are relative to the other "
        "candidates. Logistic regression (C = 1); made by benchmarks/train_fusion.py.",
        "fitted_on": {
            "data": "XQuAD en and zh (google-deepmind/xquad), CMRC 2018 dev (ymcui/cmrc2018), both CC BY-SA 4.0; "
            "only these numbers were taken from them",
            "part": "every fourth article of XQuAD, the same in both languages; every fourth passage of CMRC 2018",
            "questions": dict(fitted),
            "candidates": f"the first {POOL} of variant=hybrid; chunks of at most 350 (en) or 150 (zh) characters",
            "embedder": "e5_small",
        },
        "limits": "Questions of these sets were written with the passage in view, which flatters shared words. "
        "The four features were chosen among about ten sets by cross-validation over all articles, those of the "
        "figures included; the weights saw only the part above. Fitted with one embedder and one retriever; "
        "probabilities are those of such candidates.",
        "measured_on_other_articles": list(measured),
    }


if __name__ == "__main__":
    main()
