"""Whether the models of a variant are on this machine: an optional variant is never the reason for a download."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ragbench.run.experiment import Experiment

JUDGE_MODEL = "judge_llm=…"
"""What an optional judge lacks where no model is chosen."""


def missing_model(experiment: Experiment) -> str:
    """The model that a reranker names and that is neither a folder nor in the cache of the hub, or `judge_llm=…` where
    the judge asks a model and none is chosen; empty where none is missing. A model behind an endpoint is not looked
    for."""
    judge: Any = experiment.judge
    if getattr(judge, "llm", judge) is None:
        return JUDGE_MODEL
    stage: Any = experiment.pipeline.reranker
    model = getattr(stage, "model", None)
    if not isinstance(model, str) or hasattr(stage, "base_url") or Path(model).is_dir():
        return ""
    snapshots = _cache() / f"models--{model.replace('/', '--')}" / "snapshots"
    return "" if any(snapshots.glob("*/config.json")) else model


def _cache() -> Path:
    """Where huggingface_hub keeps models, as its documentation has it."""
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface"
    return Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub").expanduser()
