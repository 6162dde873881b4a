"""How much of a file is read at most: what a parser makes of a file takes many times its size."""

from __future__ import annotations

from pathlib import PurePosixPath

from ragbench.corpus.kinds import LOADERS
from ragbench.errors import DataError

MAX_BYTES = 256 * 2**20
# Kinds whose parser holds all of a file as objects at once. What a megabyte of each takes is told in docs/corpus.md.
_SMALLER = {
    "load_md": 64 * 2**20,
    "load_html": 64 * 2**20,
    "load_xml": 128 * 2**20,
    "load_json": 128 * 2**20,
    "load_jsonl": 128 * 2**20,
}
# Tags and values, whichever way they are spread over the bytes: some hundred bytes of memory each.
MAX_TAGS = {"HTML": 3_000_000, "XML": 10_000_000}
MAX_VALUES = 10_000_000
MAX_CELLS = 1_000_000
MAX_SOURCE = 2_000_000


def max_bytes(doc_id: str) -> int:
    """The largest file that is read, by the end of its name."""
    loader = LOADERS[PurePosixPath(doc_id).suffix.lower()].split()[0]
    return min(MAX_BYTES, _SMALLER.get(loader, MAX_BYTES))


def check_number(thing: str, found: int, limit: int, what: str) -> None:
    """Raises DataError when there are more tags or values than a parser may be given."""
    if found > limit:
        expected, hint = f"at most {limit} {what}", "Split it into smaller files."
        raise DataError(thing, expected=expected, found=str(found), hint=hint)
