"""Which conversations of MTRAG-UN are answered with a question back: which were underspecified, which not.

Each of the 288 tasks (the last turn with the turns before it) goes through query understanding and the flow `adaptive`
as a run would send it; nothing is retrieved. A task counts as asked back where its class takes the way that clarifies.
Run from the root of the repository, with overrides of a run if wanted:

    python benchmarks/clarification.py [classifier=tiered] [llm=ollama] [--show 3]

Data: RAGBENCH_DATA (default ../shared/data), MTRAG-UN (Apache-2.0) in mtrag_un/generation_tasks.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.flow.adaptive import AdaptiveFlow
from ragbench.flow.adaptive_k import class_of
from ragbench.flow.ways import Clarify
from ragbench.query.base import asked
from ragbench.records.question import Question, Turn
from ragbench.run.build import experiment
from ragbench.run.progress import Progress
from ragbench.run.session import Session
from ragbench.stats.bootstrap import mean_interval

FOLDER = Path(os.environ.get("RAGBENCH_DATA") or "../shared/data") / "mtrag_un" / "generation_tasks"
WANTED = "UNDERSPECIFIED"
Told = tuple[str, Question, str, str]
"""Label, question, class, question back (empty: none)."""


def tasks() -> Iterator[tuple[str, Question]]:
    """Label and question of each task, in the order of the files."""
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            turns = [Turn("user" if one["speaker"] == "user" else "assistant", one["text"]) for one in row["input"]]
            yield row["answerability"][0], Question(row["task_id"], turns[-1].content, history=tuple(turns[:-1]))


def understood(overrides: Sequence[str]) -> list[Told]:
    """What becomes of each task."""
    made = experiment(["flow=adaptive", *overrides])
    flow = made.pipeline.flow
    assert isinstance(flow, AdaptiveFlow)
    with Session(Store(made.places.store), Progress(quiet=True)) as session:
        stage = made.pipeline.query
        embedder = session.open_embedder(made.pipeline.embedder) if stage.uses_embedder else None
        tools = Tools(session.store, embedder, session.models(made))
        with stage.open(tools) as query:
            return [
                (label, question, *_told(flow, query.plan(asked(question))[0], question, tools))
                for label, question in tasks()
            ]


def _told(flow: AdaptiveFlow, view: object, question: Question, tools: Tools) -> tuple[str, str]:
    name = class_of(view)  # type: ignore[arg-type]
    way = flow.ways[name]
    if not isinstance(way, Clarify):
        return name, ""
    with way.clarifier.open(tools) as clarifier:
        return name, clarifier.clarify(question.question, question.history)[0]


def share(asked_back: Sequence[bool]) -> str:
    """A share with its 95 % interval."""
    mean, low, high = mean_interval(np.array(asked_back, float)[:, None], 0) if asked_back else (None, None, None)
    return "–" if mean is None else f"{mean:.3f} ({low:.3f}–{high:.3f})"


def main() -> None:
    """Print a line for each label, then what that comes to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("overrides", nargs="*", help="overrides of a run, such as classifier=tiered")
    parser.add_argument(
        "--show", type=int, default=0, metavar="N", help="print the first N questions back of each label"
    )
    args = parser.parse_args()
    if not FOLDER.is_dir():
        sys.exit(f"{FOLDER}: not found. Set RAGBENCH_DATA to a folder that holds MTRAG-UN as mtrag_un.")
    told = understood(args.overrides)
    single = sum(not question.history for _, question, _, _ in told)
    print(f"overrides: {' '.join(args.overrides) or 'none'}; tasks {len(told)}, of one turn {single}")
    print(f"{'label':<16} {'n':>4} {'asked back':>10}   share (95 %)")
    for label in sorted({row[0] for row in told}, key=lambda name: (name != WANTED, name)):
        own = [bool(back) for name, _, _, back in told if name == label]
        print(f"{label:<16} {len(own):>4} {sum(own):>10}   {share(own)}")
        for _, question, _, back in [row for row in told if row[0] == label and row[3]][: args.show]:
            print(f"    {question.question!r} → {back}")
    hit = [bool(back) for label, _, _, back in told if label == WANTED]
    wrong = [bool(back) for label, _, _, back in told if label != WANTED]
    n = sum(hit) + sum(wrong)
    print(f"answer/clarified {share(hit)}; answer/false_clarification {share(wrong)}")
    print(f"of {n} questions back {sum(hit)} were wanted")
    print("classes:", dict(sorted(Counter(row[2] for row in told).items())))


if __name__ == "__main__":
    main()
