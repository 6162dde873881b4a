"""Our measures against those of RAGAS that need no model, and the formulas of the judged ones against our own."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from ragbench.judge.ragas_library import finished
from ragbench.measure.answer.judged import supported_share
from ragbench.measure.answer.text import units
from ragbench.measure.base import Finding
from ragbench.measure.ranking.context_precision import context_precision
from ragbench.measure.retrieval.precision import precision
from ragbench.measure.retrieval.recall import recall
from ragbench.records.score import ClaimState, ClaimVerdict
from tests.ragas_model import INSTALLED, REASON

pytestmark = [pytest.mark.ragas, pytest.mark.skipif(not INSTALLED, reason=REASON)]
IDS = [f"制度/第{at}条.md#{at}" for at in range(12)] + [f"handbook.md#{at}" for at in range(12)]


@pytest.fixture(scope="module")
def library() -> Any:
    from ragbench.judge.ragas_library import load

    return load()


def worlds(n: int = 200) -> list[tuple[list[str], list[str]]]:
    """Retrieved ids, each once, and relevant ones."""
    rng = random.Random(7)
    return [(rng.sample(IDS, rng.randint(1, 10)), rng.sample(IDS, rng.randint(1, 6))) for _ in range(n)]


def sample(found: list[str], wanted: list[str]) -> Any:
    from ragas.dataset_schema import SingleTurnSample

    return SingleTurnSample(retrieved_context_ids=found, reference_context_ids=wanted)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_precision_and_recall_by_id(library: Any) -> None:
    from ragas.metrics._context_precision import IDBasedContextPrecision
    from ragas.metrics._context_recall import IDBasedContextRecall

    theirs = IDBasedContextPrecision(), IDBasedContextRecall()
    for found, wanted in worlds():
        gains = [int(one in wanted) for one in found]
        told = [asyncio.run(one.single_turn_ascore(sample(found, wanted))) for one in theirs]
        assert told == pytest.approx([precision(gains, len(found)), recall(gains, len(wanted), len(found))], abs=1e-12)


def test_rank_weighted_context_precision(library: Any) -> None:
    from ragbench.judge.ragas_library import MetricLlm

    theirs = library.ContextPrecision(llm=MetricLlm(None, "", "en", 1))  # type: ignore[arg-type]
    rng = random.Random(3)
    for _ in range(300):
        marks = [rng.randint(0, 1) for _ in range(rng.randint(1, 12))]
        # Its denominator has 1e-10 added, against a division by zero.
        assert theirs._calculate_average_precision(marks) == pytest.approx(context_precision(marks, 99), abs=2e-10)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_share_of_statements(library: Any, n: int) -> None:
    from ragas.metrics.collections.faithfulness.util import NLIStatementOutput

    from ragbench.judge.ragas_library import MetricLlm

    theirs = library.Faithfulness(llm=MetricLlm(None, "", "en", 1))  # type: ignore[arg-type]
    for n_true in range(n + 1):
        marks = [int(at < n_true) for at in range(n)]
        said = NLIStatementOutput(statements=[{"statement": "s", "reason": "", "verdict": one} for one in marks])
        states = (ClaimState.NOT_ENOUGH, ClaimState.SUPPORTED)
        ours = supported_share([ClaimVerdict("s", states[one]) for one in marks])
        assert isinstance(ours, Finding)
        assert theirs._compute_score(said) == ours.value


PAIRS = [
    ("每年有十五天年假", "每年有十五天年假"),
    ("每年有十五天年假", "每年有五天年假"),
    ("fifteen days", "fifteen days"),
    ("fifteen days", "sixteen days"),
    ("annual leave 十五天", "annual leave 十五天"),
]


@pytest.mark.parametrize(("answer", "reference"), PAIRS)
def test_exact_match(library: Any, answer: str, reference: str) -> None:
    told = asyncio.run(library.ExactMatch().ascore(reference=reference, response=answer))
    assert told.value == float(units(answer) == units(reference))


def test_where_ragas_differs_from_us_on_purpose(library: Any) -> None:
    """Case, width and punctuation count there; ours leave them out (docs/judge.md)."""
    told = finished(library.ExactMatch().ascore(reference="１５ days.", response="15 Days"))
    assert told.value == 0.0
    assert units("１５ days.") == units("15 Days")
