"""JSON Lines: a record a line."""

from __future__ import annotations

import json

from ragbench.corpus.decode import recognised
from ragbench.corpus.json_reading import JsonReader
from ragbench.corpus.load_json import value_lines
from ragbench.corpus.parsed import Parsed, first_warnings, whole
from ragbench.corpus.shared_fields import SharedFields, with_fields
from ragbench.errors import DataError


def load_jsonl(data: bytes, warnings: tuple[str, ...] = ()) -> Parsed:
    """Each record as a block of `path: value` lines, blocks parted by a blank line.

    A line that is no JSON is left out and told by its number; `metadata["n_records"]` counts the others. Fields that
    all records share become metadata.

    Raises:
        DataError: there are lines, but none of them is JSON.
    """
    text, encoding, guessed = recognised(data)
    blocks: list[str] = []
    bad: list[str] = []
    reader = JsonReader()
    shared = SharedFields()
    # Not splitlines: a JSON string may hold U+2028 and its kin.
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = reader.decode(line)
            blocks.append("\n".join(value_lines(record)))
            shared.add(record)
        except json.JSONDecodeError as error:
            bad.append(f"line {number} left out: {error.msg} in column {error.colno}")
        except (RecursionError, ValueError) as error:
            bad.append(f"line {number} left out: {' '.join(str(error).split())[:100]}")
    if bad and not blocks:
        found = f"none in {len(bad)} lines; {bad[0]}"
        raise DataError("JSON Lines", expected="a JSON value on each line", found=found)
    metadata = with_fields({"encoding": encoding, "n_records": len(blocks)}, shared.found)
    told = (*first_warnings(bad), *first_warnings(reader.warnings()))
    return whole("\n\n".join(blocks), "jsonl", metadata=metadata, warnings=(*guessed, *warnings, *told))
