"""`import ragbench` and `ragbench --help` stay light."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

HEAVY = (
    "torch",
    "ragas",
    "mlflow",
    "chromadb",
    "sklearn",
    "pandas",
    "hydra",
    "scipy",
    "matplotlib",
    "onnxruntime",
    "jieba",
)
LIMIT_S = 1.0


def seconds(*command: str) -> float:
    """Best of three: what the code costs, not what a busy machine adds."""
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        taken.append(time.perf_counter() - started)
        assert done.returncode == 0, done.stderr
    return min(taken)


@pytest.mark.parametrize("arguments", [("-c", "import ragbench"), ("-m", "ragbench", "--help")])
def test_starts_within_a_second(arguments: tuple[str, ...]) -> None:
    assert seconds(sys.executable, *arguments) <= LIMIT_S


@pytest.mark.parametrize(
    "module", ["ragbench", "ragbench.cli.main", "ragbench.records.trace", "ragbench.measure.registry"]
)
def test_loads_nothing_heavy(module: str) -> None:
    script = f"import sys, {module}; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
