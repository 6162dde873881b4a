"""The list of questions that a change won and lost, for pages that hold several runs, with the way to each trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.compare.pairs import one_judge
from ragbench.compare.side import Outcomes, Side, stored_outcomes
from ragbench.compare.turned import Turned, turned
from ragbench.report.html import json_lines, page_words
from ragbench.report.labels import Labels
from ragbench.report.links import relative_link
from ragbench.report.reasons import reason
from ragbench.report.view_list import shortened
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir

View = dict[str, Any]


@dataclass(frozen=True)
class TurnedPair:
    """Two runs of one eval set by name, and which of their questions turned; `group` tells several sets apart."""

    group: str
    names: tuple[str, str]
    runs: tuple[RunDir, RunDir]
    found: Turned


@dataclass(frozen=True)
class TurnedList:
    """`rows`: `[id, text, category, group, name of B, won or lost, class, why, run of A, run of B]`, the runs by their
    place in `runs`: `[name, id, link or empty]`."""

    rows: Sequence[Sequence[Any]]
    runs: Sequence[tuple[str, str, str]]

    def data(self, spoken: Iterable[Labels]) -> dict[str, str]:
        """What the page's script reads: the rows and, for each language, its words."""
        said = {str(row[7]) for row in self.rows if row[7]}
        words = [
            page_words(labels, {})
            | {"listed": [], "columns": [], "lower": [], "runs": self.runs, "said": _said(said, labels)}
            for labels in spoken
        ]
        return {"list": json_lines(self.rows), "words": json_lines(words)}

    def view(self, labels: Labels) -> View | None:
        """The section in words; None without a turned question."""
        if not self.rows:
            return None
        losses = sorted({str(row[6]) for row in self.rows})
        return {
            "n": len(self.rows),
            "linked": any(link for *_, link in self.runs),
            "unlinked": [run_id for _, run_id, link in self.runs if not link],
            "facets": list(self._facets(labels)),
            "outcomes": [(one, labels.outcome(one)) for one in losses],
            "rows": [self._plain(row, labels) for row in self.rows],
        }

    def _facets(self, labels: Labels) -> Iterable[tuple[str, str, list[tuple[str, str]]]]:
        names: dict[str, Any] = {"category": labels.group, "turned": lambda one: labels(f"l_{one}")}
        for facet, place in (("category", 2), ("group", 3), ("variant", 4), ("turned", 5)):
            values = sorted({str(row[place]) for row in self.rows})
            if facet in names or len(values) > 1:
                name = names.get(facet, str)
                yield facet, labels(f"all_{facet}"), [(one, name(one)) for one in values]

    def _plain(self, row: Sequence[Any], labels: Labels) -> View:
        return {
            "id": row[0],
            "question": row[1],
            "category": labels.group(row[2]),
            "place": " · ".join(filter(None, row[3:5])),
            "turned": labels(f"l_{row[5]}"),
            "outcome": labels.outcome(row[6]),
            "why": reason(row[7], labels) if row[7] else "",
        }


def turned_pair(group: str, names: tuple[str, str], a: RunDir, b: RunDir) -> TurnedPair:
    """Which questions turned between two runs of one eval set, by the classes that they hold."""
    left, right = (_side(run, stored_outcomes(run)) for run in (a, b))
    both = [key for key in a.questions if key in b.questions]
    return TurnedPair(group, names, (a, b), turned(left, right, both, one_judge(left, right)))


def turned_list(pairs: Iterable[TurnedPair], page: Path) -> TurnedList:
    """The questions of all pairs, those that were lost first; links lead from `page` to the reports beside the runs."""
    runs: dict[Path, tuple[int, tuple[str, str, str]]] = {}
    rows: list[list[Any]] = []
    for pair in pairs:
        places = []
        for name, run in zip(pair.names, pair.runs):
            link = relative_link(run.folder / layout.REPORT, page)
            places.append(runs.setdefault(run.folder, (len(runs), (name, run.run_id, link)))[0])
        asked = pair.runs[0].questions
        for code, found in (("lost", pair.found.lost), ("won", pair.found.won)):
            for one in found:
                text = shortened(asked[one.question_id].question)
                told = [pair.group, pair.names[1], code, one.loss, one.why]
                rows.append([one.question_id, text, one.category, *told, *places])
    rows.sort(key=lambda row: row[5])
    return TurnedList(rows, [told for _, told in runs.values()])


def _side(run: RunDir, outcomes: Outcomes) -> Side:
    categories = {key: question.category for key, question in run.questions.items()}
    return Side(run, {}, categories, {}, "", {}, {}, {}, outcomes)


def _said(texts: Iterable[str], labels: Labels) -> Mapping[str, str]:
    told = {text: reason(text, labels) for text in texts}
    return {text: other for text, other in sorted(told.items()) if other != text}
