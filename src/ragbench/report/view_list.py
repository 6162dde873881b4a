"""The list of questions: what a row holds, what it can be filtered and sorted by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare.headline import headline
from ragbench.compare.table import number
from ragbench.records.question import DIFFICULTIES, Question
from ragbench.report.labels import Labels

FACETS = ("category", "difficulty", "language", "split")
SHOWN = ("ranking/recall@5", "answer/correctness_f1", "answer/faithfulness")
"""Measures that always have a column; the others have one when they are chosen."""

_QUESTION = 160


def measures_listed(summary: Mapping[str, Any]) -> list[str]:
    """Headline measures of single questions."""
    return [name for name in headline([summary]) if name.partition("/")[0] not in ("chunks", "cost")]


def shown_columns(summary: Mapping[str, Any]) -> list[str]:
    """Those of them that have a column of their own."""
    return [name for name in measures_listed(summary) if name in SHOWN]


def list_row(question: Question, row: Mapping[str, Any], measures: Sequence[str]) -> list[Any]:
    """`[id, text, category, difficulty, language, split, outcome, rank of the first evidence, values]`; a rank of 0 was
    not found, null has no evidence."""
    values = {measure: value for measure, _, value, _ in row["scores"]}
    ranks = [group["after"] for group in row["evidence"] if group["after"]]
    text = shortened(question.question)
    facets = [getattr(question, name) for name in FACETS]
    rank = min(ranks, default=0) if row["evidence"] else None
    rounded = [None if (value := values.get(name)) is None else round(value, 4) for name in measures]
    return [question.id, text, *facets, row["outcome"], rank, rounded]


def shortened(question: str) -> str:
    """A question on one line of a list."""
    text = " ".join(question.split())
    return text if len(text) <= _QUESTION else text[: _QUESTION - 1] + "…"


def facets(questions: Mapping[str, Question], labels: Labels) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """What the list can be filtered by: `(facet, "all …", [(value, name)])`; only what tells questions apart, and
    categories always."""
    found = []
    for facet in FACETS:
        values = sorted({str(getattr(one, facet)) for one in questions.values()})
        if facet == "difficulty":
            values.sort(key=lambda one: DIFFICULTIES.index(one) if one in DIFFICULTIES else len(DIFFICULTIES))
        if len(values) > 1 or facet == "category":
            found.append((facet, labels(f"all_{facet}"), [(one, labels.group(one)) for one in values]))
    return found


def noscript_rows(listed: Sequence[Sequence[Any]], summary: Mapping[str, Any], labels: Labels) -> list[dict[str, Any]]:
    """The list in words, for readers without scripts."""
    measures = measures_listed(summary)
    places = [measures.index(name) for name in shown_columns(summary)]
    return [
        {
            "id": question_id,
            "question": text,
            "groups": [labels.group(category), labels.group(difficulty)],
            "outcome": labels.outcome(outcome) if outcome else "–",
            "rank": rank or "–",
            "values": [number(values[at]) for at in places],
        }
        for question_id, text, category, difficulty, _, _, outcome, rank, values in listed
    ]
