"""Where shipped configs, experiments, eval sets and recorded replies lie: beside the source tree or in the wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped(name: str) -> Path:
    """Folder of shipped files: `configs`, `eval_sets`, `experiments` or `cassettes` (which there may be none of)."""
    inside = _PACKAGE / "assets_data" / name
    return inside if inside.is_dir() else _PACKAGE.parents[1] / name
