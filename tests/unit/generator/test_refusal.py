"""What the calibration of refusals sees of the candidates."""

from __future__ import annotations

import numpy as np
import pytest

from ragbench.generator.choose import Scored
from ragbench.generator.late_match import LateMatch, LateScore
from ragbench.generator.refusal import FEATURES, Calibration, features_of
from ragbench.generator.support import Unit


def scored(*late: LateScore | None) -> list[Scored]:
    unit = Unit(0, 0, 2, "年假", "prose", None, 0, "")
    return [Scored(unit, 0.5, one, False, frozenset()) for one in late]


def test_alike_is_the_best_and_weakest_what_no_candidate_matches() -> None:
    first = LateScore(0.5, 0.5, (0.9, 0.7, 0.8, 0.75, 0.95, 0.9, 0.9, 0.9), 0.8)
    second = LateScore(0.5, 0.5, (0.8, 0.72, 0.8, 0.85, 0.9, 0.9, 0.9, 0.9), 0.9)
    found = features_of(scored(first, second), 0.25, True)
    assert found == {"alike": 0.9, "weakest": pytest.approx((0.72 + 0.8) / 2), "covered": 0.25, "chinese": 1.0}
    assert tuple(found) == FEATURES


@pytest.mark.parametrize("late", [(), (None,), (LateScore(0, 0, (), 0.0),), (LateScore(0, 0, (-0.5, -0.1), -0.2),)])
def test_without_anything_alike_they_are_zero(late: tuple[LateScore | None, ...]) -> None:
    found = features_of(scored(*late), 0.0, False)
    assert (found["alike"], found["weakest"]) == (0.0, 0.0)


def test_one_token_decides_for_a_short_question() -> None:
    assert features_of(scored(LateScore(0, 0, (0.9, 0.6), 0.8)), 0, False)["weakest"] == 0.6


class Vectors:
    """An embedder of which every character is a token with a fixed vector."""

    def token_vectors(self, texts: list[str], role: str) -> list[np.ndarray]:
        rows = {"a": (1.0, 0.0), "b": (0.0, 1.0)}
        return [np.array([rows[char] for char in text], dtype=np.float32).reshape(-1, 2) for text in texts]


def test_late_interaction_tells_cosines_of_tokens_and_of_means() -> None:
    one, two, empty = LateMatch(Vectors()).scores("ab", ["a", "ab", ""])  # type: ignore[arg-type]
    assert (one.best, two.best, empty.best) == ((1.0, 0.0), (1.0, 1.0), (0.0, 0.0))
    assert (one.alike, two.alike, empty.alike) == (pytest.approx(0.5**0.5, abs=1e-6), 1.0, 0.0)


@pytest.mark.parametrize("scorer", ["maxsim", "lexical"])
def test_more_likeness_is_more_probable_in_either_language(scorer: str) -> None:
    model = Calibration.load(scorer)
    for chinese in (0.0, 1.0):
        low, high = (
            model.probability({"alike": at, "weakest": at, "covered": at, "chinese": chinese}) for at in (0.7, 0.95)
        )
        assert 0 < low < high < 1
