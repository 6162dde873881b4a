"""RAGChecker's pairs of answers, which people compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import numpy as np

from ragbench.agreement.figures import value_of
from ragbench.agreement.records import LabelledAnswer, LabelledSet, Preference
from ragbench.core.codec import read_json

ASPECTS = ("correctness", "completeness", "overall")


def ragchecker(paths: Sequence[Path], data: str) -> LabelledSet:
    """Two answers a question and the mean of two annotators' preferences, -2 to 2, above 0 for the second.

    The passage is the reference answer: claims of an answer that it states stand for correctness, its own claims that
    the answer states for completeness.
    """
    rows = [row for path in paths for row in read_json(path)]
    of_pair: dict[int, list[dict[str, float]]] = {}
    for row in rows:
        said = {aspect: float(row[f"{aspect}_label"]) for aspect in ASPECTS}
        of_pair.setdefault(row["instance_id"], []).append(said)
    answers: list[LabelledAnswer] = []
    pairs = []
    for row in {one["instance_id"]: one for one in rows}.values():
        given = of_pair[row["instance_id"]]
        said = {aspect: fmean(one[aspect] for one in given) for aspect in ASPECTS}
        pairs.append(Preference(len(answers), len(answers) + 1, said))
        for model in ("model1", "model2"):
            name = f"ragchecker-{row['instance_id']}-{model}"
            group = f"{row['dataset']}-{row['query_id']}"
            text = row[model]["response"]
            kind = row[model]["model_name"]
            answers.append(
                LabelledAnswer(
                    name, group, "en", kind, row["query"], (row["gt_answer"],), text, reference=row["gt_answer"]
                )
            )
    people = {aspect: _between(list(of_pair.values()), aspect) for aspect in ASPECTS}
    note = "Spearman of the difference of two answers with people's preference; for the annotators, of one with another"
    return LabelledSet("ragchecker_meta", "RAGChecker", "Apache-2.0", data, tuple(answers), tuple(pairs), people, note)


def _between(of_pair: Sequence[Sequence[dict[str, float]]], aspect: str) -> float:
    """Spearman of the first annotator with the second."""
    both = np.array([[one[aspect] for one in said[:2]] for said in of_pair if len(said) > 1])
    return round(value_of("spearman", both[:, 0], both[:, 1]), 6)
