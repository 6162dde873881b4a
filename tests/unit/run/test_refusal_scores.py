"""Where the relevance of packed blocks is a probability."""

from __future__ import annotations

import pytest

from ragbench.run.build import experiment
from ragbench.run.refusal_scores import best_relevance_threshold

LATE = ("reranker=late_interaction", "pipeline.reranker.mix=1")
CALIBRATION = "pipeline.reranker.calibration={a: 60, b: -53}"
API = ("reranker=api", CALIBRATION)


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ((*LATE, CALIBRATION), 0),
        ((*LATE, CALIBRATION, "pipeline.generator.min_max=0.25"), 0.25),
        ((*LATE, CALIBRATION, "flow=adaptive_k", "k=5"), 0),
        (API, 0),
        (LATE, None),
        (("reranker=logistic_fusion",), None),
        ((), None),
        ((*API, "pipeline.reranker.on_failure=keep"), None),
        ((*API, "generator=none", "judge=none"), None),
        ((*LATE, CALIBRATION, "flow=sequential"), None),
        ((*LATE, CALIBRATION, "flow=adaptive"), None),
        ((*LATE, CALIBRATION, "flow=oracle"), None),
        ((*LATE, CALIBRATION, "flow=noisy"), None),
        ((*LATE, CALIBRATION, "flow=closed_book"), None),
    ],
)
def test_it_is_one_behind_a_calibrated_reranker_whose_scores_are_packed(
    overrides: tuple[str, ...], expected: float | None
) -> None:
    pipeline = experiment(overrides).pipeline
    assert best_relevance_threshold(pipeline.generator, pipeline.reranker, pipeline.flow) == expected
