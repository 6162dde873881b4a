"""A folder that appears whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragbench.errors import DataError

SHOWN = 5


@contextmanager
def settled(folder: Path) -> Iterator[Path]:
    """An empty folder near `folder`; what it holds when the block ends becomes `folder`, or goes into it.

    `folder` may exist, as a new repository does, as long as nothing in it has a name that is to be written. On any
    error all stays as it was.

    Raises:
        DataError: `folder` or a parent of it is a file, something is in the way, or nothing can be written there.
    """
    around = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    for path in (folder, around):
        if (path.exists() or path.is_symlink()) and not path.is_dir():
            raise DataError(str(folder), expected="a folder", found=f"a file at {path}", hint="Choose another name.")
    try:
        aside = Path(tempfile.mkdtemp(prefix=".ragbench-", dir=around))
    except OSError as error:
        expected = f"that files can be made in {around}"
        raise DataError(
            str(folder), expected=expected, found=str(error.strerror), hint="Choose another place."
        ) from error
    try:
        made = aside / "project"
        made.mkdir()
        yield made
        check_free(folder, [path.name for path in made.iterdir()])
        if folder.exists():
            _moved_in(made, folder)
        else:
            folder.parent.mkdir(parents=True, exist_ok=True)
            made.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def check_free(folder: Path, names: list[str]) -> None:
    """Raise DataError where `folder` holds one of the names."""
    taken = [name for name in sorted(names) if (folder / name).exists() or (folder / name).is_symlink()]
    if taken:
        more = f" and {len(taken) - SHOWN} more" if len(taken) > SHOWN else ""
        raise DataError(
            str(folder),
            expected="a new or empty folder",
            found=f"{', '.join(taken[:SHOWN])}{more} in the way",
            hint="Nothing was written. Choose another folder.",
        )


def _moved_in(made: Path, folder: Path) -> None:
    moved: list[Path] = []
    try:
        for path in sorted(made.iterdir()):
            path.rename(folder / path.name)
            moved.append(folder / path.name)
    except OSError:
        for path in moved:
            path.rename(made / path.name)
        raise
