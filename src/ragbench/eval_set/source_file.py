"""Reading the files an importer is given, with one clear line for whatever else they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from ragbench.corpus.decode import decode
from ragbench.errors import DataError
from ragbench.trec.lines import lines


def one_source(sources: Sequence[Path], what: str) -> Path:
    """The only source; raises DataError when there are several."""
    if len(sources) != 1:
        raise DataError("sources", expected=f"one: {what}", found=str(len(sources)))
    return sources[0]


def need_file(path: Path, what: str) -> Path:
    """The path of a file that is there; raises DataError for none, a folder, or an empty one."""
    if not path.exists():
        raise DataError(str(path), expected=what, found="no such file")
    if not path.is_file():
        raise DataError(str(path), expected=what, found="a folder" if path.is_dir() else "no regular file")
    if not path.stat().st_size:
        raise DataError(str(path), expected=what, found="an empty file")
    return path


def need_folder(path: Path, what: str) -> Path:
    """The path of a folder that is there; raises DataError for none or a file."""
    if not path.is_dir():
        raise DataError(str(path), expected=what, found="a file" if path.exists() else "no such folder")
    return path


def read_utf8(path: Path, what: str) -> str:
    """The text of a file in UTF-8, with or without a byte order mark, line ends untouched."""
    try:
        return need_file(path, what).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "Save the file as UTF-8."
        raise DataError(str(path), expected="UTF-8", found=f"byte {error.start} is not", hint=hint) from error


def read_any_encoding(path: Path, what: str) -> tuple[str, str]:
    """The text of a table people made, and the encoding it was read with; line ends untouched."""
    try:
        text, encoding = decode(need_file(path, what).read_bytes())
    except DataError as error:
        if error.thing != "encoding":
            raise
        raise DataError(
            str(path), expected="a text file in UTF-8", found="no known encoding", hint=error.hint
        ) from error
    return text.removeprefix("\ufeff"), encoding


def read_json_file(path: Path, what: str) -> Any:
    """The value of a JSON file in UTF-8."""
    text = read_utf8(path, what)
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise DataError(str(path), expected=what, found=f"no JSON: {error.msg} in line {error.lineno}") from error


def read_json_lines(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """`(row label, value)` of each line of a JSON Lines text that is not blank; a broken line's value is its error."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"{path.name} line {number}", orjson.loads(line)
            except orjson.JSONDecodeError as error:
                yield f"{path.name} line {number}", error


def json_lines(path: Path, what: str) -> Iterator[tuple[str, Any]]:
    """The same, of a file (plain or gzip) that is read line by line and never held."""
    for number, line in lines(path, what):
        where = f"{path.name} line {number}"
        try:
            yield where, orjson.loads(line)
        except orjson.JSONDecodeError as error:
            yield where, error


def row_id(row: Any, key: str = "_id") -> str | None:
    """The id of a row that is an object, a number as text; None when it is missing, blank or anything else."""
    value = row.get(key) if isinstance(row, dict) else None
    usable = isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip()
    return str(value) if usable else None


def text_of(row: Any, key: str) -> str | None:
    """A text field of a row that is an object; None when it is missing or no text."""
    value = row.get(key) if isinstance(row, dict) else None
    return value if isinstance(value, str) else None
