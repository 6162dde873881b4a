"""Whether the models of a variant are on this machine: an optional variant is never the reason for a download."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ragbench.errors import Problems, RagbenchError
from ragbench.run.experiment import Experiment

CHOSEN_MODEL = "(none is chosen: llm=…)"
"""What an optional variant lacks that asks a language model where none is chosen."""

_NONE_CHOSEN = "expected a language model, found llm=none"


def missing_model(experiment: Experiment) -> str:
    """The model that an embedder or a reranker names and that is neither a folder nor in the cache of the hub; empty
    where none is missing. A model behind an endpoint is not looked for, nor an embedder that is not asked."""
    pipeline = experiment.pipeline
    stages: list[Any] = [*([pipeline.embedder] if experiment.needs_embedder else []), pipeline.reranker]
    return next((str(stage.model) for stage in stages if _is_missing(stage)), "")


def _is_missing(stage: Any) -> bool:
    model = getattr(stage, "model", None)
    if not isinstance(model, str) or hasattr(stage, "base_url") or Path(model).is_dir():
        return False
    snapshots = _cache() / f"models--{model.replace('/', '--')}" / "snapshots"
    return not any(snapshots.glob("*/config.json"))


def lacks_model(error: RagbenchError) -> bool:
    """Whether a variant cannot be composed only because it asks a language model and none is chosen."""
    lines = error.problems if isinstance(error, Problems) else [str(error)]
    return all(_NONE_CHOSEN in line for line in lines)


def _cache() -> Path:
    """Where huggingface_hub keeps models, as its documentation has it."""
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface"
    return Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub").expanduser()
