"""Answers as the page shows them: relevancy against faithfulness, and who was answered, refused or asked back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.measure.answer.judged import FAITHFUL, RELEVANT
from ragbench.records.question import Question
from ragbench.report.labels import Labels
from ragbench.report.numbers import share
from ragbench.report.view_judge import judge_card
from ragbench.report.view_refusal import refusal_views

View = dict[str, Any]
Data = Sequence[Mapping[str, Any]]

CORNERS = ("relevant_faithful", "relevant_unfaithful", "off_topic_faithful", "off_topic_unfaithful")
OUTCOMES = ("answered", "refused", "asked_back", "no_answer")
_WRONG = {("answerable", "refused"), ("answerable", "no_answer"), ("unanswerable", "answered")}


def answer_view(
    data: Data, questions: Mapping[str, Question], summary: Mapping[str, Any], labels: Labels
) -> View | None:
    """The section on answers, read off the questions' details, with the curves of refusals and the judge's card from
    the summary; None for a run in which nothing was answered."""
    if not any(row["answer"] for row in data):
        return None
    return {
        "quadrants": _quadrants(data, labels),
        "refusals": _refusals(data, questions, labels),
        "curves": refusal_views(summary, labels),
        "judge": judge_card(summary, labels),
    }


def corner(relevancy: float, faithfulness: float) -> str:
    """One of `CORNERS`."""
    return CORNERS[2 * (relevancy < RELEVANT) + (faithfulness < FAITHFUL)]


def _quadrants(data: Data, labels: Labels) -> View | None:
    """Questions by corner; those without one of the two figures are counted apart. None where no question has both."""
    found: dict[str, list[str]] = defaultdict(list)
    unplaced = 0
    for row in data:
        values = {measure: value for measure, status, value, _ in row["scores"] if status == "scored"}
        relevancy, faithfulness = values.get("answer/relevancy"), values.get("answer/faithfulness")
        if relevancy is None or faithfulness is None:
            unplaced += 1
        else:
            found[corner(relevancy, faithfulness)].append(row["id"])
    placed = len(data) - unplaced
    if not placed:
        return None
    return {
        "lead": labels("a_quadrants_lead", relevant=RELEVANT, faithful=FAITHFUL),
        "rows": [
            {
                "id": name,
                "name": labels(f"a_{name}"),
                "n": len(found[name]),
                "share": share(len(found[name]) / placed),
                "ids": found[name],
                "dangerous": name == CORNERS[1],
            }
            for name in CORNERS
        ],
        "unplaced": labels("a_unplaced", n=unplaced, of=len(data)) if unplaced else "",
    }


def _refusals(data: Data, questions: Mapping[str, Question], labels: Labels) -> View:
    """What became of answerable and of unanswerable questions."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in data:
        kind = "answerable" if questions[row["id"]].answerable else "unanswerable"
        found[kind, _outcome(row["answer"])].append(row["id"])
    kinds = [kind for kind in ("answerable", "unanswerable") if any(found[kind, one] for one in OUTCOMES)]
    shown = [one for one in OUTCOMES if any(found[kind, one] for kind in kinds)]
    return {
        "columns": [labels(f"a_{one}") for one in shown],
        "rows": [
            {
                "name": labels.group(kind),
                "n": sum(len(found[kind, one]) for one in OUTCOMES),
                "cells": [_cell(found[kind, one], (kind, one)) for one in shown],
            }
            for kind in kinds
        ],
    }


def _cell(ids: list[str], place: tuple[str, str]) -> View:
    return {"n": len(ids), "ids": ids if place in _WRONG else [], "wrong": bool(ids) and place in _WRONG}


def _outcome(answer: Mapping[str, Any] | None) -> str:
    if not answer:
        return "no_answer"
    if answer["clarifies"]:
        return "asked_back"
    return "refused" if answer["refused"] or not answer["text"].strip() else "answered"
