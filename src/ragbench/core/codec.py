"""Reading and writing of the file formats of the project: JSON, JSON Lines (plain or gzip), NPZ without pickle."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import orjson
from numpy.typing import NDArray

from ragbench.core.surrogates import sound

_BLOCK = 1 << 16
_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


def dumps(value: Any) -> bytes:
    """Compact UTF-8 JSON; dataclasses, tuples and numpy values are understood, NaN becomes null, and a lone surrogate,
    which UTF-8 cannot say, U+FFFD."""
    return _encoded(value, _OPTIONS)


def _encoded(value: Any, option: int) -> bytes:
    """What cannot be told in UTF-8 is found out by trying: almost nothing holds any."""
    try:
        return orjson.dumps(value, option=option)
    except orjson.JSONEncodeError:
        return orjson.dumps(sound(value), option=option)


def loads(data: bytes) -> Any:
    """Inverse of `dumps` for plain data."""
    return orjson.loads(data)


def write_json(path: Path, value: Any) -> None:
    """Write one indented JSON document ending in a newline, keys in the given order; whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(_encoded(value, _OPTIONS | orjson.OPT_INDENT_2) + b"\n")
    temporary.replace(path)


def read_json(path: Path) -> Any:
    """Read one JSON document."""
    return orjson.loads(path.read_bytes())


def write_jsonl(path: Path, rows: Iterable[Any]) -> None:
    """Write one JSON value a line, row by row, so that rows may be many.

    A name ending in `.gz` is compressed (without a time stamp, so equal rows give equal bytes).
    """
    write_lines(path, (_encoded(row, _OPTIONS | orjson.OPT_APPEND_NEWLINE) for row in rows))


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """As `write_jsonl`, from pieces of one or more whole lines each, newlines included."""
    with ExitStack() as stack:
        handle: BinaryIO = stack.enter_context(path.open("wb"))
        if path.suffix == ".gz":
            packed = gzip.GzipFile(fileobj=handle, mode="wb", filename="", mtime=0, compresslevel=1)
            handle = stack.enter_context(io.BufferedWriter(stack.enter_context(packed), _BLOCK))
        for line in lines:
            handle.write(line)


def read_jsonl(path: Path) -> Iterator[Any]:
    """Read one JSON value a line, blank lines skipped."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    for line in data.split(b"\n"):
        if line.strip():
            yield orjson.loads(line)


def write_arrays(path: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays to an uncompressed NPZ file."""
    with path.open("wb") as handle:
        np.savez(handle, **arrays)  # type: ignore[arg-type]


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read all arrays of an NPZ file; object arrays are refused."""
    with np.load(path, allow_pickle=False) as data:
        return {name: data[name] for name in data.files}
