"""Chains of sub-questions against those that people wrote for FanOutQA: how many, which, and in which order.

A question is taken apart as the flow `sequential` does it, without its pages. The rules were written with the first 70
questions in view; figures are those of the others, the first 70 apart. Run from the root of the repository:

    python benchmarks/decomposition.py [llm=ollama] [--show 5]

Data: RAGBENCH_DATA (default ../shared/data), FanOutQA (CC BY-SA 4.0) in fanoutqa.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.flow.sequential import SequentialFlow
from ragbench.measure.answer.text import f1, units
from ragbench.query.splitting import Part, Pieces
from ragbench.run.build import experiment
from ragbench.run.progress import Progress
from ragbench.run.session import Session
from ragbench.stats.bootstrap import mean_interval

FILE = Path(os.environ.get("RAGBENCH_DATA") or "../shared/data") / "fanoutqa" / "fanout-dev.part.json"
SEEN = 70
COVERED = 0.5
"""Word F1 from which on a sub-question is taken for that of a person."""


@dataclass(frozen=True)
class Human:
    """A person's sub-questions, nested ones put in their parents' place, and for each the ones it depends on."""

    question: str
    parts: tuple[str, ...]
    needs: tuple[frozenset[int], ...]


def flat(rows: Sequence[Any], above: frozenset[str] = frozenset()) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
    """Sub-questions in order, those that are decomposed themselves replaced by what they consist of; each with the ids
    that it depends on, those of what it is part of among them."""
    for row in rows:
        needs = above.union(row["depends_on"])
        if row["decomposition"]:
            yield from flat(row["decomposition"], needs)
        else:
            yield row, needs


def leaves(row: Any) -> list[str]:
    """Ids that stand for a sub-question, its own where it is not decomposed."""
    return [one["id"] for one, _ in flat(row["decomposition"])] if row["decomposition"] else [row["id"]]


def humans() -> list[Human]:
    """The questions of the file, in order."""
    found = []
    for row in json.loads(FILE.read_text(encoding="utf-8")):
        own = list(flat(row["decomposition"]))
        place = {one["id"]: at for at, (one, _) in enumerate(own)}
        stands: dict[str, list[str]] = {}

        def note(rows: Sequence[Any], stands: dict[str, list[str]] = stands) -> None:
            for one in rows:
                stands[one["id"]] = leaves(one)
                note(one["decomposition"])

        note(row["decomposition"])
        needs = [
            frozenset(place[leaf] for other in others for leaf in stands.get(other, ()) if leaf in place)
            for _, others in own
        ]
        found.append(Human(row["question"], tuple(one["question"] for one, _ in own), tuple(needs)))
    return found


def matched(human: Human, parts: Sequence[Part]) -> list[int | None]:
    """For each sub-question of a person the part that is most like it by word F1; None: none reaches 0.5."""
    texts = [units(part.template or part.text) for part in parts]
    found: list[int | None] = []
    for text in human.parts:
        scores = [f1(one, units(text)) for one in texts]
        best = max(range(len(scores)), key=lambda at: (scores[at], -at))
        found.append(best if scores[best] >= COVERED else None)
    return found


def order(human: Human, parts: Sequence[Part], places: Sequence[int | None]) -> tuple[int, int, int]:
    """Dependent pairs of a person; of those the ones whose two parts are told apart here; and of those the ones that
    stand in that order here and need each other."""
    reach: list[set[int]] = []
    for part in parts:
        reach.append(set(part.needs).union(*(reach[need] for need in part.needs)))
    pairs = [(a, b) for a, b in combinations(range(len(human.parts)), 2) if a in human.needs[b]]
    apart = [(places[a], places[b]) for a, b in pairs if None not in (places[a], places[b]) and places[a] != places[b]]
    return len(pairs), len(apart), sum(a in reach[b] for a, b in apart)


def told(name: str, rows: Sequence[tuple[Human, Pieces]]) -> None:
    """Print the figures of some questions."""
    covered, alone, first = [], [], []
    pairs = np.zeros(3, int)
    for human, pieces in rows:
        places = matched(human, pieces.parts)
        covered.append(np.mean([place is not None for place in places]))
        alone.append(np.mean([place is not None for place in matched(human, [Part(human.question)])]))
        roots = [at for at, needs in enumerate(human.needs) if not needs]
        first.append(np.mean([places[at] is not None for at in roots]) if roots else 0.0)
        pairs += order(human, pieces.parts, places)
    counts = [(len(human.parts), len(pieces.parts)) for human, pieces in rows]
    chains = [pieces.kind == "chain" for _, pieces in rows]
    kinds = sum(len({frozenset(needs) for needs in human.needs}) > 1 for human, _ in rows)
    same = np.mean([a == b for a, b in counts])
    people, here = (np.mean(column) for column in zip(*counts))
    print(f"{name}: {len(rows)} questions")
    print(f"  chains: people's {kinds}, ours {sum(chains)}")
    print(f"  sub-questions: people's {people:.2f}, ours {here:.2f} a question; the same number {same:.3f}")
    print(f"  coverage of people's sub-questions: {share(covered)}; by the question as it is: {share(alone)}")
    print(f"  coverage of those that depend on none: {share(first)}")
    print(f"  order: {pairs[0]} dependent pairs, {pairs[1]} told apart, {pairs[2]} of these depend in that order")


def share(values: Sequence[float]) -> str:
    """A mean with its 95 % interval."""
    mean, low, high = mean_interval(np.array(values, float)[:, None], 0)
    return f"{mean:.3f} ({low:.3f}–{high:.3f})"


def main() -> None:
    """Take every question apart and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("overrides", nargs="*", help="overrides of a run, such as llm=ollama")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print the first N questions with their parts")
    args = parser.parse_args()
    if not FILE.is_file():
        sys.exit(f"{FILE}: not found. Set RAGBENCH_DATA to a folder that holds FanOutQA as fanoutqa.")
    made = experiment(["flow=sequential", *args.overrides])
    assert isinstance(made.pipeline.flow, SequentialFlow)
    every = humans()
    with Session(Store(made.places.store), Progress(quiet=True)) as session:
        tools = Tools(session.store, None, session.models(made))
        with made.pipeline.flow.decomposer.open(tools) as decomposer:
            rows = [(human, decomposer.chain(human.question)[0]) for human in every]
    for human, pieces in rows[: args.show]:
        print(
            human.question, *(f"    {part.template or part.text} {list(part.needs)}" for part in pieces.parts), sep="\n"
        )
    told("not looked at", rows[SEEN:])
    told("looked at", rows[:SEEN])


if __name__ == "__main__":
    main()
