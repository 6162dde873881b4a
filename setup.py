"""Copies the shipped configs, experiments and eval sets into the wheel, below `ragbench/assets_data/`."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
SHIPPED = ("configs", "experiments", "eval_sets")


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


setup(cmdclass={"build_py": BuildWithAssets})
