"""A disk without space, in words: which folder lies on it, and what to do."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
_LITTLE = 2**28
_SQLITE = "database or disk is full"
_PLACES = {"paths.store": ("RAGBENCH_STORE", ".ragbench"), "paths.runs": ("RAGBENCH_RUNS", "runs")}
"""Where results are written: the override, the variable and the folder that each has by default."""


def is_full(error: BaseException) -> bool:
    """Whether an error, or what it was raised for, says that a disk or a quota is full."""
    if isinstance(error, OSError):
        return error.errno in _FULL
    return _SQLITE in str(error)


def full_disk(overrides: Sequence[str]) -> str:
    """One line that names the folders on a disk with less than 256 MiB left, how much is left now that what was half
    written is gone, and the next step."""
    given = dict(item.split("=", 1) for item in overrides if "=" in item)
    places = {key: given.get(key) or os.environ.get(name) or usual for key, (name, usual) in _PLACES.items()}
    places["the temporary folder"] = tempfile.gettempdir()
    left = {key: _free(Path(place)) for key, place in places.items()}
    short = [f"{key} ({places[key]}, {free // 2**20} MiB left)" for key, free in left.items() if free < _LITTLE]
    where = f" of {', '.join(short)}" if short else ""
    hint = "Free some, or set paths.store and paths.runs (RAGBENCH_STORE, RAGBENCH_RUNS) to another disk"
    return f"no space left on the disk{where}. {hint}; finished stages are kept and will be reused."


def _free(place: Path) -> int:
    """Bytes left for a folder that need not be there yet."""
    there = next((folder for folder in (place.absolute(), *place.absolute().parents) if folder.exists()), Path("/"))
    return shutil.disk_usage(there).free
