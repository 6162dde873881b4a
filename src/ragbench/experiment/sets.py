"""The eval sets of a study as overrides: shipped, of the user's own, or imported from the data folder."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import ragbench.eval_set
from ragbench.core.fingerprint import fingerprint
from ragbench.core.store import Store
from ragbench.errors import RagbenchError
from ragbench.eval_set.rows import read_rows
from ragbench.eval_set.source import IMPORTED, QUESTIONS, EvalSetSource
from ragbench.experiment.outcome import FEWEST
from ragbench.experiment.study import AskedSet

DATA_VARIABLE = "RAGBENCH_DATA"

Importer = Callable[[Sequence[str], Path], None]
"""Makes an eval set in an empty folder from the words of a recipe, whose path is absolute."""


@dataclass(frozen=True, slots=True)
class ReadySet:
    """An eval set that is there, and the overrides that choose it. `own_splits`: it has a `dev` and a `test` of at
    least 20 questions each that somebody made, not an import."""

    name: str
    overrides: Mapping[str, str]
    own_splits: bool = False


@dataclass(frozen=True, slots=True)
class MissingSet:
    """An eval set that is not there; `why` is `unset` (no data folder), `absent` (no such file, no such set) or
    `failed`, with the place or the error in `detail`."""

    name: str
    why: str
    detail: str


def prepare(asked: Sequence[AskedSet], store: Store, importer: Importer) -> tuple[list[ReadySet], list[MissingSet]]:
    """The sets that are there, imported where they must be, and those that are not, both in the given order."""
    found = [_prepare(one, store, importer) for one in asked]
    return [one for one in found if isinstance(one, ReadySet)], [one for one in found if isinstance(one, MissingSet)]


def local_set(folder: str) -> ReadySet:
    """A set in a folder, named as results name it."""
    source = EvalSetSource(name=None, version=None, path=folder)
    return ReadySet(source.title()[0], {"eval_set": "local", "eval_set.path": folder}, _own_splits(Path(folder)))


def _own_splits(folder: Path) -> bool:
    """Whether a set has splits that were made by hand, large enough to choose on one and tell on the other. Faults in
    its rows are told where it is run."""
    if (folder / IMPORTED).is_file():
        return False
    try:
        rows = read_rows(folder / QUESTIONS, strict=False, problems=[])
    except (RagbenchError, OSError):
        return False
    counts = Counter(str(row.get("split", "test")) for row in rows)
    return all(counts[split] >= FEWEST for split in ("dev", "test"))


def _prepare(asked: AskedSet, store: Store, importer: Importer) -> ReadySet | MissingSet:
    if not asked.recipe:
        try:
            folder = EvalSetSource(name=asked.name, version=asked.version, path=None).folder()
        except RagbenchError as error:
            return MissingSet(asked.name, "absent", str(error))
        # A set by name needs no option of its own in configs/eval_set.
        chosen = {"eval_set.name": asked.name, "eval_set.version": asked.version, "eval_set.path": "null"}
        return ReadySet(asked.name, {"eval_set": "local", **chosen}, _own_splits(folder))
    data = os.environ.get(DATA_VARIABLE, "")
    if not data:
        return MissingSet(asked.name, "unset", str(asked.sources[0]))
    sources = [Path(data).expanduser() / one for one in asked.sources]
    absent = next((one for one in sources if not one.exists()), None)
    if absent is not None:
        return MissingSet(asked.name, "absent", str(absent))
    options = asked.recipe[1 + len(sources) :]
    words = [asked.recipe[0], *(str(one.resolve()) for one in sources), *options]
    try:
        content = [_hashes(one) for one in sources]
        key = fingerprint("eval_set", [asked.recipe[0], *options], content, _importers())
        about = {"recipe": " ".join(asked.recipe)}
        folder = store.get_or_build("eval_set", key, lambda target: importer(words, target), about)
    except RagbenchError as error:
        return MissingSet(asked.name, "failed", str(error))
    chosen = {"eval_set.path": str(folder.resolve()), "eval_set.name": asked.name, "eval_set.version": asked.version}
    return ReadySet(asked.name, {"eval_set": "local", **chosen})


def _hashes(source: Path) -> dict[str, str]:
    """SHA-256 of a file, or of every file of a folder that is not hidden, by path."""
    files = [source] if source.is_file() else sorted(path for path in source.rglob("*") if path.is_file())
    found = {}
    for path in files:
        inside = path.relative_to(source)
        if not any(part.startswith(".") for part in inside.parts):
            with path.open("rb") as handle:
                found[inside.as_posix()] = hashlib.file_digest(handle, "sha256").hexdigest()
    return found


def _importers() -> dict[str, str]:
    """Hashes of the code that imports: a set made by code that has changed is made again."""
    folder = Path(ragbench.eval_set.__file__).parent
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("*.py"))}
