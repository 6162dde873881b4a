"""Hashes of model files, computed once and remembered by size and time of change."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path

_MEMORY = "sha256.json"
_used: dict[str, str] = {}


def models_dir(cache_dir: str = "") -> Path:
    """Where built models and remembered hashes lie: `<store>/models`.

    The store is `cache_dir` when given, else that of `use_store`, else the environment variable RAGBENCH_STORE, else
    `.ragbench/store`.
    """
    return store_root(cache_dir) / "models"


def use_store(root: Path) -> None:
    """Name the store of this process, for what is not told one: the tokeniser that splitters count with."""
    _used["root"] = str(root)


def store_root(cache_dir: str = "") -> Path:
    """The folder of the artifact store that built models belong to."""
    return Path(cache_dir or _used.get("root") or os.environ.get("RAGBENCH_STORE") or ".ragbench/store")


def file_hash(path: Path, memory: Path) -> str:
    """Hex SHA-256 of a file. A file of the same path, size and time of change is not read again.

    `memory` is the folder that keeps what is known; where it cannot be written, the hash is computed each time.
    """
    facts = path.stat()
    seen = [facts.st_size, facts.st_mtime_ns]
    name = str(path.resolve())
    known = _recall(memory).get(name)
    if isinstance(known, list) and known[:2] == seen and len(known) == 3:
        return str(known[2])
    with path.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
    _remember(memory, name, [*seen, digest])
    return digest


def folder_hash(folder: Path, memory: Path) -> str:
    """Hex SHA-256 over names and contents of all files of a model folder, hidden files left out."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in relative.parts):
            digest.update(f"{relative.as_posix()}\0{file_hash(path, memory)}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _recall(memory: Path) -> dict[str, object]:
    try:
        known = json.loads((memory / _MEMORY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _remember(memory: Path, name: str, facts: list[object]) -> None:
    with suppress(OSError):
        memory.mkdir(parents=True, exist_ok=True)
        write_atomically(memory / _MEMORY, json.dumps({**_recall(memory), name: facts}, indent=0))


def write_atomically(path: Path, text: str) -> None:
    """Replace a small text file so that a reader sees the old or the new content, never a part."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
