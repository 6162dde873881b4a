"""Configurations that Hydra composed, kept in the store by the bytes of every file they could be made of; those of this
process in memory too, which is what compositions without a store, or with many, have of it.

Only what Hydra makes of choices of options is kept, with its interpolations as they stand; values and variables of the
environment are put in anew each time. Nothing is written where there is no store yet.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ragbench.core.codec import read_json, write_json
from ragbench.core.fingerprint import fingerprint, quick_key
from ragbench.core.stage import library_version

Composed = tuple[Any, dict[str, str]]
"""An OmegaConf configuration and the chosen option of each group."""


_KEPT = 64
_MEMORY: dict[str, Composed] = {}


def remembered(
    structural: Sequence[str], folders: Sequence[Path], store: Path | None, make: Callable[[], Composed]
) -> Composed:
    """What `make` gives for these overrides and folders of configurations, or gave before; not to be changed."""
    key = _key(structural, folders)
    path = store / "composed" / f"{key}.json" if store is not None and store.is_dir() else None
    found = _MEMORY.get(key) or (_read(path) if path else None)
    if found is None:
        found = make()
        if path:
            _write(path, found)
    elif path and not path.exists():
        _write(path, found)
    _MEMORY[key] = found
    while len(_MEMORY) > _KEPT:
        _MEMORY.pop(next(iter(_MEMORY)), None)
    return found


def forget() -> None:
    """Empty the memory, as a new process has it."""
    _MEMORY.clear()


def _read(path: Path) -> Composed | None:
    from omegaconf import OmegaConf

    try:
        found = read_json(path)
        config = OmegaConf.create(found["config"])
        OmegaConf.set_struct(config, True)
        return config, dict(found["choices"])
    except (OSError, ValueError, KeyError, TypeError):
        return None  # not there, or no longer readable: made and written anew


def _write(path: Path, made: Composed) -> None:
    from omegaconf import OmegaConf

    config, choices = made
    plain = OmegaConf.to_container(config)
    if _is_plain(plain):
        try:
            path.parent.mkdir(exist_ok=True)
            write_json(path, {"config": plain, "choices": choices})
        except OSError:
            pass  # a store that cannot be written tells so where results are lost


def store_of(overrides: Sequence[str]) -> Path | None:
    """Where the store of these overrides lies, as far as can be told before they are composed."""
    named = [item.partition("=")[2] for item in overrides if item.partition("=")[0].lstrip("+") == "paths.store"]
    text = named[-1].strip("\"'") if named else os.environ.get("RAGBENCH_STORE", ".ragbench/store")
    return None if "$" in text or "\\" in text else Path(text)


def _key(structural: Sequence[str], folders: Sequence[Path]) -> str:
    files = [
        (number, path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8", errors="surrogateescape"))
        for number, folder in enumerate(folders)
        for path in sorted(folder.rglob("*.yaml"))
    ]
    versions = [library_version(name) for name in ("hydra-core", "omegaconf")]
    return fingerprint("composed", list(structural), versions, quick_key(files))


def _is_plain(node: Any) -> bool:
    """Whether JSON gives the same value back."""
    if isinstance(node, dict):
        return all(type(key) is str and _is_plain(value) for key, value in node.items())
    if isinstance(node, list):
        return all(map(_is_plain, node))
    return node is None or type(node) in (str, bool) or (type(node) is int and abs(node) < 2**63) or _is_finite(node)


def _is_finite(node: Any) -> bool:
    return type(node) is float and node - node == 0
