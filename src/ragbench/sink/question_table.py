"""One row a question, the same columns in every run, so that tables of several runs can be laid side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ragbench.compare.headline import HEADLINE
from ragbench.compare.table import subject_of
from ragbench.run_dir.read import RunDir
from ragbench.sink.first_variant import Scored

BESIDE = ("ranking/recall@5", "answer/correctness_f1")
MOST_VARIANTS = 12
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


def variants_table(runs: Sequence[Scored], names: Sequence[str]) -> dict[str, list[Any]]:
    """Questions of a sweep with what each variant made of them side by side: outcome, then `BESIDE` measures.

    Questions whose outcomes differ come first. Variants beyond `MOST_VARIANTS` are left out; a question that a variant
    was not asked is None there.
    """
    shown = list(zip(names, runs))[:MOST_VARIANTS]
    lost = [one.summary.get("diagnosis_by_question") or {} for _, one in shown]
    found = {question_id: one for _, one in reversed(shown) for question_id in one.categories}
    differ = {question_id: len({outcomes.get(question_id) for outcomes in lost}) > 1 for question_id in found}
    columns: dict[str, list[Any]] = defaultdict(list)
    for question_id in sorted(found, key=lambda one: (not differ[one], one)):
        own = found[question_id]
        columns["id"].append(question_id)
        columns["question"].append(_text(own.texts.get(question_id, "")))
        columns["category"].append(own.categories[question_id])
        columns["differs"].append(differ[question_id])
        for (name, _), outcomes in zip(shown, lost):
            columns[f"outcome: {name}"].append(outcomes.get(question_id))
        for measure in BESIDE:
            for name, one in shown:
                columns[f"{measure}: {name}"].append(one.values.get(measure, {}).get(question_id))
    return dict(columns)


def _text(text: str) -> str:
    cut = text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
    return f"'{cut}" if cut.startswith(_FORMULA) else cut
