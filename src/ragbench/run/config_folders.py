"""Where configurations are looked for, and which of them all begins with."""

from __future__ import annotations

from pathlib import Path

from ragbench.assets import shipped

PROJECT = "ragbench"
"""Name of a project's own primary configuration: not `config`, which the `configs/` of other programs hold as well."""


def config_folders() -> list[Path]:
    """Search path of configs: the user's `./configs`, then the shipped ones."""
    own, ours = Path("configs").resolve(), shipped("configs").resolve()
    return [own, ours] if own.is_dir() and own != ours else [ours]


def primary() -> str:
    """What every composition begins with: the project's `configs/ragbench.yaml`, which extends `config`, or that."""
    return PROJECT if (config_folders()[0] / f"{PROJECT}.yaml").is_file() else "config"


def primary_folder() -> Path:
    """The folder that the primary configuration lies in; Hydra prefers its files to those of the other folder."""
    folders = config_folders()
    return folders[0] if primary() == PROJECT else folders[-1]
