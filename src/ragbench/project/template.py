"""The files of a new project, as they are shipped beside this module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_NAME = "__NAME__"
_SHIPPED_AS = {"github": ".github", "gitignore": ".gitignore"}
"""Names that packaging tools would leave out."""


def write_template(folder: Path, name: str) -> None:
    """Write everything but the eval set: configurations, workflows, Makefile, READMEs; the set is called `name`."""
    for path, text in _files(_HERE / "template"):
        if path.name != "DATASHEET.md":
            _write(folder / path, text, name)


def write_datasheet(target: Path, name: str) -> None:
    """Write the datasheet of a set whose questions were drafted."""
    _write(target / "DATASHEET.md", (_HERE / "template" / "DATASHEET.md").read_text(encoding="utf-8"), name)


def write_example(target: Path, name: str) -> None:
    """Write the example set: six documents, ten questions and their datasheet."""
    for path, text in _files(_HERE / "example"):
        _write(target / path, text, name)


def _files(root: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(root.rglob("*")):
        if path.is_file():
            first, *rest = path.relative_to(root).parts
            yield Path(_SHIPPED_AS.get(first, first), *rest), path.read_text(encoding="utf-8")


def _write(path: Path, text: str, name: str) -> None:
    path = path.with_name(path.name.replace(_NAME, name))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.replace(_NAME, name).encode("utf-8"))
