"""Variants of a sweep in several processes; each run is what it would be in one.

The processes share the store, whose locks make an artifact once. Of the variants that share their artifacts one goes
ahead, and the others follow when it is done, so that no two embed the same texts.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.util import Finalize
from pathlib import Path
from threading import Thread
from typing import Self

from ragbench.core.fingerprint import fingerprint
from ragbench.core.store import Store
from ragbench.errors import ConfigError
from ragbench.llm.settings import Limits
from ragbench.run.build import build
from ragbench.run.compose import Composer
from ragbench.run.points import Point
from ragbench.run.rehearsal import line_of, rehearse
from ragbench.run.runner import RunResult, run
from ragbench.run.session import Ahead, Session


@dataclass(frozen=True)
class Done:
    """What a process gives back of a variant: its run, or the error, or None for a rehearsal that went well; what it
    made ahead of the run, and what a user should know besides."""

    outcome: RunResult | str | None
    ahead: Ahead | None = None
    notes: tuple[str, ...] = ()


Work = Callable[[tuple[str, ...], "Ahead | None"], Done]


def check_jobs(jobs: int, points: Sequence[Point]) -> None:
    """Raise ConfigError for a number of processes below 1, and for several of them under a budget, which each process
    would count for itself."""
    if jobs < 1:
        raise ConfigError("--jobs", expected="1 or more", found=str(jobs))
    if jobs > 1 and any(point.experiment.calls.budget != Limits() for point in points):
        expected, hint = "1 with calls.budget, which each process counts for itself", "Leave out one of the two."
        raise ConfigError("--jobs", expected=expected, found=str(jobs), hint=hint)


class Workers:
    """Processes that keep their models open between variants; a context manager."""

    def __init__(self, jobs: int, store: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(jobs, context, initializer=_open, initargs=(str(store),))
        self._ahead: dict[int, Ahead] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def rehearsed(self, points: Sequence[Point]) -> Iterator[tuple[Point, Done]]:
        """Points with what went wrong in their rehearsal."""
        for point, done in self._each(points, _rehearse):
            if done.ahead is not None:
                self._ahead[id(point)] = done.ahead
            yield point, done

    def runs(self, points: Sequence[Point]) -> Iterator[tuple[Point, Done]]:
        """Points with what came of them, as they end; a process that dies ends the points that it held as failed."""
        return self._each(points, _run)

    def _each(self, points: Sequence[Point], work: Work) -> Iterator[tuple[Point, Done]]:
        groups: dict[str, list[Point]] = {}
        for point in points:
            groups.setdefault(_artifacts(point), []).append(point)
        pending = {self._submitted(work, first): (first, rest) for first, *rest in groups.values()}
        places = {id(point): at for at, point in enumerate(points)}
        while pending:
            ended, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in sorted(ended, key=lambda one: places[id(pending[one][0])]):
                point, rest = pending.pop(future)
                yield point, _result(future)
                pending |= {self._submitted(work, one): (one, []) for one in rest}

    def _submitted(self, work: Work, point: Point) -> Future[Done]:
        try:
            return self._pool.submit(work, point.overrides, self._ahead.get(id(point)))
        except RuntimeError as error:  # of a pool whose process died
            failed: Future[Done] = Future()
            failed.set_exception(error)
            return failed


def _result(future: Future[Done]) -> Done:
    try:
        return future.result()
    except Exception as error:  # a process that died
        return Done(f"its process ended before it did ({line_of(error)}); with less memory a smaller --jobs helps")


def _artifacts(point: Point) -> str:
    """What is made for a variant before its first question."""
    experiment = point.experiment
    pipeline = experiment.pipeline
    made = (pipeline.splitter, pipeline.prefix, pipeline.embedder, pipeline.index, pipeline.sparse)
    return fingerprint([one.recipe() for one in made], str(experiment.source.folder()), experiment.loader.recipe())


_SESSION: list[Session] = []
"""The open session of a process that works for a sweep."""


def _open(store: str) -> None:
    session = Session(Store(Path(store)))
    stack = ExitStack()
    stack.enter_context(session)
    stack.enter_context(session.sharing())
    _SESSION.append(session)
    Thread(target=_end_with_parent, daemon=True).start()
    Finalize(None, stack.close, exitpriority=10)


def _end_with_parent() -> None:
    """A process whose sweep was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _run(overrides: tuple[str, ...], ahead: Ahead | None) -> Done:
    (session,) = _SESSION
    try:
        experiment = build(Composer().compose(overrides), lenient=True)
        if ahead is not None:
            session.made_ahead[experiment.fingerprint()] = ahead
        return Done(run(experiment, session), notes=tuple(session.notes()))
    except Exception as error:  # a variant that fails is listed; the others go on
        return Done(line_of(error), notes=tuple(session.notes()))


def _rehearse(overrides: tuple[str, ...], _: Ahead | None) -> Done:
    (session,) = _SESSION
    experiment = build(Composer().compose(overrides), lenient=True)
    return Done(rehearse(experiment, session), session.made_ahead.pop(experiment.fingerprint(), None))
