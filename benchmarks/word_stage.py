"""`word_vectors` as a stage, for `allowed_targets=[word_stage]`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from word_vectors import Words

from ragbench.core.workers import TextEmbedder
from ragbench.embedder.base import Embedder

OVERRIDES = ("embedder=words", "allowed_targets=[word_stage]")


@dataclass(frozen=True, kw_only=True)
class WordVectors(Embedder):
    """See the module."""

    VERSION: ClassVar[int] = 1

    @contextmanager
    def open(self) -> Iterator[TextEmbedder]:
        """Needs nothing."""
        yield Words(self.fingerprint())


def write_option(folder: Path) -> None:
    """Make `embedder=words` an option of runs started in `folder`."""
    target = folder / "configs" / "embedder" / "words.yaml"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("# @package pipeline.embedder\n_target_: word_stage.WordVectors\n", encoding="utf-8")
