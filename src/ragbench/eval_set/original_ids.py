"""The ids that documents of an imported set have in their source, where a file name cannot be the id."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragbench.core.codec import read_jsonl, write_jsonl
from ragbench.errors import DataError

ORIGINAL_IDS = "original_ids.jsonl"
"""File of a set beside its questions: rows of `doc` (the document) and `id` (its id in the source)."""


def write_original_ids(folder: Path, ids: Mapping[str, str]) -> None:
    """Keep the ids by document; no file for none."""
    if ids:
        write_jsonl(folder / ORIGINAL_IDS, ({"doc": doc, "id": name} for doc, name in ids.items()))


def read_original_ids(folder: Path) -> dict[str, str]:
    """Ids by document; empty for a set without any. Raises DataError naming the file where it is something else."""
    path = folder / ORIGINAL_IDS
    if not path.is_file():
        return {}
    try:
        rows = [(row["doc"], row["id"]) for row in read_jsonl(path)]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(str(path), expected="rows of doc and id", found=f"{type(error).__name__}: {error}") from error
    if not all(isinstance(value, str) for row in rows for value in row):
        raise DataError(str(path), expected="rows of doc and id", found="one that is no text")
    return dict(rows)
