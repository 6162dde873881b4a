"""The artifact store: content-addressed folders, committed atomically, verified on reading.

An artifact is a folder `<kind>/<key[:2]>/<key>/` with payload files and `_meta.json`, which holds the size and SHA-256
of each. A build writes into a temporary folder that is renamed into place when it is whole, under a
lock per key, so that two processes compute an artifact once. What does not match its meta file is put
aside and rebuilt. Failures are never stored. No pickle.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from ragbench.core.blobs import BlobTable
from ragbench.core.fingerprint import fingerprint
from ragbench.errors import StoreError

META = "_meta.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """One artifact in the store, as `ragbench cache` lists it."""

    kind: str
    key: str
    path: Path
    size: int
    created: float
    about: Mapping[str, Any]


class Store:
    """Artifacts of one folder, shared by runs and processes.

    `reused` and `computed` count artifacts by kind for this object's lifetime.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.reused: Counter[str] = Counter()
        self.computed: Counter[str] = Counter()
        self._repaired: list[str] = []
        self._verified: set[Path] = set()
        self._tables: dict[str, BlobTable] = {}
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"store {root}: cannot be created ({error.strerror}). "
                "Set paths.store or RAGBENCH_STORE to a writable folder."
            ) from error

    @property
    def repaired(self) -> list[str]:
        """Damaged artifacts and tables that were set aside, one line each."""
        return [*self._repaired, *(line for table in self._tables.values() for line in table.repaired)]

    def path(self, kind: str, key: str) -> Path:
        """Where an artifact lies, whether it exists or not."""
        return self.root / kind / key[:2] / key

    def find(self, kind: str, key: str) -> Path | None:
        """The artifact's folder when it is there and whole; a corrupt one is set aside."""
        folder = self.path(kind, key)
        if folder in self._verified:
            return folder
        if not folder.exists():
            return None
        damage = fault(folder, kind, key)
        if damage:
            self._set_aside(folder, damage)
            return None
        self._verified.add(folder)
        return folder

    def get_or_build(
        self, kind: str, key: str, build: Callable[[Path], None], about: Mapping[str, Any] | None = None
    ) -> Path:
        """The artifact's folder, built first where it is missing.

        `build` receives an empty folder to write into. Whatever it raises passes through and leaves
        nothing behind.
        """
        found = self.find(kind, key)
        if found:
            self.reused[kind] += 1
            return found
        folder = self.path(kind, key)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(str(folder) + ".lock"):
            found = self.find(kind, key)
            if found:
                self.reused[kind] += 1
                return found
            self._build(folder, build, {"kind": kind, "key": key, "about": dict(about or {})})
        self.computed[kind] += 1
        return folder

    def _build(self, folder: Path, build: Callable[[Path], None], head: dict[str, Any]) -> None:
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name[:12]}-", dir=folder.parent))
        try:
            started = time.perf_counter()
            build(temporary)
            head["seconds"] = round(time.perf_counter() - started, 3)
            head["created"] = time.time()
            head["files"] = {name: _file_facts(temporary / name) for name in _files(temporary)}
            head["digest"] = fingerprint(head["kind"], head["key"], head["files"])
            with (temporary / META).open("w", encoding="utf-8") as handle:
                json.dump(head, handle, ensure_ascii=False, sort_keys=True)
                handle.flush()
                os.fsync(handle.fileno())
            temporary.rename(folder)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        _fsync_folder(folder.parent)
        self._verified.add(folder)

    def table(self, name: str) -> BlobTable:
        """The key–value table `name`, opened once per store object."""
        if name not in self._tables:
            self._tables[name] = BlobTable(self.root / "tables" / f"{name}.sqlite")
        return self._tables[name]

    def close(self) -> None:
        """Close the tables. The store may be used again; they reopen on demand."""
        self._repaired = self.repaired
        for table in self._tables.values():
            table.close()
        self._tables.clear()

    def entries(self) -> Iterator[Entry]:
        """All artifacts, by kind and key."""
        for meta in sorted(self.root.glob(f"*/??/*/{META}")):
            if meta.parent.name.startswith("."):
                continue  # of a build that was killed
            try:
                head = json.loads(meta.read_text(encoding="utf-8"))
                size = sum(facts["size"] for facts in head["files"].values())
                yield Entry(head["kind"], head["key"], meta.parent, size, head["created"], head["about"])
            except (ValueError, KeyError, OSError):
                continue

    def folders(self) -> Iterator[tuple[str, str, Path]]:
        """`(kind, key, folder)` of all artifacts, those without a readable meta file among them."""
        for folder in sorted(self.root.glob("*/??/*")):
            if folder.name.startswith(folder.parent.name) and folder.is_dir() and not folder.name.startswith("."):
                yield folder.parent.parent.name, folder.name, folder

    def remove(self, entry: Entry) -> None:
        """Delete one artifact."""
        self.discard(entry.path)

    def discard(self, folder: Path) -> None:
        """Delete the folder of one artifact. A process that is killed meanwhile leaves it whole, or as `debris`."""
        self._verified.discard(folder)
        going = folder.with_name(f".{folder.name[:12]}-{time.time_ns()}")
        try:
            folder.rename(going)
        except OSError:
            going = folder
        shutil.rmtree(going, ignore_errors=True)

    def debris(self, border: float) -> list[Path]:
        """What killed builds and removals left, and corrupt entries set aside, last changed before `border`, in seconds
        since 1970."""
        found = [*self.root.glob("*/??/.*-*"), *self.root.glob("corrupt/*"), *self.root.glob("tables/*.corrupt-*")]
        return [path for path in sorted(found) if path.stat().st_mtime <= border]

    def _set_aside(self, folder: Path, damage: str) -> None:
        aside = self.root / "corrupt" / f"{folder.name}-{time.time_ns()}"
        aside.parent.mkdir(exist_ok=True)
        try:
            folder.rename(aside)
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)
        self._repaired.append(f"{folder.parent.parent.name}/{folder.name[:12]}: {damage}")


def _files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file() and p.name != META)


def _file_facts(path: Path) -> dict[str, Any]:
    with path.open("rb+") as handle:
        os.fsync(handle.fileno())
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
    return {"size": path.stat().st_size, "sha256": digest}


def fault(folder: Path, kind: str, key: str) -> str:
    """Why the artifact cannot be trusted, or an empty string; nothing is changed."""
    try:
        head = json.loads((folder / META).read_text(encoding="utf-8"))
        files = head["files"]
        if head["digest"] != fingerprint(kind, key, files):
            return "meta file is not the one that was written"
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "meta file missing or unreadable"
    for name, facts in files.items():
        path = folder / name
        try:
            if path.stat().st_size != facts["size"]:
                return f"{name} has the wrong size"
            with path.open("rb") as handle:
                if hashlib.file_digest(handle, "sha256").hexdigest() != facts["sha256"]:
                    return f"{name} has the wrong content"
        except OSError:
            return f"{name} is missing"
    return ""


def _fsync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
