"""Which files of a folder are documents."""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from ragbench.errors import DataError


@dataclass(frozen=True, slots=True)
class Scan:
    """`files` are `(doc_id, path)` in ascending order of `doc_id`; the others are told in relative POSIX paths."""

    files: tuple[tuple[str, Path], ...]
    failures: tuple[tuple[str, str], ...]
    skipped: tuple[str, ...]


def scan(folder: Path, suffixes: Collection[str]) -> Scan:
    """All files under `folder` with one of the suffixes (lower case, with the dot); nothing is opened.

    Hidden files, lock files of office programs (`~$…`) and unknown suffixes are skipped; a hidden folder counts as
    one path. Links that leave the folder, broken ones, ones that lead back to themselves and linked folders are
    failures, and so are files whose ids are equal after NFC: which of them a question means cannot be told.

    Raises:
        DataError: there is no such folder.
    """
    if not folder.is_dir():
        found = "a file" if folder.exists() else "nothing"
        raise DataError(f"corpus {folder}", expected="a folder", found=found, hint="Check the path of the corpus.")
    root = folder.resolve()
    failures: list[tuple[str, str]] = []
    skipped: list[str] = []
    by_id: dict[str, list[Path]] = defaultdict(list)
    closed: list[OSError] = []
    for path in _walk(folder, closed):
        doc_id = unicodedata.normalize("NFC", path.relative_to(folder).as_posix())
        fault = _fault(path, root)
        if _is_hidden(path.name):
            skipped.append(doc_id)
        elif fault:
            failures.append((_shown(doc_id), fault))
        elif path.is_dir() or path.suffix.lower() not in suffixes:
            skipped.append(_shown(doc_id))
        else:
            by_id[doc_id].append(path)
    for error in closed:
        name = os.path.relpath(error.filename or folder, folder)
        failures.append((_shown(name), f"a folder that cannot be read: {error.strerror or type(error).__name__}"))
    for doc_id, paths in list(by_id.items()):
        if len(paths) > 1:
            failures += [(doc_id, f"{len(paths)} files have this name once it is normalised (NFC)")]
            del by_id[doc_id]
    files = tuple((doc_id, by_id[doc_id][0]) for doc_id in sorted(by_id))
    return Scan(files, tuple(sorted(failures)), tuple(sorted(skipped)))


def _walk(folder: Path, closed: list[OSError]) -> Iterator[Path]:
    """Files, linked and hidden folders, neither of which is entered; errors of other folders go to `closed`."""
    for parent, folders, files in os.walk(folder, onerror=closed.append):
        apart = [name for name in folders if _is_hidden(name) or _is_link(Path(parent) / name)]
        folders[:] = sorted(set(folders) - set(apart))
        for name in sorted(apart + files):
            yield Path(parent) / name


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except OSError:  # a path too long to ask: entering it says so
        return False


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "~$"))


def _fault(path: Path, root: Path) -> str:
    """Why a file may not be read, or an empty string."""
    try:
        path.name.encode("utf-8")
    except UnicodeEncodeError:
        return "the file name is not valid UTF-8"
    try:
        mode = path.stat().st_mode
        # Asked before the target: a link that leads back to itself has none, and resolving it is no OSError.
        target = path.resolve() if path.is_symlink() else None
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "a link that leads back to itself"
        return f"cannot be read: {error.strerror or type(error).__name__}"
    except RuntimeError:
        return "a link that leads back to itself"
    if target is not None and not target.is_relative_to(root):
        return "a link that leaves the corpus folder"
    if target is not None and stat.S_ISDIR(mode):
        return "a link to a folder is not followed"
    return "" if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else "not a regular file"


def _shown(doc_id: str) -> str:
    return doc_id.encode("utf-8", "backslashreplace").decode("utf-8")
