"""Public answers with human labels, read as they lie in the data folder; nothing of them is shipped."""

from __future__ import annotations

import csv
import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

import orjson

from ragbench.agreement.people import one_against_the_others, pairwise_kappa, rating_against_the_others
from ragbench.agreement.preferences import ragchecker
from ragbench.agreement.records import LabelledAnswer, LabelledSet
from ragbench.core.codec import read_json
from ragbench.errors import DataError

_ASSIGNED = 0.1
"""Least share of a FaithBench batch that somebody marked something in, to count as having read all of it."""


def human_sets(folder: Path) -> list[LabelledSet]:
    """The known sets that lie in a folder, or the one that the folder is; in the order of `READERS`.

    Raises DataError where there is none, and for files that are not as they should be.
    """
    places = {name: folder if folder.name == name else folder / name for name in READERS}
    there = {name: place for name, place in places.items() if place.is_dir()}
    if not there:
        names = ", ".join(READERS)
        raise DataError(str(folder), expected=f"a folder with one of {names}", found="none of them")
    return [_read(name, place) for name, place in there.items()]


def data_hash(paths: Sequence[Path]) -> str:
    """`sha256:` over names and contents of the files of a set, in order of name."""
    digest = hashlib.sha256()
    for path in sorted(paths, key=lambda one: one.name):
        digest.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return f"sha256:{digest.hexdigest()}"


def _read(name: str, folder: Path) -> LabelledSet:
    pattern, reader = READERS[name]
    paths = sorted(folder.glob(pattern))
    if not paths:
        raise DataError(str(folder), expected=f"files {pattern}", found="none")
    try:
        return reader(paths, data_hash(paths))
    except (KeyError, ValueError, IndexError, TypeError, OSError) as error:
        found = " ".join(f"{type(error).__name__}: {error}".split())
        raise DataError(str(folder), expected=f"the files of {name} as published", found=found) from error


def _begin(paths: Sequence[Path], data: str) -> LabelledSet:
    """Fully attributable against not; the few generic ones are left out."""
    answers: list[LabelledAnswer] = []
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["begin_label"] == "Generic":
                    continue
                answers.append(
                    LabelledAnswer(
                        f"begin-{len(answers)}", row["knowledge"], "en", row["model_name"], row["message"],
                        (row["knowledge"],), row["response"], row["begin_label"] == "Fully attributable",
                    )
                )  # fmt: skip
    note = "word overlap alone does nearly as well here; the data hold one label an answer"
    return LabelledSet("begin_wow", "BEGIN-WoW", "CC BY 4.0", data, tuple(answers), note=note)


def _faithbench(paths: Sequence[Path], data: str) -> LabelledSet:
    """Unsupported: somebody marked something Unwanted. Benign additions count as supported; answers whose worst mark is
    Questionable are left out."""
    answers, votes = [], []
    for path in paths:
        samples = read_json(path)["samples"]
        readers = _readers(samples)
        for sample in samples:
            marked: dict[str, set[str]] = defaultdict(set)
            for mark in sample["annotations"]:
                marked[mark["annotator_id"]] |= {label.split(".")[0] for label in mark["label"]}
            worst = set().union(*marked.values())
            votes.append(["Unwanted" not in marked.get(reader, set()) for reader in readers])
            if "Questionable" in worst and "Unwanted" not in worst:
                continue
            answers.append(
                LabelledAnswer(
                    f"faithbench-{path.stem}-{sample['sample_id']}", sample["source"], "en",
                    str(sample["metadata"].get("summarizer", "")), "Summarize the text.", (sample["source"],),
                    sample["summary"], "Unwanted" not in worst,
                )
            )  # fmt: skip
    note = (
        "summaries on which detectors disagree; kappa of people takes everybody who marked a tenth of a batch for a "
        "reader of all of it"
    )
    people = pairwise_kappa(votes)
    licence = "CC BY-NC-SA 4.0, measured only"
    return LabelledSet("nc_faithbench", "FaithBench", licence, data, tuple(answers), people=people, note=note)


def _readers(samples: Sequence[dict[str, Any]]) -> list[str]:
    seen: dict[str, int] = defaultdict(int)
    for sample in samples:
        for reader in {mark["annotator_id"] for mark in sample["annotations"]}:
            seen[reader] += 1
    return sorted(reader for reader, n in seen.items() if n >= _ASSIGNED * len(samples))


def _ocnli(paths: Sequence[Path], data: str) -> LabelledSet:
    """Entailment against the rest; rows without a majority are left out."""
    lines = [line for path in paths for line in path.read_bytes().splitlines() if line.strip()]
    rows = [row for row in map(orjson.loads, lines) if row["label"] != "-"]
    votes = [[row[name] == "entailment" for name in (f"label{n}" for n in range(5)) if row.get(name)] for row in rows]
    answers = tuple(
        LabelledAnswer(
            f"ocnli-{row['id']}", row["prem_id"], "zh", row["genre"], "", (row["sentence1"],), row["sentence2"],
            row["label"] == "entailment",
        )
        for row in rows
    )  # fmt: skip
    people = one_against_the_others(votes)
    note = "inference between sentences, the nearest thing to Chinese labels of faithfulness"
    return LabelledSet("nc_ocnli", "OCNLI", "CC BY-NC 2.0, measured only", data, answers, people=people, note=note)


def _mtrag(paths: Sequence[Path], data: str) -> LabelledSet:
    """Mean rating of faithfulness, 1 to 4; supported: the median is 4. Responses to tasks without passages are left
    out: there is nothing to be faithful to."""
    content = read_json(paths[0])
    texts = {row["document_id"]: row["text"] for row in content["documents"]}
    tasks = {row["task_id"]: row for row in content["tasks"]}
    answers, ratings = [], []
    for row in content["evaluations"]:
        task = tasks[row["task_id"]]
        given = row["annotations"].get("faithfulness") or {}
        said = [float(one["value"]) for one in given.values()]
        passages = tuple(texts[one["document_id"]] for one in task["contexts"])
        if not said or not passages:
            continue
        ratings.append(said)
        answers.append(
            LabelledAnswer(
                f"mtrag-{row['task_id']}-{row['model_id']}", row["task_id"], "en", row["model_id"],
                task["input"][-1]["text"], passages, row["model_response"], median(said) == 4, fmean(said),
            )
        )  # fmt: skip
    people = rating_against_the_others(ratings)
    people |= one_against_the_others([[rating == 4 for rating in said] for said in ratings])
    note = "supported: the median of two or three ratings is the best one"
    return LabelledSet("mtrag_human_eval", "MT-RAG", "Apache-2.0", data, tuple(answers), people=people, note=note)


READERS: dict[str, tuple[str, Callable[[Sequence[Path], str], LabelledSet]]] = {
    "begin_wow": ("begin_*.tsv", _begin),
    "nc_faithbench": ("batch_*.json", _faithbench),
    "mtrag_human_eval": ("*human_evaluations.json", _mtrag),
    "ragchecker_meta": ("human_labeled_data*.json", ragchecker),
    "nc_ocnli": ("dev*.json", _ocnli),
}
"""Which files of a folder of that name hold a set, and what reads them."""
