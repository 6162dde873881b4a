"""The section "Chunk borders" of a comparison: which variants cut the evidence differently, question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from ragbench.eval_set.coverage import Fate
from ragbench.records.question import Question
from ragbench.report.border_sets import Variant, read_variant
from ragbench.report.labels import Labels
from ragbench.report.view_borders import Drawings, gold_documents
from ragbench.report.view_questions import TextOf
from ragbench.run_dir.read import RunDir

MOST = 300
"""Questions that can be drawn at most."""

MOST_CELLS = 3000
"""Questions × chunk sets at most, so that a sweep of many splitters stays small enough to open."""

TEXT_BUDGET = 1_200_000
"""Characters of text at most."""

_LABEL = 90
View = dict[str, Any]


def compare_borders(runs: Sequence[RunDir], names: Sequence[str], text_of: TextOf, labels: Labels) -> View | None:
    """The section as plain data; None for fewer than two runs. `names` are those of the runs.

    `note` says why nothing is drawn: other eval sets, other documents, no located evidence, or one chunk set in all.
    """
    if len(runs) < 2:
        return None
    questions = _common(runs)
    if len({str((run.summary.get("eval_set") or {}).get("lock")) for run in runs}) > 1:
        return {"note": labels("b_locks")}
    if not questions:
        return {"note": labels("b_none")}
    documents = gold_documents(questions, text_of)
    if _differ(runs, {item.doc_id for one in questions for group in one.groups for item in group.items}):
        return {"note": labels("b_documents")}
    variants = [read_variant(run, questions, documents, run.summary.get("diagnosis_by_question") or {}) for run in runs]
    sets = list({one.chunks.digest: one.chunks for one in variants}.values())
    if len(sets) == 1:
        return {"note": labels("b_same")}
    order = {chunks.digest: at for at, chunks in enumerate(sets)}
    drawings = Drawings(sets, {doc_id: document.text for doc_id, document in documents.items()})
    return _view(questions, variants, names, [order[one.chunks.digest] for one in variants], drawings, labels)


def differs(question_id: str, variants: Sequence[Variant]) -> int:
    """How much the variants differ in a question: 3 fates and outcomes, 2 fates, 1 outcomes, 0 neither."""
    laid = [one.laid[question_id] for one in variants]
    return 2 * (len({one.fates for one in laid}) > 1) + (len({one.outcome for one in laid}) > 1)


def _view(
    questions: Sequence[Question],
    variants: Sequence[Variant],
    names: Sequence[str],
    places: Sequence[int],
    drawings: Drawings,
    labels: Labels,
) -> View:
    degree = {question.id: differs(question.id, variants) for question in questions}
    ranked = sorted(questions, key=lambda question: -degree[question.id])
    most = min(MOST, max(1, MOST_CELLS // len(drawings.sets)))
    shown = drawings.fitting(ranked[:most], TEXT_BUDGET)
    rows = [drawings.row(question, [one.laid[question.id] for one in variants]) for question in shown]
    chunks = drawings.chunks()
    second = next(at for at, place in enumerate(places) if place != places[0])
    said = [labels("b_shown", n=len(shown), different=sum(degree[one.id] > 0 for one in shown))]
    if len(shown) < len(questions):
        said.append(labels("b_left", n=len(questions) - len(shown)))
    return {
        "note": "",
        "said": said,
        "variants": [
            _variant(one, name, place, names, places, labels) for one, name, place in zip(variants, names, places)
        ],
        "groups": [
            (title, [(at, _label(one)) for at, one in enumerate(shown) if bool(degree[one.id]) == wanted])
            for title, wanted in ((labels("b_differing"), True), (labels("b_alike"), False))
        ],
        "pair": [0, second],
        "first": rows[0],
        "sets": chunks,
        "rows": [{"pair": [0, second], "names": list(names), "sets": list(places)}, *rows],
    }


def _variant(
    variant: Variant, name: str, place: int, names: Sequence[str], places: Sequence[int], labels: Labels
) -> View:
    twins = [other for other, its in zip(names, places) if its == place and other != name]
    return {
        "name": name,
        "twins": labels("b_twins", names=labels("s_comma").join(twins)) if twins else "",
        "set": place,
        "n": f"{len(variant.chunks.sizes):,}",
        "median": f"{median(variant.chunks.sizes):,.0f}" if variant.chunks.sizes else "–",
        "fates": [variant.count(fate) for fate in (Fate.INTACT, Fate.SPLIT, Fate.UNREACHABLE)],
    }


def _label(question: Question) -> str:
    text = " ".join(f"{question.id} · {question.question}".split())
    return text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"


def _common(runs: Sequence[RunDir]) -> list[Question]:
    """Questions with located evidence that every run asked, in the order of the first."""
    asked = [run.questions for run in runs]
    return [one for one in asked[0].values() if one.groups and all(one.id in other for other in asked)]


def _differ(runs: Sequence[RunDir], doc_ids: set[str]) -> bool:
    """Whether the runs saw different texts of some of these documents."""
    seen = [_hashes(run, doc_ids) for run in runs]
    return any(one != seen[0] for one in seen)


def _hashes(run: RunDir, doc_ids: set[str]) -> Mapping[str, str]:
    rows = run.documents()
    return {str(row["doc_id"]): str(row["content_hash"]) for row in rows if row["doc_id"] in doc_ids}
