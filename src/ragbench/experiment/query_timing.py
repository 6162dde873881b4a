"""How long a question takes: asked anew, variant by variant in turn, on the machine at hand.

The variants take turns question by question, so that whatever else the machine does meets all of them alike. Nothing is
taken from a cache of results. Vectors of passages lie beside the index, as in a deployed system; each query is embedded
once for each repeat and charged to every variant that searches vectors.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from statistics import median

from ragbench.core.store import Store
from ragbench.eval_set.chosen import spread
from ragbench.experiment.plan import Cell
from ragbench.pipeline.offline import build
from ragbench.pipeline.online import OnlineBench, open_bench
from ragbench.records.question import Question
from ragbench.run.experiment import Experiment
from ragbench.run.session import Session

N_QUESTIONS = 60
REPEATS = 3

_BLANKS = count(1)


def time_queries(cells: Mapping[Cell, Experiment], session: Session) -> dict[Cell, dict[str, float]]:
    """Milliseconds by question for each variant of one eval set: the median of three repeats, for up to 60 questions
    spread evenly over the set. A question that fails in a variant has no time there.

    The first question is asked once before, so that what is loaded at first use is nobody's time; token vectors that a
    reranker keeps beside the index are computed then, and in the first repeat, which is not counted.
    """
    first = next(iter(cells.values()))
    questions = spread(first.questions_of(session.eval_set(first)), N_QUESTIONS)
    times: dict[Cell, dict[str, list[float]]] = {cell: {} for cell in cells}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        benches = {}
        for number, (cell, one) in enumerate(cells.items()):
            store = stack.enter_context(closing(Store(Path(folder) / str(number))))
            benches[cell] = stack.enter_context(_open(one, session, store))
        for repeat in range(REPEATS + 1):
            for question in questions:
                asked = _anew(question)
                for cell, bench in benches.items():
                    ms = _ask(cells[cell], bench, asked)
                    if repeat and ms is not None:
                        times[cell].setdefault(question.id, []).append(ms)
    return {cell: {key: median(found) for key, found in of_cell.items()} for cell, of_cell in times.items()}


def _open(experiment: Experiment, session: Session, store: Store) -> AbstractContextManager[OnlineBench]:
    """The online half over the stored indexes, with tables of results of its own."""
    opener = session.embedder(experiment.pipeline.embedder)
    built = build(experiment.pipeline, session.corpus(experiment), session.store, opener)
    return open_bench(experiment.pipeline, built, store, opener, models=session.models(experiment))


def _anew(question: Question) -> Question:
    """The question with blanks behind it, which no tokeniser sees: a text that no cache has met."""
    return replace(question, question=question.question + " " * next(_BLANKS))


def _ask(experiment: Experiment, bench: OnlineBench, question: Question) -> float | None:
    trace = next(iter(experiment.pipeline.flow.run([question], bench)))
    return None if trace.error else sum(trace.timings_ms.values())
