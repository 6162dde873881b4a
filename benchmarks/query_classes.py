"""How well questions are classified: rules, the small model and both as tiers, on held-out rows of labelled sets.

    python benchmarks/query_classes.py [shipped] [mtrag] [lihua] [clinc] [spaces] [--json FILE]

Without names all parts. Data: the shipped eval sets; MTRAG-UN, LiHua-World and CLINC from RAGBENCH_DATA (default
../shared/data), a part whose data is not there is passed over. Every figure of the small model is of rows that no part
of it has seen: five folds that keep equal texts (MTRAG: conversations) together, temperature and threshold of a fold
chosen on the other folds. The rules are measured as they are; they were tuned on the dev questions of the shipped sets,
so their figures on `test` are the ones to read.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from embedder import data_folder, embedder

from ragbench.core.codec import read_json, read_jsonl
from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.embedder.cached import CachedEmbedder
from ragbench.measure.query.answerability import auroc, balanced_accuracy
from ragbench.measure.query.classification import ABSTAINED, accuracy, confusion, macro_f1
from ragbench.query.classifier.base import SIMPLE, Classifier, Understood
from ragbench.query.classifier.label_model import PROBES, features, load_label_model, softmax
from ragbench.query.classifier.model import ModelClassifier
from ragbench.query.classifier.tiered import TieredClassifier
from ragbench.query.rules import RuleClassifier
from ragbench.records.question import Turn
from ragbench.run.label_fit import Settings, decisions, fit, temperature
from ragbench.run.label_training import held_out
from ragbench.run.labelled_data import LabelledRow

SETS = ("policy_zh", "product_en")
SETTINGS = Settings()
RULES = RuleClassifier(short=25)
Asked = tuple[str, tuple[Turn, ...]]


@dataclass(frozen=True, kw_only=True)
class Told(Classifier):
    """A tier whose answers are known: held-out ones."""

    answers: Mapping[str, Understood]

    @contextmanager
    def open(self, tools: Tools) -> Iterator[Told]:
        """Needs nothing."""
        yield self

    def classify(self, text: str, history: tuple[Turn, ...] = ()) -> Understood:
        """The answer known for the text."""
        return self.answers[text]


def tiers(order: tuple[str, ...], model: Classifier | None) -> TieredClassifier:
    """The shipped tiers with another model."""
    return TieredClassifier(order=order, rules=RULES, model=model, llm=None, simple_cost=2.0, abstain_cost=0.3)


def told(gold: Sequence[str], found: Sequence[Understood]) -> dict[str, Any]:
    """Figures of predicted classes; shares of tiers sum to 1, and what none decides is what a model would be asked."""
    said = [one.complexity or ABSTAINED for one in found]
    tiers_of = [one.tier for one in found]
    complex_ones = [label == SIMPLE for label, true in zip(said, gold) if true != SIMPLE]
    shares = {}
    for tier in sorted(set(tiers_of)):
        right = [a == b for a, b, own in zip(said, gold, tiers_of) if own == tier]
        shares[tier] = {"share": len(right) / len(gold), "accuracy": sum(right) / len(right)}
    price = {True: 0.0, False: 1.0}
    cost = [0.5 if s == ABSTAINED else 2.0 if s == SIMPLE != g else price[s == g] for s, g in zip(said, gold)]
    return {
        "rows": len(gold),
        "accuracy": accuracy(gold, said),
        "macro_f1": macro_f1(gold, said),
        "cost": sum(cost) / len(cost),
        "complex_as_simple": sum(complex_ones) / len(complex_ones) if complex_ones else None,
        "tiers": shares,
        "calls_if_asked": shares.get(ABSTAINED, {"share": 0.0})["share"],
        "confusion": confusion(gold, said),
    }


def classified(classifier: Classifier, asked: Sequence[Asked], cached: CachedEmbedder) -> list[Understood]:
    """What a classifier says of questions."""
    with classifier.open(Tools(cached.store, cached)) as worker:
        return [worker.classify(text, history) for text, history in asked]


def held(rows: Sequence[LabelledRow], cached: CachedEmbedder, form: bool = True) -> tuple[list[str], Any]:
    """The labels and what held-out models said."""
    labels = sorted({row.label for row in rows})
    texts = [row.text for row in rows]
    truth = np.array([labels.index(row.label) for row in rows])
    settings = replace(SETTINGS, form=form)
    return labels, held_out(rows, features(cached.embed_queries(texts), texts, form), truth, labels, settings)


def held_answers(rows: Sequence[LabelledRow], cached: CachedEmbedder, form: bool = True) -> list[Understood]:
    """The held-out decisions, those below their threshold as abstentions."""
    labels, found = held(rows, cached, form)
    both = zip(found.decisions.label, found.decisions.probability, found.thresholds)
    return [Understood(labels[at], "model", float(p)) if p >= threshold else Understood() for at, p, threshold in both]


def always(
    rows: Sequence[LabelledRow], cached: CachedEmbedder, form: bool = True, plain: bool = False
) -> list[Understood]:
    """The held-out decisions without abstention; `plain`: the likeliest class, not the one of least expected cost."""
    labels, found = held(rows, cached, form)
    said = np.argmax(found.probabilities, axis=1) if plain else found.decisions.label
    return [Understood(labels[at], "model", float(p[at])) for at, p in zip(said, found.probabilities)]


def shipped(cached: CachedEmbedder) -> dict[str, Any]:
    """Complexity of the shipped sets: all rows by held-out folds, and the test split by the shipped model."""
    report: dict[str, Any] = {}
    every: list[dict[str, Any]] = []
    for name in SETS:
        every += [row | {"set": name} for row in read_jsonl(Path(f"eval_sets/{name}/v1/questions.jsonl"))]
    asked = [(row["question"], tuple(Turn(**turn) for turn in row.get("history", ()))) for row in every]
    rows = [LabelledRow(row["question"], row["complexity"], row["question"].casefold()) for row in every]
    answers = held_answers(rows, cached)
    known = Told(answers=dict(zip([row.text for row in rows], answers)))
    builtin = ModelClassifier(
        complexity="builtin", category=None, answerable=None, simple_cost=2.0, threshold=None, category_threshold=None
    )
    ways: dict[str, Callable[[], list[Understood]]] = {
        "rules": lambda: classified(RULES, asked, cached),
        "model, held out": lambda: answers,
        "model, held out, never abstaining": lambda: always(rows, cached),
        "model, held out, plain argmax": lambda: always(rows, cached, plain=True),
        "model, held out, vectors alone": lambda: held_answers(rows, cached, form=False),
        "rules + model, held out": lambda: classified(tiers(("rules", "model"), known), asked, cached),
        "shipped model, never abstaining (dev is what it was trained on)": lambda: classified(
            replace(builtin, threshold=0.0), asked, cached
        ),
        "shipped model, plain argmax (dev is what it was trained on)": lambda: classified(
            replace(builtin, threshold=0.0, simple_cost=1.0), asked, cached
        ),
        "shipped model (dev is what it was trained on)": lambda: classified(builtin, asked, cached),
        "rules + shipped model (dev as above)": lambda: classified(tiers(("rules", "model"), builtin), asked, cached),
    }
    for way, ask in ways.items():
        found = ask()
        for part, keep in _parts(every).items():
            gold = [row["complexity"] for row, kept in zip(every, keep) if kept]
            report[f"{way} | {part}"] = told(gold, [one for one, kept in zip(found, keep) if kept])
    report["rules, right of each | dev"] = _by_rule([row for row in every if row["split"] == "dev"], cached)
    for label in ("category", "answerable", "language"):
        report[f"{label}, held out"] = one_label(every, label, cached)
    report["answerable, held out, vectors alone"] = one_label(every, "answerable", cached, form=False)
    report["language by script"] = _by_script(every)
    return report


def _by_rule(rows: Sequence[Mapping[str, Any]], cached: CachedEmbedder) -> dict[str, Any]:
    """How many questions each rule decided, and the share that is right."""
    asked = [(row["question"], tuple(Turn(**turn) for turn in row.get("history", ()))) for row in rows]
    pairs = [(one.complexity, row["complexity"]) for one, row in zip(classified(RULES, asked, cached), rows)]
    decided = Counter(said for said, _ in pairs if said)
    return {
        name: {"decided": number, "right": sum(pair == (name, name) for pair in pairs) / number}
        for name, number in sorted(decided.items())
    }


def _parts(every: Sequence[Mapping[str, Any]]) -> dict[str, list[bool]]:
    parts = {"all": [True] * len(every)}
    for split in ("dev", "test"):
        parts[split] = [row["split"] == split for row in every]
    for name in SETS:
        parts[name] = [row["set"] == name for row in every]
        parts[f"{name} test"] = [row["set"] == name and row["split"] == "test" for row in every]
    return parts


def _by_script(every: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    from ragbench.text.language import language_of

    gold, said = [row["language"] for row in every], [language_of(row["question"]) for row in every]
    return {"rows": len(gold), "accuracy": accuracy(gold, said), "confusion": confusion(gold, said)}


def one_label(
    every: Sequence[Mapping[str, Any]], label: str, cached: CachedEmbedder, form: bool = True, group: str = ""
) -> dict[str, Any]:
    """Held-out figures of any label: with abstention and without."""
    rows = [
        LabelledRow(row["question"], str(row[label]), str(row.get(group) or row["question"].casefold()))
        for row in every
    ]
    labels, found = held(rows, cached, form)
    gold = [row.label for row in rows]
    said = [labels[at] for at in found.decisions.label]
    sure = found.decisions.probability >= found.thresholds
    right = found.decisions.cost == 0
    figures = {
        "rows": len(rows),
        "labels": dict(Counter(gold)),
        "commonest": max(Counter(gold).values()) / len(gold),
        "accuracy": accuracy(gold, said),
        "macro_f1": macro_f1(gold, said),
        "decided": float(sure.mean()),
        "accuracy_decided": float(right[sure].mean()) if sure.any() else None,
        "confusion": confusion(gold, said),
    }
    if len(labels) == 2:
        positive = [one == labels[1] for one in gold]
        figures["auroc"] = auroc(positive, found.probabilities[:, 1].tolist())
        figures["balanced_accuracy"] = balanced_accuracy(positive, (found.probabilities[:, 1] >= 0.5).tolist())
    return figures


def mtrag(cached: CachedEmbedder) -> dict[str, Any]:
    """Question types and answerability of MTRAG-UN; the last turn is read, folds keep conversations together."""
    every = []
    for task in read_jsonl(data_folder() / "mtrag_un/generation_tasks/reference.jsonl"):
        turns = [Turn({"agent": "assistant"}.get(one["speaker"], "user"), one["text"]) for one in task["input"]]
        every.append(
            {
                "question": turns[-1].content,
                "history": tuple(turns[:-1]),
                "conversation": task["conversation_id"],
                "types": [one for one in task["Question Type"] if one and one != "N/A"],
                "label": task["answerability"][0],
                "answerable": str(task["answerability"][0] in ("ANSWERABLE", "PARTIAL")).lower(),
                "underspecified": str(task["answerability"][0] == "UNDERSPECIFIED").lower(),
            }
        )
    single = [row | {"type": row["types"][0]} for row in every if len(row["types"]) == 1]
    common = Counter(row["type"] for row in single)
    single = [row for row in single if common[row["type"]] >= 5]
    found = classified(RULES, [(row["question"], row["history"]) for row in every], cached)
    vague = [one.complexity == "ambiguous" for one in found]
    truly = [row["underspecified"] == "true" for row in every]
    both = sum(a and b for a, b in zip(vague, truly))
    return {
        "types (rows with one type, types of 5 rows or more)": one_label(single, "type", cached, group="conversation"),
        "answerability, 4 labels": one_label(every, "label", cached, group="conversation"),
        "answerable or partial": one_label(every, "answerable", cached, group="conversation"),
        "underspecified": one_label(every, "underspecified", cached, group="conversation"),
        "rules say ambiguous of underspecified": {
            "rows": len(every),
            "recall": both / sum(truly),
            "precision": both / sum(vague) if any(vague) else None,
        },
        "rules, classes said": dict(Counter(one.complexity or ABSTAINED for one in found)),
    }


def lihua(cached: CachedEmbedder) -> dict[str, Any]:
    """Types of LiHua-World; of the rules Single counts as simple_lookup, Multi as multi_hop."""
    every = list(read_json(data_folder() / "lihua_world/qa/query_set.json").values())
    gold = {"Single": SIMPLE, "Multi": "multi_hop"}
    some = [row for row in every if row["type"] in gold]
    found = classified(RULES, [(row["question"], ()) for row in some], cached)
    return {
        "Single, Multi, Null": one_label(every, "type", cached),
        "Single, Multi": one_label(some, "type", cached),
        "rules on Single and Multi": told([gold[row["type"]] for row in some], found),
    }


def clinc(cached: CachedEmbedder) -> dict[str, Any]:
    """Intents of CLINC with out-of-scope: trained on the train rows, thresholds chosen on one half of the validation
    rows, figures of the other half."""
    data = read_json(data_folder() / "clinc_oos/data_full.part.json")
    check = [(text, label) for name in ("val", "oos_val") for text, label in data[name]]
    halves = {"chosen": check[::2], "figures": check[1::2]}
    report: dict[str, Any] = {}
    for way, extra in {"threshold alone": [], "out-of-scope rows as a label, and threshold": data["oos_train"]}.items():
        train = [*data["train"], *extra]
        labels = sorted({label for _, label in train})
        texts = [text for text, _ in train]
        rows = features(cached.embed_queries(texts), texts, True)
        weights, bias = fit(rows, np.array([labels.index(label) for _, label in train]), len(labels), SETTINGS)
        best = (-1.0, 0.0)
        heat = 1.0
        for part, pairs in halves.items():
            own = [text for text, _ in pairs]
            logits = features(cached.embed_queries(own), own, True) @ weights.T + bias
            gold = [label for _, label in pairs]
            if part == "chosen":
                known = [at for at, label in enumerate(gold) if label in labels]
                heat = temperature(logits[known], np.array([labels.index(gold[at]) for at in known]))
            found = decisions(softmax(logits / heat), np.zeros(len(own), int), labels, SETTINGS.costs)
            said = np.array(labels)[found.label]
            if part == "chosen":
                grid = np.arange(0, 1, 0.01)
                best = max((sum(_scope(gold, said, found.probability, float(t))[:2]), -float(t)) for t in grid)
            else:
                inside, recall, precision = _scope(gold, said, found.probability, -best[1])
                at_zero = _scope(gold, said, found.probability, 0.0)
                report[way] = {
                    "in scope": sum(label != "oos" for label in gold),
                    "out of scope": gold.count("oos"),
                    "threshold": -best[1],
                    "in_scope_accuracy": inside,
                    "oos_recall": recall,
                    "oos_precision": precision,
                    "in_scope_accuracy_without_threshold": at_zero[0],
                }
    return report


def _scope(gold: Sequence[str], said: Any, probability: Any, threshold: float) -> tuple[float, float, float | None]:
    """Accuracy of in-scope rows, recall and precision of saying out-of-scope: `oos` or less than the threshold."""
    out = [bool(p < threshold or label == "oos") for p, label in zip(probability, said)]
    inside = [not o and a == b for o, a, b in zip(out, said, gold) if b != "oos"]
    caught = [o for o, b in zip(out, gold) if b == "oos"]
    return sum(inside) / len(inside), sum(caught) / len(caught), sum(caught) / sum(out) if any(out) else None


def spaces(cached: CachedEmbedder) -> dict[str, Any]:
    """Cosines of the probe texts between the runtimes of the offline embedder, and what the shipped model says with
    each of them on the test questions."""
    from ragbench.run.build import experiment

    stage = experiment(["generator=none", "judge=none"]).pipeline.embedder
    model = load_label_model("builtin", "complexity")
    rows = [row for name in SETS for row in read_jsonl(Path(f"eval_sets/{name}/v1/questions.jsonl"))]
    texts = [row["question"] for row in rows if row["split"] == "test"]
    report: dict[str, Any] = {}
    first: Any = None
    others = {
        "int8": {},
        "q4": {"runtime": "q4"},
        "numpy": {"runtime": "numpy"},
        "without prefix": {"query_prefix": ""},
    }
    for name, changed in others.items():
        with replace(stage, **({"runtime": "int8"} | changed)).open() as worker:
            vectors = worker.embed_queries(PROBES)
            said = np.argmax(model.probabilities(worker.embed_queries(texts), texts), axis=1)
        first = (vectors, said) if first is None else first
        report[name] = {
            "cosine": float((vectors * first[0]).sum(axis=1).min()),
            "same_class": float((said == first[1]).mean()),
        }
    return report


PARTS: dict[str, Callable[[CachedEmbedder], dict[str, Any]]] = {
    "shipped": shipped, "mtrag": mtrag, "lihua": lihua, "clinc": clinc, "spaces": spaces,
}  # fmt: skip
NEEDS = {"mtrag": "mtrag_un", "lihua": "lihua_world", "clinc": "clinc_oos"}


def main() -> None:
    """Measure the parts that were asked for."""
    target = Path(sys.argv[sys.argv.index("--json") + 1]) if "--json" in sys.argv else None
    asked = [name for name in sys.argv[1:] if name in PARTS] or list(PARTS)
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, embedder("auto") as worker:
        cached = CachedEmbedder(worker, Store(Path(folder)))
        for name in asked:
            if name in NEEDS and not (data_folder() / NEEDS[name]).is_dir():
                print(f"{name}: {data_folder() / NEEDS[name]} is not there")
                continue
            report[name] = PARTS[name](cached)
            print(f"== {name}")
            for title, figures in report[name].items():
                print(title)
                print("   ", json.dumps(_short(figures), ensure_ascii=False))
    if target is not None:
        target.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _short(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 3)
    return {key: _short(item) for key, item in value.items()} if isinstance(value, dict) else value


if __name__ == "__main__":
    main()
