"""A stored index as the built variant that questions are put to."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragbench.errors import DataError
from ragbench.pipeline.offline import Built, Corpus, Keys
from ragbench.upkeep.commit import read_catalogue
from ragbench.upkeep.folder import CATALOGUE, READER, LiveFolder
from ragbench.upkeep.variant import SIDE_OF, Variant, check_recipe


@contextmanager
def opened(live: LiveFolder, variant: Variant, wait: float = 60.0) -> Iterator[Built]:
    """The index as it is now; an update may follow while it is open.

    Raises:
        DataError: there is none, a side is behind, missing or damaged, or another process is at work.
        ConfigError: the variant's splitter, embedder or indexes are not those that the index was made with.
    """
    settings = live.settings()
    check_recipe(str(live.root), settings.recipe, variant, whole=False)
    with tempfile.TemporaryDirectory(prefix=READER, dir=live.root, ignore_cleanup_errors=True) as private:
        with live.locked("read", wait):
            check_whole(live, tuple(side for side, slot in SIDE_OF.items() if slot in settings.recipe))
            built = _built(live, Path(settings.folder), variant, Path(private))
        yield built


def check_whole(live: LiveFolder, sides: tuple[str, ...]) -> None:
    """Raise DataError where the sides do not hold the documents' chunk set, or a part is missing or damaged."""
    faults = live.faults((CATALOGUE, *sides))
    if faults:
        raise DataError(
            f"index {live.root}",
            expected="documents and sides of one chunk set",
            found="; ".join(faults.values()),
            hint=f"Mend it with: {live.mend}",
        )


def _built(live: LiveFolder, folder: Path, variant: Variant, private: Path) -> Built:
    catalogue = read_catalogue(live)
    chunks = catalogue.searched(catalogue.all_chunks(variant.pipeline.prefix))
    folders, keys = {}, {}
    for side in variant.sides:
        head = live.head(side)
        assert head is not None
        keys[side] = head.key
        folders[side] = _linked(live.path(side, head), private / side)
    corpus = Corpus(chunks.key, folder, tuple(catalogue.documents.values()))
    return Built(
        corpus=corpus,
        keys=Keys(chunks.key, chunks.key, chunks.key, keys.get("dense"), keys.get("sparse")),
        chunks=chunks.chunks,
        index_folder=folders.get("dense"),
        sparse_folder=folders.get("sparse"),
    )


def _linked(folder: Path, target: Path) -> Path:
    """The same files under another path, so that an update that deletes the folder leaves them to the reader."""

    def link(source: str, place: str) -> None:
        try:
            os.link(source, place)
        except OSError:
            shutil.copyfile(source, place)

    return Path(shutil.copytree(folder, target, copy_function=link))
