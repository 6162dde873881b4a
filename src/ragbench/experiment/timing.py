"""How long cutting takes: per document, on the machine at hand, nothing taken from a cache."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from statistics import median

from ragbench.core.workers import TextEmbedder
from ragbench.records.document import Document
from ragbench.run.experiment import Experiment
from ragbench.run.session import Session
from ragbench.splitter.base import Cut

UNIT = 10_000
"""Characters that a time is given for."""

_LEAST = 200
_MOST = 6 * UNIT
_REPEATS = 5
_ENOUGH_S = 0.5
"""A document whose cutting takes longer is not timed again."""

_ENDINGS = count()


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds to cut each of some documents, and their characters."""

    documents: tuple[str, ...]
    ms: tuple[float, ...]
    characters: tuple[int, ...]

    @property
    def ms_per_unit(self) -> float:
        """Milliseconds for 10 000 characters; 0 for no documents."""
        return sum(self.ms) / sum(self.characters) * UNIT if self.documents else 0.0


def time_cutting(experiment: Experiment, session: Session) -> Timing:
    """The median of up to five repeats for each of the first documents of the set's corpus that together have 60 000
    characters; documents of under 200 are left out.

    Vectors are computed anew each time by the open model itself, so that a splitter that compares sentences pays for
    them; opening the model does not count.
    """
    splitter = experiment.pipeline.splitter
    worker: TextEmbedder | None = None
    if splitter.uses_embedder:
        worker = session.open_embedder(experiment.pipeline.embedder).worker
        worker.embed_documents(["warm"])
    cut = splitter.open((lambda: worker) if worker is not None else None)
    chosen = _documents(session.corpus(experiment).documents)
    if chosen:
        cut(chosen[0])  # what is loaded at first use is not the price of a document
    return Timing(
        tuple(document.doc_id for document in chosen),
        tuple(_milliseconds(cut, document) for document in chosen),
        tuple(len(document.text) for document in chosen),
    )


def _documents(documents: Sequence[Document]) -> list[Document]:
    chosen: list[Document] = []
    total = 0
    for document in documents:
        if len(document.text) >= _LEAST and (not chosen or total + len(document.text) <= _MOST):
            chosen.append(document)
            total += len(document.text)
    return chosen


def _milliseconds(cut: Cut, document: Document) -> float:
    times: list[float] = []
    began = time.perf_counter()
    while len(times) < _REPEATS and (not times or time.perf_counter() - began < _ENOUGH_S):
        # Lengths of a text that was cut before are remembered; a text that ends otherwise is a new one.
        fresh = replace(document, text=f"{document.text}\n\n{next(_ENDINGS)}")
        started = time.perf_counter()
        cut(fresh)
        times.append((time.perf_counter() - started) * 1000)
    return median(times)
