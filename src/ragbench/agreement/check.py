"""A judge put to everything whose verdict is known; the card that comes of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from typing import Any

from ragbench import __version__
from ragbench.agreement.judged import judged
from ragbench.agreement.measured import measured_set
from ragbench.agreement.noise import noise
from ragbench.agreement.planted_answers import PlantedSet
from ragbench.agreement.planted_figures import planted_figures
from ragbench.agreement.records import LabelledAnswer, LabelledSet
from ragbench.core.fingerprint import text_hash
from ragbench.core.workers import Tools
from ragbench.judge.base import Judge, OpenJudge
from ragbench.judge.card import VERSION, Card, card_key
from ragbench.judge.floor import FLOOR, floor_results, planted_claims
from ragbench.stats.bootstrap import RESAMPLES as FLOOR_RESAMPLES

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Plan:
    """What is checked: how often the planted answers are judged, at most how many answers of each set (None: all),
    and how many are judged at a time."""

    repeats: int = 1
    sample: int | None = None
    threads: int = 1


class Check:
    """Judges planted claims, planted answers and human labels, and sums them up."""

    def __init__(self, judge: Judge, tools: Tools, plan: Plan, progress: Progress) -> None:
        self._judge, self._tools, self._plan, self._progress = judge, tools, plan, progress

    def card(self, planted: PlantedSet, people: Sequence[LabelledSet], known: Card | None) -> dict[str, Any]:
        """The judge's card. Human sets that are not at hand keep the figures of a card known before."""
        answers = self._some(planted.answers)
        runs = []
        for number in range(self._plan.repeats):
            with self._opened(self._judge, number) as judge:
                runs.append(self._judged(judge, "planted answers", answers, number))
        measured = dict((known or {}).get("people") or {})
        with self._opened(self._judge.of_claims(), 0) as judge:
            claims = self._claims(judge)
            for one in people:
                measured[one.name] = self._people(judge, one)
        return {
            "version": VERSION,
            "judge": self._judge.title,
            "key": card_key(self._judge),
            "recipe": self._judge.recipe(),
            "ragbench": __version__,
            "floor": FLOOR,
            "sample": self._plan.sample,
            "claims": claims,
            "answers": {"data": planted.data, **planted_figures(answers, runs[0])},
            "noise": noise(runs),
            "people": measured,
        }

    def _opened(self, judge: Judge, number: int) -> AbstractContextManager[OpenJudge]:
        return judge.open(replace(self._tools, sample=number))

    def _judged(self, judge: OpenJudge, title: str, answers: Sequence[LabelledAnswer], number: int = 0) -> list[Any]:
        again = f", run {number + 1}" if number else ""
        return judged(judge, answers, self._plan.threads, lambda n, of: self._progress(f"{title}{again}", n, of))

    def _claims(self, judge: OpenJudge) -> dict[str, Any]:
        known = planted_claims()
        if self._plan.sample is not None and self._plan.sample < len(known):
            known = tuple(sorted(known, key=lambda one: text_hash(one.claim + one.context))[: self._plan.sample])
        answers = [
            LabelledAnswer(f"planted-{n}", one.context, one.language, one.kind, one.claim, (one.context,), one.claim)
            for n, one in enumerate(known)
        ]
        outcomes = self._judged(judge, "planted claims", answers)
        found = floor_results(known, [None if one.error else one.supported for one in outcomes])
        data = hashlib.sha256((files("ragbench.judge") / "planted.json").read_bytes()).hexdigest()
        by_language = {one.language: {**asdict(one), "bound": one.low} for one in found}
        return {"data": f"sha256:{data}", "resamples": FLOOR_RESAMPLES, "by_language": by_language}

    def _people(self, judge: OpenJudge, known: LabelledSet) -> dict[str, Any]:
        chosen = self._some(known.answers) if not known.pairs else self._some_pairs(known)
        if len(chosen) == len(known.answers):
            return measured_set(known, self._judged(judge, known.title, known.answers))
        places = {one.id: at for at, one in enumerate(chosen)}
        pairs = tuple(
            replace(pair, first=places[known.answers[pair.first].id], second=places[known.answers[pair.second].id])
            for pair in known.pairs
            if known.answers[pair.first].id in places
        )
        part = replace(known, answers=tuple(chosen), pairs=pairs)
        return measured_set(part, self._judged(judge, known.title, part.answers))

    def _some(self, answers: Sequence[LabelledAnswer]) -> list[LabelledAnswer]:
        """A sample in the order of hashes, evenly over languages and kinds; all where no sample is wanted."""
        most = self._plan.sample
        if most is None or most >= len(answers):
            return list(answers)
        rows: dict[tuple[str, str], list[int]] = {}
        for at in sorted(range(len(answers)), key=lambda place: text_hash(answers[place].id)):
            rows.setdefault((answers[at].language, answers[at].kind), []).append(at)
        taken: list[int] = []
        queues = [rows[name] for name in sorted(rows)]
        while len(taken) < most:
            taken += [queue.pop() for queue in queues if queue][: most - len(taken)]
        return [answers[at] for at in sorted(taken)]

    def _some_pairs(self, known: LabelledSet) -> list[LabelledAnswer]:
        """Whole pairs, two answers each."""
        most = self._plan.sample
        pairs = list(known.pairs)
        if most is not None and most < len(known.answers):
            pairs = sorted(pairs, key=lambda one: text_hash(known.answers[one.first].id))[: max(1, most // 2)]
        places = sorted(at for pair in pairs for at in (pair.first, pair.second))
        return [known.answers[at] for at in places]
