"""One row a question, the same columns in every run, so that tables of several runs can be laid side by side."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ragbench.compare.table import HEADLINE, subject_of
from ragbench.run_dir.read import RunDir

_TEXT = 2000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def question_table(run: RunDir) -> dict[str, list[Any]]:
    """Columns of equal length in the order of the questions: id, question, category, outcome, answer, reference,
    headline scores, and what else tells questions apart.

    A score that does not apply or failed is None. Texts are cut at 2000 characters; texts that a spreadsheet would take
    for a formula get a leading apostrophe.
    """
    values: dict[str, dict[str, float | None]] = defaultdict(dict)
    wanted = set(HEADLINE)
    for row in run.scores():
        if row.get("kind") == "question" and row["measure"] in wanted:
            values[subject_of(row)][row["measure"]] = row.get("value") if row.get("status") == "scored" else None
    outcomes = run.summary.get("diagnosis_by_question") or {}
    columns: dict[str, list[Any]] = defaultdict(list)
    traces = {trace.question_id: (trace.answer, trace.error) for trace in run.traces()}
    for question in run.questions.values():
        answer, error = traces.get(question.id, (None, "absent from the run"))
        row = {
            "id": question.id,
            "question": _text(question.question),
            "category": question.category,
            "outcome": outcomes.get(question.id),
            "answer": _text(answer.text) if answer else None,
            "reference": _text(question.reference),
            **{measure: values[question.id].get(measure) for measure in HEADLINE},
            "difficulty": question.difficulty,
            "language": question.language,
            "answerable": question.answerable,
            "refused": answer.refused if answer else None,
            "asked_back": answer.clarifies if answer else None,
            "error": _text(error) if error else None,
        }
        for key, value in row.items():
            columns[key].append(value)
    return dict(columns)


def _text(text: str) -> str:
    cut = text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
    return f"'{cut}" if cut.startswith(_FORMULA) else cut
