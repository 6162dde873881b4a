"""A run directory as plain data for the page; nothing is computed here that the run does not hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from ragbench import __version__
from ragbench.compare.table import headline, number
from ragbench.evaluate.health import folded
from ragbench.records.question import Question
from ragbench.report import (
    charts,
    view_answers,
    view_facts,
    view_losses,
    view_query,
    view_questions,
    view_scores,
    view_stages,
)
from ragbench.report.labels import Labels
from ragbench.report.lost import outcomes
from ragbench.report.reasons import reason
from ragbench.report.view_borders import run_borders
from ragbench.report.view_query_examples import Examples
from ragbench.report.view_questions import ChunkTexts, TextOf
from ragbench.run_dir.read import RunDir

_COLUMNS = ("ranking/recall@5", "answer/correctness_f1", "answer/faithfulness")
_CURVE = ("retrieval", "ranking")
_QUESTION = 160

View = dict[str, Any]


def run_view(run: RunDir, labels: Labels, text_of: TextOf) -> View:
    """All that the run page shows. `data` holds the question details and chunk texts as lists of plain rows.

    `text_of(doc_id)` gives a document's text, or None where it is not at hand or is another text than the run used.
    """
    manifest, summary, questions = run.manifest, run.summary, run.questions
    lost = outcomes(run, text_of)
    found = {one: outcome for one, (outcome, _) in lost.items()}
    chunks = ChunkTexts(list(map(view_questions.place, run.chunk_rows())))
    examples = Examples(summary, questions, chunks, text_of)
    data, table, scored = _questions(run, lost, chunks, examples, labels)
    borders, undrawn = _borders(run, data, found, text_of)
    losses = view_losses.loss_rows(summary, found, labels)
    groups = _groups(summary, questions, labels)
    return {
        "run_id": run.run_id,
        "version": (manifest.get("provenance") or {}).get("ragbench") or __version__,
        "verdict": view_facts.verdict(summary, losses, labels),
        "health": [reason(str(line), labels) for line in folded(summary.get("health") or ())],
        "facts": view_facts.facts(manifest, summary, labels),
        "choices": view_facts.choices(summary),
        "cards": view_scores.headline_rows(summary, scored, labels),
        "layers": view_scores.layers(summary, scored, labels),
        "groups": groups,
        "advice": _advice(summary, questions, found, labels),
        **view_query.query_parts(summary, examples, labels),
        "stages": view_stages.stage_view(summary, labels),
        "answers": view_answers.answer_view(data, questions, summary, labels),
        "losses": losses,
        "cost": view_facts.cost(manifest, summary, labels),
        "corpus": view_facts.corpus(manifest, run.documents(), labels),
        "chunks": view_facts.chunk_facts(chunks.places, summary, labels),
        "charts": _charts(summary, losses, groups, labels) | {"sizes": _sizes(chunks, labels)},
        "questions": table,
        "columns": [(name, labels.measure(name)) for name in _columns(summary)],
        "categories": [(name, labels.group(name)) for name in sorted(_sized(questions))],
        "outcomes": [(row["id"], row["name"]) for row in losses if found],
        **{"config": run.config, "undrawn": undrawn},
        "data": {"questions": data, "chunks": chunks.rows(text_of)} | borders,
    }


def _sized(questions: Mapping[str, Question]) -> Counter[str]:
    """Questions by category."""
    return Counter(question.category for question in questions.values())


def _advice(
    summary: Mapping[str, Any], questions: Mapping[str, Question], found: Mapping[str, str], labels: Labels
) -> View | None:
    lost = view_losses.losses_by_category(questions, found)
    return view_scores.advice(summary, lost, _sized(questions), labels)


def _groups(summary: Mapping[str, Any], questions: Mapping[str, Question], labels: Labels) -> list[View]:
    facets = view_scores.FACETS
    found = (view_scores.grouping(one, summary, _counts(one, summary, questions), labels) for one in facets)
    return [group for group in found if group]


def _borders(run: RunDir, data: list[View], found: Mapping[str, str], text_of: TextOf) -> tuple[View, int]:
    """The drawings of the evidence, and how many were left out; each question's row learns the place of its own."""
    drawn, borders, border_sets, undrawn = run_borders(run, found, text_of)
    for row in data:
        row["b"] = drawn.get(row["id"])
    return {"borders": borders, "border_sets": border_sets}, undrawn


def _questions(
    run: RunDir, lost: Mapping[str, tuple[str, str]], chunks: ChunkTexts, examples: Examples, labels: Labels
) -> tuple[list[View], list[View], Mapping[str, Counter[float]]]:
    """Details and table rows in the order of the questions, and how often each value was scored by each measure."""
    scores = view_questions.scores_by_question(run.scores())
    verdicts = run.verdicts()
    asked = run.questions
    reached = {
        trace.question_id: view_questions.details(
            asked[trace.question_id], trace, verdicts.get(trace.question_id), chunks, examples.text_of
        )
        for trace in examples.watch(run.traces())
        if trace.question_id in asked
    }
    columns = _columns(run.summary)
    scored: dict[str, Counter[float]] = defaultdict(Counter)
    data: list[View] = []
    table: list[View] = []
    for question in asked.values():
        row = reached.get(question.id) or view_questions.details(question, None, None, chunks, examples.text_of)
        row["scores"] = [[*cells, reason(why, labels)] for *cells, why in scores.get(question.id, [])]
        row["outcome"], why = lost.get(question.id, ("", ""))
        row["why"] = reason(why, labels)
        if row["answer"]:
            row["answer"]["reason"] = reason(row["answer"]["reason"], labels)
        for measure, status, value, _ in row["scores"]:
            if status == "scored" and value is not None:
                scored[measure][value] += 1
        data.append(row)
        table.append(_table_row(question, row, columns, labels))
    return data, table, scored


def _table_row(question: Question, row: View, columns: tuple[str, ...], labels: Labels) -> View:
    values = {measure: value for measure, _, value, _ in row["scores"]}
    ranks = [group["after"] for group in row["evidence"] if group["after"]]
    text = " ".join(question.question.split())
    return {
        "id": question.id,
        "question": text if len(text) <= _QUESTION else text[: _QUESTION - 1] + "…",
        "category": question.category,
        "category_name": labels.group(question.category),
        "difficulty": labels.group(question.difficulty),
        "outcome": row["outcome"],
        "outcome_name": labels.outcome(row["outcome"]) if row["outcome"] else "–",
        "rank": min(ranks) if ranks else None,
        "has_evidence": bool(row["evidence"]),
        "values": [(values.get(name), number(values.get(name))) for name in columns],
    }


def _columns(summary: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(name for name in headline([summary]) if name in _COLUMNS)


def _counts(facet: str, summary: Mapping[str, Any], questions: Mapping[str, Question]) -> Mapping[str, int]:
    stored = (summary.get("counts") or {}).get(facet)
    if isinstance(stored, Mapping):
        return stored
    if facet == "answerability":
        return Counter("answerable" if one.answerable else "unanswerable" for one in questions.values())
    if facet == "turn":
        return Counter("follow_up" if one.history else "first_turn" for one in questions.values())
    return Counter(str(getattr(one, facet)) for one in questions.values())


def _charts(summary: Mapping[str, Any], losses: list[View], groups: list[View], labels: Labels) -> dict[str, str]:
    steps = view_losses.waterfall(losses)
    if steps:
        whole, left = labels("all_questions"), labels.outcome("ok")
        steps = [(whole, *steps[0][1:]), *steps[1:-1], (left, *steps[-1][1:])]
    return {
        "bars": charts.score_bars(
            [
                (labels.measure_in_list(row["id"]), row["bar"])
                for row in view_scores.headline_rows(summary, {}, labels)
                if charts.drawable(row["id"])
            ],
            labels("bars_title"),
        ),
        "heat": _heat(groups, labels),
        "curve": charts.recall_curve(_curves(summary, labels), labels("curve_title"), "k"),
        "waterfall": charts.loss_waterfall(steps, labels("losses_title")),
    }


def _sizes(chunks: ChunkTexts, labels: Labels) -> str:
    sizes = [end - start for _, start, end, _ in chunks.places]
    return charts.size_histogram(
        sizes, labels("sizes_title"), (labels("characters"), labels("n_chunks"), labels("c_median"))
    )


def _heat(groups: list[View], labels: Labels) -> str:
    group = next((one for one in groups if one["id"] == "category"), None)
    if group is None:
        return ""
    kept = [at for at, (_, _, name, _) in enumerate(group["measures"]) if charts.drawable(name)]
    columns = [labels.measure_in_list(group["measures"][at][2]) for at in kept]
    rows = [f"{row['name']} ({row['n']})" for row in group["rows"] if row["id"]]
    values = [[row["cells"][at]["value"] for at in kept] for row in group["rows"] if row["id"]]
    return charts.heat_map(rows, columns, values, labels("heat_title"))


def _curves(summary: Mapping[str, Any], labels: Labels) -> dict[str, list[tuple[int, charts.Interval]]]:
    """Recall at each k before and after reranking; one curve where nothing was reranked."""
    series: dict[str, list[tuple[int, charts.Interval]]] = {}
    for layer, name in zip(_CURVE, (labels("before"), labels("after"))):
        points = []
        for measure, row in (summary.get("metrics") or {}).items():
            head, _, cut = measure.partition("@")
            if head == f"{layer}/recall" and cut.isdigit() and row.get("mean") is not None:
                points.append((int(cut), (row["mean"], row.get("low"), row.get("high"))))
        series[name] = sorted(points)
    before, after = series.values()
    if [value[0] for _, value in before] == [value[0] for _, value in after]:
        return {labels.measure("retrieval/recall"): before}
    return series
