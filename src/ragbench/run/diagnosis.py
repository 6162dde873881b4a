"""The diagnosis of a finished run: read from its directory, proved and tried by asking its lost questions again."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from ragbench.core.store import Store
from ragbench.errors import DataError, RagbenchError
from ragbench.evaluate.diagnose import Diagnosis, diagnose, tally, tally_by_category
from ragbench.evaluate.knobs import Knobs
from ragbench.evaluate.losses import Loss
from ragbench.evaluate.waterfall import Level, StandsOut, misrouted, standing_out, waterfall
from ragbench.measure.case import Case
from ragbench.records.question import Question
from ragbench.records.trace import Trace
from ragbench.run.added_fields import with_added_fields
from ragbench.run.build import build
from ragbench.run.compose import Composed
from ragbench.run.experiment import Experiment
from ragbench.run.rescore import open_run
from ragbench.run_dir.foreign import foreign_facts
from ragbench.run_dir.read import RunDir
from ragbench.text.terminal import one_line


@dataclass(frozen=True, eq=False)
class RunDiagnosis:
    """What became of every question of a run.

    `cases` are empty where the texts of its corpus are not at hand, which `unread` then says: the classes are those
    that the run stored, without reasons. `blind` names layers that the run does not show.
    """

    run: RunDir
    found: Sequence[Diagnosis]
    cases: Mapping[str, Case] = field(default_factory=dict)
    unread: str = ""
    blind: tuple[str, ...] = ()

    @cached_property
    def config(self) -> dict[str, Any]:
        """The resolved configuration."""
        loaded = yaml.safe_load(self.run.config)
        return loaded if isinstance(loaded, dict) else {}

    @property
    def knobs(self) -> Knobs:
        """What advice depends on."""
        return Knobs(self.run.summary.get("variant") or {}, self.config.get("pipeline") or {})

    @property
    def counts(self) -> dict[str, int]:
        """Questions by class; they sum to the population."""
        return tally(self.found)

    @property
    def levels(self) -> list[Level]:
        """The waterfall."""
        return waterfall(self.counts)

    @property
    def by_category(self) -> Mapping[str, dict[str, int]]:
        """`counts` for each category."""
        return tally_by_category(self.found)

    @property
    def stored(self) -> dict[str, int]:
        """The counts that the run itself stored, where they are others: an older version made it."""
        kept = {name: n for name, n in (self.run.summary.get("diagnosis") or {}).items() if n}
        return {} if kept == {name: n for name, n in self.counts.items() if n} else kept

    @property
    def lost(self) -> list[Diagnosis]:
        """The questions that were not answered well, in order."""
        return [one for one in self.found if one.loss is not Loss.OK]

    @property
    def category(self) -> StandsOut | None:
        """The one bad category beside healthy ones."""
        return standing_out(self.by_category)

    def misrouted(self, category: str) -> tuple[int, int]:
        """Of the questions of a category whose class is labelled and was told: how many were taken for another, and how
        many there are."""
        traces = {trace.question_id: trace for trace in self.run.traces()}
        asked = [one for one in self.run.questions.values() if one.category == category and one.id in traces]
        return misrouted((one.complexity, traces[one.id].query.complexity) for one in asked)

    def reasons(self, loss: Loss, most: int = 3) -> list[tuple[str, int]]:
        """Why questions were lost there, with numbers and names of evidence left out, the most frequent first."""
        words = Counter(_kind(one.why) for one in self.lost if one.loss is loss and one.why)
        return sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))[:most]

    def one(self, question_id: str) -> Diagnosis:
        """The diagnosis of a question. Raises DataError where the run has no such question."""
        for found in self.found:
            if found.question_id == question_id:
                return found
        close = _closest(question_id, [one.question_id for one in self.found])
        raise DataError(
            f"question {one_line(question_id, 60)}",
            expected=f"one of the {len(self.found)} questions of run {self.run.run_id}",
            found="no such id",
            hint=f"Did you mean {close}?" if close else "The ids stand in questions.jsonl of the run.",
        )


def read_diagnosis(folder: Path, store: Store) -> RunDiagnosis:
    """Diagnose a finished run from its stored traces and verdicts; with its corpus gone, as far as the run tells.

    Raises DataError for a folder that is no finished run.
    """
    run = RunDir(folder)
    blind = _blind(list(run.traces()))
    if foreign_facts(run) is not None:
        blind = ("how its documents were cut: losses by chunking count as not recalled", *blind)
    try:
        stored = open_run(folder, store)
    except (RagbenchError, OSError, KeyError, TypeError, ValueError) as error:
        return RunDiagnosis(run, _stored(run), unread=" ".join(str(error).split()), blind=blind)
    rules = stored.rules
    cases = {case.question.id: case for case in stored.cases()}
    return RunDiagnosis(run, [diagnose(case, rules) for case in cases.values()], cases, blind=blind)


def experiment_of(found: RunDiagnosis, places: Mapping[str, Any]) -> Experiment:
    """The experiment that made a run, from its stored configuration, with today's `places`.

    Raises RagbenchError where it cannot be made here.
    """
    if foreign_facts(found.run) is not None:
        raise DataError(f"run {found.run.run_id}", expected="a run of ours to ask again", found="a foreign run")
    slots = {slot: with_added_fields(node) for slot, node in found.config["pipeline"].items()}
    data = found.config | {"pipeline": slots, "paths": dict(places), "questions": None}
    return build(Composed(data, {}, ()), lenient=True)


def questions_of(found: RunDiagnosis, ids: Sequence[str]) -> list[Question]:
    """Questions of a run by id."""
    return [found.run.questions[one] for one in ids]


def _stored(run: RunDir) -> list[Diagnosis]:
    classes = run.summary.get("diagnosis_by_question") or {}
    known = set(Loss)
    found = []
    for question in run.questions.values():
        name = str(classes.get(question.id, Loss.UNJUDGED))
        found.append(Diagnosis(question.id, question.category, Loss(name) if name in known else Loss.UNJUDGED))
    return found


_PARTS: Mapping[str, str] = {
    "requests": "what was searched: losses by the query count as not recalled",
    "lists": "the lists of the routes: by which route evidence was missed is not told",
    "fused": "the ranking before reranking: losses by recall and reranking are one",
    "context": "the context: what packing drops is not told from what k cuts",
    "answer": "answers: a question is taken for answered well when its evidence arrives",
}


def _blind(traces: Sequence[Trace]) -> tuple[str, ...]:
    """Layers that no trace without an error shows."""
    sound = [trace for trace in traces if trace.error is None]
    if not sound:
        return ()
    steps = [step for trace in sound for step in trace.steps]
    seen = {
        "requests": any(step.requests for step in steps),
        "lists": any(step.route_lists for step in steps),
        "fused": any(step.fused for step in steps),
        "context": any(trace.context is not None for trace in sound),
        "answer": any(trace.answer is not None for trace in sound),
    }
    return tuple(words for name, words in _PARTS.items() if not seen[name])


def _kind(why: str) -> str:
    without_group = re.sub(r"^[^:]{1,60}: ", "", why)
    return re.sub(r"\d+(\.\d+)?%?", "n", without_group)


def _closest(name: str, known: Sequence[str]) -> str:
    return next(iter(difflib.get_close_matches(name, known, n=1)), "")
