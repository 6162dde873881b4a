from __future__ import annotations

import pytest

from ragbench.embedder.e5_small import E5Worker
from ragbench.embedder.token_estimate import estimate_tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), (" \n", 0), ("员工报销", 4), ("leave", 2), ("a b", 2), ("API 网关，v2.1", 7), ("é", 1), ("\ud800", 1)],
)
def test_known_values(text: str, expected: int) -> None:
    assert estimate_tokens(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "员工出差须在返回后五个工作日内提交报销申请，逾期不予受理。",
        "Expense claims must be filed within five working days of the return.",
        "使用 Kubernetes 1.29 部署时，replicas 至少为 3（见 §4.2）。",
    ],
)
def test_it_is_on_the_safe_side_of_a_real_tokeniser(int8: E5Worker, text: str) -> None:
    (real,) = int8.count_tokens([text])
    assert real <= estimate_tokens(text) <= 2.2 * real
