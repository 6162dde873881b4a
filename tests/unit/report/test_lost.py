"""Classes of questions that a run does not store are found again, or not shown at all."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ragbench.report.lost import _again, outcomes
from ragbench.run_dir.read import RunDir
from tests.report_fixture import TEXTS, make_run, rewrite_summary


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return make_run(tmp_path, n_filler=4)


def counts_only(run: RunDir) -> RunDir:
    """The run with the counts of a new diagnosis and without the classes themselves."""
    again = _again(run, TEXTS.get)
    counts = Counter(one.loss.value for one in again)
    return rewrite_summary(run, diagnosis=dict(counts) | {"query": 0}, diagnosis_by_question=None)


def test_stored_classes_are_taken_as_they_are(run: RunDir) -> None:
    found = outcomes(run, lambda _: None)
    assert found["en-002"] == ("not_recalled", "") and len(found) == len(run.questions)


def test_classes_are_found_again_with_the_reason(run: RunDir) -> None:
    found = outcomes(counts_only(run), TEXTS.get)
    assert found["failed-001"][0] == "failed" and "ConnectError" in found["failed-001"][1]
    assert found["en-002"][0] == "not_recalled" and found["en-003"][0] == "false_answer"


def test_a_stored_class_has_the_reason_of_the_same_class_only(run: RunDir) -> None:
    again = {one.question_id: one.loss.value for one in _again(run, TEXTS.get)}
    changed = rewrite_summary(run, diagnosis_by_question=again | {"en-002": "unjudged"})
    found = outcomes(changed, TEXTS.get)
    assert found["en-002"] == ("unjudged", "") and "ConnectError" in found["failed-001"][1]


def test_nothing_is_shown_that_contradicts_the_stored_counts(run: RunDir) -> None:
    changed = counts_only(run)
    counts = changed.summary["diagnosis"]
    counts["ok"], counts["failed"] = counts["ok"] - 1, counts["failed"] + 1
    assert outcomes(rewrite_summary(run, diagnosis=counts, diagnosis_by_question=None), TEXTS.get) == {}


def test_nothing_is_shown_when_a_text_is_gone_or_another(run: RunDir) -> None:
    changed = counts_only(run)
    gone = dict(TEXTS)
    gone.popitem()
    assert outcomes(changed, gone.get) == {}
    assert outcomes(changed, lambda doc_id: "x" + TEXTS[doc_id]) == {}
