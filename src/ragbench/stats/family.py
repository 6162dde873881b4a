"""Which tests of a family can be significant at all, so that the others need not be corrected for."""

from __future__ import annotations

from collections.abc import Sequence


def eligible(smallest: Sequence[float], alpha: float) -> list[bool]:
    """Whether each test belongs to the family, by the smallest p that it can have.

    The family is the largest for which every member could be significant after a Bonferroni correction over it: the
    least k so that at most k tests can reach alpha / k. The smallest p of a sign-flip test depends on how many
    differences are not 0 and never on their signs, which is all that the test looks at, so that choosing by it costs
    nothing of the family-wise level. Source: Tarone (1990), Biometrics 46. Raises ValueError for alpha outside (0, 1).
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha lies between 0 and 1, not at {alpha}")
    k = next((k for k in range(1, len(smallest) + 1) if sum(p <= alpha / k for p in smallest) <= k), 1)
    return [p <= alpha / k for p in smallest]
