from __future__ import annotations

import numpy as np
import pytest

from ragbench.errors import DataError
from ragbench.stats.platt import brier, cross_fitted, fit_platt, probabilities


def drawn(n: int, a: float, b: float) -> tuple[np.ndarray, np.ndarray]:
    stream = np.random.default_rng(7)
    scores = stream.uniform(-3, 3, n)
    return scores, stream.uniform(size=n) < probabilities(scores, a, b)


@pytest.mark.parametrize(("a", "b"), [(1.5, -1.0), (0.4, 0.3), (4.0, -6.0)])
def test_known_parameters_are_found(a: float, b: float) -> None:
    assert fit_platt(*drawn(20_000, a, b)) == pytest.approx((a, b), rel=0.1, abs=0.06)


def test_the_fit_is_that_of_scikit_learn_without_penalty() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    scores, relevant = drawn(4000, 1.2, -0.7)
    model = linear_model.LogisticRegression(C=1e10, tol=1e-10).fit(scores[:, None], relevant)
    # Platt's targets are those of one more of each class, which is little among thousands.
    assert fit_platt(scores, relevant) == pytest.approx((model.coef_[0, 0], model.intercept_[0]), abs=5e-3)


def test_the_scale_of_scores_does_not_matter() -> None:
    scores, relevant = drawn(2000, 1.0, -0.5)
    a, b = fit_platt(scores, relevant)
    wide = fit_platt(1000 * scores + 5e4, relevant)
    np.testing.assert_allclose(probabilities(1000 * scores + 5e4, *wide), probabilities(scores, a, b), atol=1e-5)


def test_scores_that_part_the_classes_give_a_finite_fit() -> None:
    scores = np.array([0.0, 0.1, 0.9, 1.0])
    a, b = fit_platt(scores, np.array([False, False, True, True]))
    assert np.isfinite([a, b]).all()
    assert probabilities(scores, a, b)[3] == pytest.approx(0.75, abs=0.05)


@pytest.mark.parametrize(
    ("scores", "relevant", "message"),
    [
        ([0.1, 0.2], [True, True], "2 and 0"),
        ([], [], "0 and 0"),
        ([0.3, 0.3, 0.3], [True, False, True], "0.3 for every chunk"),
        ([0.0, 0.1, 0.9, 1.0], [True, True, False, False], "scores that rise with relevance"),
    ],
)
def test_what_cannot_be_fitted_is_said(scores: list[float], relevant: list[bool], message: str) -> None:
    with pytest.raises(DataError, match=message):
        fit_platt(np.array(scores), np.array(relevant, bool))


def test_a_question_is_never_judged_by_a_fit_that_saw_it() -> None:
    scores, relevant = drawn(60, 2.0, 0.0)
    groups = [n // 6 for n in range(60)]
    found = cross_fitted(scores, relevant, groups, 5)
    own = np.array([group == 3 for group in groups])
    others = np.array([group % 5 != 3 for group in groups])
    np.testing.assert_array_equal(found[own], probabilities(scores[own], *fit_platt(scores[others], relevant[others])))


def test_brier() -> None:
    assert brier(np.array([1.0, 0.0, 0.5]), np.array([True, True, False])) == pytest.approx((0 + 1 + 0.25) / 3)
    assert np.isnan(brier(np.array([]), np.array([], bool)))
