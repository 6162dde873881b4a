import numpy as np
import pytest

from ragbench.stats.quantile import p50, p95, quantile, quantiles


@pytest.mark.parametrize("n", [1, 2, 3, 10, 101])
@pytest.mark.parametrize("q", [0.0, 0.05, 0.5, 0.95, 1.0])
def test_it_agrees_with_numpy(n, q):
    values = np.random.default_rng(n).random(n).tolist()
    assert quantile(values, q) == pytest.approx(np.quantile(values, q), abs=1e-12)


def test_nothing_has_no_quantile_and_q_has_bounds():
    assert quantile([], 0.5) is None and p50([]) is None and p95([]) is None and quantiles([]) == {}
    with pytest.raises(ValueError, match="between 0 and 1"):
        quantile([1.0], 95)


def test_order_does_not_matter():
    assert p50([3, 1, 2]) == 2.0
    assert quantiles([3, 1, 2]) == {"p50": 2.0, "p95": pytest.approx(2.9)}
