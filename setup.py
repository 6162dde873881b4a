"""Copies what is shipped into the wheel, below `ragbench/assets_data/`: configs, experiments, eval sets, recordings."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
SHIPPED = ("configs", "experiments", "eval_sets")
RECORDED = "cassettes"
"""Recordings of model replies, and the contexts they were made over, which a tree may lack."""


class BuildWithAssets(build_py):
    """`build_py` that adds the data folders; an editable install reads them from the source tree instead."""

    def run(self) -> None:
        """Build the modules, then copy the folders as they are."""
        super().run()
        if not self.editable_mode:
            for name in SHIPPED:
                target = Path(self.build_lib) / "ragbench" / "assets_data" / name
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__", ".*"))
            recorded = Path(self.build_lib) / "ragbench" / "assets_data" / RECORDED
            shutil.rmtree(recorded, ignore_errors=True)
            for path in sorted((ROOT / RECORDED).rglob("*.jsonl")):
                target = recorded / path.relative_to(ROOT / RECORDED)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)


setup(cmdclass={"build_py": BuildWithAssets})
