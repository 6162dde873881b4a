"""The passages of a BEIR corpus as files, read line by line."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Collection, Iterator
from pathlib import Path

from ragbench.eval_set.doc_name import name_fault
from ragbench.eval_set.draft import CorpusFile
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.source_file import json_lines, row_id, text_of

WHAT = "a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv, or the folder and qrels"
_MANY = 10_000
_LONGEST = 180
_UNSAFE = frozenset('<>:"|?*\\/%')


class Passages(Collection[CorpusFile]):
    """The usable passages of `corpus.jsonl`; iterating reads the file again, so that no text is held.

    `names` maps ids to documents. A passage without id or text, or whose id stood before it, is told to the ledger.
    """

    def __init__(self, path: Path, ledger: Ledger) -> None:
        self._path = path
        self._left_out: set[str] = set()
        ids: dict[str, None] = {}
        for where, row in json_lines(path, WHAT):
            name, fault = row_id(row), ""
            if name is None:
                fault = "a passage without _id" if isinstance(row, dict) else "a line that is no JSON object"
            elif not passage_text(row).strip():
                fault = "a passage without text"
            elif name in ids:
                fault = "a passage whose id was used before"
            if fault or name is None:
                self._left_out.add(where)
                ledger.add("unread", fault, where if name is None else f"{where}: {name}")
            else:
                ids[name] = None
        self.names = file_names(list(ids))

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, file: object) -> bool:
        return any(file == one for one in self)

    def __iter__(self) -> Iterator[CorpusFile]:
        for where, row in json_lines(self._path, WHAT):
            name = row_id(row)
            if name is not None and where not in self._left_out:
                yield CorpusFile(self.names[name], passage_text(row).replace("\x00", "").encode("utf-8", "replace"))


def file_names(ids: Collection[str]) -> dict[str, str]:
    """The document of each id: `ID.txt`, or below one of 256 folders where there are more than 10 000.

    What a file name may not hold on some system is written `%XX`; a very long id is cut and gets its hash, and so does
    one that differs from an earlier one only in case.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for one in ids:
        digest = hashlib.sha256(one.encode("utf-8", "surrogatepass")).hexdigest()
        stem = _stem(one)
        if len(stem.encode("utf-8")) > _LONGEST:
            stem = f"{stem[:40]}~{digest[:16]}"
        if stem.casefold() in taken:
            stem = f"{stem}~{digest[:16]}"
        taken.add(stem.casefold())
        names[one] = f"{digest[:2]}/{stem}.txt" if len(ids) > _MANY else f"{stem}.txt"
    return names


def _stem(name: str) -> str:
    composed = unicodedata.normalize("NFC", name) == name  # else two ids could become one document
    stem = "".join(char if _safe(char) and (composed or char.isascii()) else _escaped(char) for char in name)
    return _escaped(stem[0]) + stem[1:] if name_fault(f"{stem}.txt") else stem


def _safe(char: str) -> bool:
    return char.isprintable() and char not in _UNSAFE


def _escaped(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))


def passage_text(row: object) -> str:
    """The title on a line of its own where the text does not begin with it, then the text: BEIR searches both."""
    title, text = (text_of(row, "title") or "").strip(), text_of(row, "text") or ""
    return text if not title or text.lstrip().startswith(title) else f"{title}\n\n{text}"
