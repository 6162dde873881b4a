"""Questions of people's own tables: a folder of documents, and rows with quotes copied from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from ragbench.corpus.kinds import LOADERS
from ragbench.corpus.scan import scan
from ragbench.errors import DataError
from ragbench.eval_set.columns import canonical
from ragbench.eval_set.doc_name import name_fault, shown
from ragbench.eval_set.draft import Claim, CorpusFile, Draft, DraftQuestion, ImportRequest
from ragbench.eval_set.ledger import Ledger

_LIMITS = (
    "How well it stands for the questions people ask is known only to who wrote it; keep apart questions made from the "
    "documents and questions people asked.",
    "Quotes are the truth here: an answer that stands in the documents in other words as well counts as missed there.",
)
Cells = Mapping[str, Any]


class RowFault(Exception):
    """Why a row cannot be used; the message is equal for equal faults, `detail` is about the row."""

    def __init__(self, reason: str, detail: str = "") -> None:
        self.detail = detail
        super().__init__(reason)


def split_sources(sources: Sequence[Path], what: str) -> tuple[Path, Path]:
    """The folder of documents and the file of questions."""
    folders = [path for path in sources if path.is_dir()]
    tables = [path for path in sources if not path.is_dir()]
    if len(folders) != 1 or len(tables) != 1:
        raise DataError("sources", expected=what, found=f"{len(folders)} folders and {len(tables)} files")
    return folders[0], tables[0]


def table_draft(
    folder: Path, table: Path, rows: Iterator[tuple[str, Cells]], request: ImportRequest, ledger: Ledger
) -> Draft:
    """The draft of a folder and its rows, `(row label, {field: value, "metadata": …})` each.

    A table inside the folder is no document. A row without an id is called by its label. Evidence is its quotes (in
    the documents it names, else in any); a document without a quote is evidence as a whole. All quotes of a row are
    needed; a list inside a list is alternatives.
    """
    found = scan(folder, LOADERS)
    for path, reason in (*found.failures, *((path, "no known kind of document") for path in found.skipped)):
        ledger.add("unread", reason, path)
    own = table.resolve()
    files = tuple(CorpusFile(name, path.read_bytes()) for name, path in found.files if path.resolve() != own)
    names = [file.name for file in files]
    questions: list[DraftQuestion] = []
    for label, row in rows:
        try:
            questions.append(_question(label, row, names, request.separator, ledger))
        except RowFault as fault:
            ledger.add("rejected", str(fault), f"{label}: {fault.detail}" if fault.detail else label)
    return Draft(
        title=f"Imported from {table.name}",
        licence="The licence is that of the documents and of the questions.",
        method="Documents are copied as they are. A quote without a document, or whose document holds it more than "
        "once, must be unmistakable; else its row is left out.",
        limits=_LIMITS,
        files=files,
        questions=tuple(questions),
    )


def _question(label: str, row: Cells, names: Sequence[str], separator: str, ledger: Ledger) -> DraftQuestion:
    own = str(row.get("id") or "").strip() or label.replace(" ", "-")
    question = _text(row, "question")
    if not question:
        raise RowFault("the question has no text")
    quotes = _items(row.get("quote"), separator)
    docs = [_doc(name, names) for name in _flat(_items(row.get("doc"), separator))]
    category = _vocabulary(row, "category", own, ledger)
    stated = _vocabulary(row, "answerable", own, ledger)
    answerable = stated != "false" and not (stated is None and category == "negative")
    if stated == "true" and category == "negative":
        raise RowFault("it is marked answerable, but its category is negative")
    if not answerable and (quotes or docs):
        raise RowFault("it is marked unanswerable, but has a quote or a document")
    if answerable and not (quotes or docs):
        raise RowFault("it has no quote and no document; a question without an answer is marked answerable=false")
    return DraftQuestion(
        id=own,
        question=question,
        claims=tuple(_claims(quotes, docs)),
        answerable=answerable,
        category=category or ("negative" if not answerable else "multi_hop" if len(quotes) > 1 else "lookup"),
        reference=_text(row, "reference"),
        language=_vocabulary(row, "language", own, ledger),
        difficulty=_vocabulary(row, "difficulty", own, ledger),
        split=_vocabulary(row, "split", own, ledger),
        metadata=row.get("metadata") or {},
    )


def _claims(quotes: Sequence[Any], docs: Sequence[str]) -> Iterator[Claim]:
    """Quote by quote with the document of its place when there are as many, else in any of the row's documents."""
    if not quotes:
        yield from (Claim(group=f"g{number + 1}", docs=(name,), whole=True) for number, name in enumerate(docs))
        return
    paired = len(docs) == len(quotes)
    for number, quote in enumerate(quotes):
        own = (docs[number],) if paired else tuple(docs)
        for text in quote if isinstance(quote, list) else [quote]:
            yield Claim(group=f"g{number + 1}", docs=own, quote=text)


def _items(value: Any, separator: str) -> list[Any]:
    """Texts (or lists of alternatives) in a cell: a list, a JSON list written out, or texts between separators."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(orjson.JSONDecodeError):  # a quote may begin with a bracket
            value = orjson.loads(value)
    if isinstance(value, str):
        value = value.split(separator) if separator else [value]
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(part, str) for part in _flat(value)):
        raise RowFault("a quote or document is neither a text nor a list of texts")
    cleaned = [[p.strip() for p in part if p.strip()] if isinstance(part, list) else part.strip() for part in value]
    return [part for part in cleaned if part]


def _flat(items: Sequence[Any]) -> list[Any]:
    return [part for item in items for part in (item if isinstance(item, list) else [item])]


def _doc(name: str, names: Sequence[str]) -> str:
    """The document a row means: by its path, by its file name, or by that without the ending, where it is the only."""
    for form in (str, lambda own: PurePosixPath(own).name, lambda own: PurePosixPath(own).stem):
        fitting = [own for own in names if form(own) == name]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise RowFault("several documents have the name it gives", shown(name))
    fault = name_fault(name)
    raise RowFault("its document is not in the folder", f"{shown(name)} {fault}" if fault else shown(name))


def _vocabulary(row: Cells, field: str, own: str, ledger: Ledger) -> str | None:
    """The canonical word of a cell; None for an empty one. A category of their own stays; other words are faults."""
    value = row.get(field)
    if isinstance(value, bool):
        value = "true" if value else "false"
    word = str(value).strip() if value is not None else ""
    if not word:
        return None
    found = canonical(field, word)
    if found is None and field == "category":
        ledger.add("noted", f"a category of their own is kept: {word}", own)
        return word
    if found is None:
        raise RowFault(f"its {field} is none of ours", shown(word))
    return found


def _text(row: Cells, field: str) -> str:
    value = row.get(field)
    if value is None:
        return ""
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        value = value[0]
    if not isinstance(value, str | int | float):
        raise RowFault(f"its {field} is no text")
    return str(value).strip()
