"""Which eval set a run uses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragbench.assets import shipped
from ragbench.core.stage import Stage
from ragbench.errors import DataError

QUESTIONS = "questions.jsonl"
CORPUS = "corpus"
LOCK = "LOCK"
IMPORTED = "IMPORTED"
"""Marks a set made by an import; such a set may have categories of its own."""


@dataclass(frozen=True, kw_only=True)
class EvalSetSource(Stage):
    """An eval set by name and version, or by the path of its folder.

    A name is looked for in `./eval_sets` and then among the shipped sets.
    """

    name: str | None
    version: str | None
    path: str | None

    def folder(self) -> Path:
        """The set's folder; raises DataError when there is none with a corpus and questions."""
        if self.path is not None:
            return _checked(Path(self.path).expanduser(), self.path)
        if not self.name or not self.version:
            raise DataError("eval_set", expected="a name and a version, or a path", hint="Set eval_set.path=DIR.")
        places = [root / self.name / self.version for root in (Path("eval_sets"), shipped("eval_sets"))]
        for place in places:
            if place.is_dir():
                return _checked(place, f"{self.name}/{self.version}")
        raise DataError(
            f"eval set {self.name}/{self.version}",
            expected="a folder " + " or ".join(str(place) for place in places),
            found="neither",
        )

    def title(self) -> tuple[str, str]:
        """Name and version as shown in results."""
        if self.name and self.version:
            return self.name, self.version
        folder = self.folder().resolve()
        if folder.name.startswith("v") and folder.name[1:].isdigit():
            return self.name or folder.parent.name, folder.name
        return self.name or folder.name, self.version or "v0"


def _checked(folder: Path, shown: str) -> Path:
    missing = [name for name in (CORPUS, QUESTIONS) if not (folder / name).exists()]
    if missing:
        raise DataError(
            f"eval set {shown}",
            expected=f"{CORPUS}/ and {QUESTIONS}",
            found="no such folder" if not folder.is_dir() else "no " + " and no ".join(missing),
            hint="See docs/datamodel.md, or make one with: ragbench eval-set import",
        )
    return folder
