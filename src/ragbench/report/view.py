"""A run directory as plain data for the page; nothing is computed here that the run does not hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import yaml

from ragbench import __version__
from ragbench.evaluate.health import folded
from ragbench.evaluate.knobs import Knobs
from ragbench.records.question import Question
from ragbench.report import charts, view_answers, view_facts, view_losses, view_query, view_scores, view_stages
from ragbench.report.labels import Labels
from ragbench.report.parts import Parts
from ragbench.report.reasons import reason
from ragbench.report.run_charts import run_charts
from ragbench.report.view_list import facets, measures_listed, noscript_rows, shown_columns
from ragbench.report.view_loss_grid import loss_grid
from ragbench.report.view_questions import ChunkTexts
from ragbench.run_dir.foreign import foreign_facts
from ragbench.run_dir.read import RunDir

View = dict[str, Any]


def run_view(parts: Parts, labels: Labels) -> View:
    """All that the run page says in one language; details of questions and texts of chunks are `parts.data`."""
    run, summary, questions = parts.run, parts.run.summary, parts.run.questions
    manifest, found = run.manifest, parts.outcomes
    stages = _stages(run)
    losses = view_losses.loss_rows(summary, found, labels, stages)
    return {
        "run_id": run.run_id,
        "version": (manifest.get("provenance") or {}).get("ragbench") or __version__,
        "verdict": view_facts.verdict(summary, losses, labels),
        "health": [reason(str(line), labels) for line in folded(summary.get("health") or ())],
        "foreign": _foreign(run, labels),
        "facts": view_facts.facts(manifest, summary, labels),
        "choices": view_facts.choices(summary),
        "cards": view_scores.headline_rows(summary, parts.scored, labels),
        "layers": view_scores.layers(summary, parts.scored, labels),
        "groups": _groups(summary, questions, labels),
        "advice": _advice(summary, questions, found, labels),
        **view_query.query_parts(summary, parts.examples, labels),
        "stages": view_stages.stage_view(summary, labels),
        "answers": view_answers.answer_view(parts.data, questions, summary, labels),
        "losses": losses,
        "grid": loss_grid(run, found, parts.proofs, Knobs(summary.get("variant") or {}, stages), labels),
        "cost": view_facts.cost(manifest, summary, labels),
        "corpus": view_facts.corpus(manifest, run.documents(), labels),
        "chunks": view_facts.chunk_facts(parts.chunks.places, summary, labels),
        "charts": {**run_charts(run, labels.lang), "sizes": _sizes(parts.chunks, labels)},
        "index": {question_id: at for at, question_id in enumerate(questions)},
        "n_questions": len(questions),
        "listed": measures_listed(summary),
        "columns": [(name, labels.measure(name)) for name in shown_columns(summary)],
        "sortable": [(name, labels.measure_in_list(name)) for name in measures_listed(summary)],
        "rows": noscript_rows(parts.listed, summary, labels),
        "facets": facets(questions, labels),
        "outcomes": [(row["id"], row["name"]) for row in losses if found],
        **{"config": run.config, "undrawn": parts.undrawn},
    }


def _foreign(run: RunDir, labels: Labels) -> str:
    """What is not known of a run that another system made; empty for one of ours."""
    return "" if foreign_facts(run) is None else labels("foreign_note")


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


def _counts(facet: str, summary: Mapping[str, Any], questions: Mapping[str, Question]) -> Mapping[str, int]:
    stored = (summary.get("counts") or {}).get(facet)
    if isinstance(stored, Mapping):
        return stored
    if facet == "answerability":
        return Counter("answerable" if one.answerable else "unanswerable" for one in questions.values())
    if facet == "turn":
        return Counter("follow_up" if one.history else "first_turn" for one in questions.values())
    return Counter(str(getattr(one, facet)) for one in questions.values())


def _stages(run: RunDir) -> Mapping[str, Any]:
    """The resolved stages of a run; empty where its configuration cannot be read."""
    try:
        found = yaml.safe_load(run.config)
    except yaml.YAMLError:
        return {}
    stages = found.get("pipeline") if isinstance(found, Mapping) else None
    return stages if isinstance(stages, Mapping) else {}


def _sizes(chunks: ChunkTexts, labels: Labels) -> str:
    sizes = [end - start for _, start, end, _ in chunks.places]
    return charts.size_histogram(
        sizes, labels("sizes_title"), (labels("characters"), labels("n_chunks"), labels("c_median"))
    )
