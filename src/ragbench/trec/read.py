"""Reading run and qrels files that others wrote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from ragbench.errors import DataError
from ragbench.trec.blocks import numbered
from ragbench.trec.lines import content, shown, text
from ragbench.trec.order import disagreeing, score_keys
from ragbench.trec.rows import NO_RANK, Rows, read_rows, whole

QRELS = "TREC qrels: query 0 document grade (or BEIR's query-id corpus-id score)"
Qrels = dict[str, dict[str, int]]
_HEAD = (
    {b"query-id", b"query_id", b"qid"},
    {b"corpus-id", b"corpus_id", b"doc-id", b"doc_id", b"docid", b"did"},
    {b"score", b"grade", b"relevance", b"rel", b"label"},
)
"""Names that the three columns have in a head."""


class Order(StrEnum):
    """Which column of a run says the order."""

    SCORE = "score"
    RANK = "rank"


@dataclass(frozen=True)
class RunFile:
    """A run: for each query the scores of its documents, or with `Order.RANK` its documents by ascending rank (equal
    ranks as they stand in the file).

    A document that comes again keeps its best place; `n_duplicates` entries were dropped. `reordered` are the queries
    where trec_eval's order (score in single precision, then id) puts a document above one of a smaller rank;
    `n_comments` lines were skipped. `tag` is that of the first row.
    """

    run: dict[str, dict[str, float]] | dict[str, list[str]]
    tag: str
    n_duplicates: int
    reordered: tuple[str, ...]
    n_comments: int


@dataclass(frozen=True)
class QrelsFile:
    """Grades by query and document; a pair that comes again keeps its first grade, and `n_duplicates` were dropped.

    `conflicts` are the `(query, document)` pairs whose later grade was another one.
    """

    grades: Qrels
    n_duplicates: int
    conflicts: tuple[tuple[str, str], ...]
    n_comments: int


def read_run(path: Path, order: Order = Order.SCORE) -> RunFile:
    """Read a run file: six columns parted by any white space, UTF-8, plain or gzip, blank lines skipped.

    A line that begins with `#` and is no row is a comment. The second column is not looked at, and the rank only where
    it is needed or readable. Raises DataError naming file and line for anything else.
    """
    rows = read_rows(path, order is Order.RANK)
    n_duplicates = _best_of_duplicates(rows)
    known = np.flatnonzero(rows.ranks != NO_RANK)
    keys = score_keys(rows.owner, rows.scores)
    docs = rows.docs if len(known) == len(rows.docs) else [rows.docs[at] for at in known.tolist()]
    wrong = disagreeing(rows.owner[known], keys[known], rows.ranks[known], docs)
    facts = (rows.tag, n_duplicates, tuple(rows.queries[number] for number in wrong), rows.n_comments)
    if order is Order.RANK:
        rows.of(np.lexsort((rows.ranks, rows.owner)))
        return RunFile({query: rows.docs[part] for query, part in _parts(rows)}, *facts)
    scores = rows.scores.tolist()
    return RunFile({query: dict(zip(rows.docs[part], scores[part])) for query, part in _parts(rows)}, *facts)


def read_qrels(path: Path) -> QrelsFile:
    """Read judgements: four columns (the second is not looked at), or three as BEIR has them.

    Three columns may have a head on the first line, `query-id corpus-id score` or other known names of these.
    Grades are whole numbers, negative ones too. With three columns and tabs, ids may hold blanks. Raises DataError
    naming file and line for anything else.
    """
    grades: Qrels = {}
    n_duplicates = n_comments = 0
    conflicts: list[tuple[str, str]] = []
    for place, (number, line) in enumerate(numbered(1, content(path, QRELS))):
        columns = _qrels_columns(line)
        grade = whole(columns[-1]) if len(columns) in (3, 4) else None
        if grade is None:
            head = place == 0 and _is_head(columns)
            if not head and not line.lstrip().startswith(b"#"):
                raise DataError(f"{path} line {number}", expected=_qrels_form(columns), found=shown(line))
            n_comments += not head
            continue
        own = grades.setdefault(text(columns[0], path, number), {})
        doc = text(columns[-2], path, number)
        if doc not in own:
            own[doc] = grade
            continue
        n_duplicates += 1
        if own[doc] != grade:
            conflicts.append((columns[0].decode(), doc))
    if not grades:
        raise DataError(str(path), expected=QRELS, found="no row")
    return QrelsFile(grades, n_duplicates, tuple(conflicts), n_comments)


def _parts(rows: Rows) -> Iterator[tuple[str, slice]]:
    """Each query with its rows."""
    ends = np.cumsum(np.bincount(rows.owner, minlength=len(rows.queries))).tolist()
    return zip(rows.queries, map(slice, [0, *ends], ends))


def _best_of_duplicates(rows: Rows) -> int:
    """Keep of each document its first row, with its best score and its best rank; how many were dropped."""
    dropped: list[int] = []
    for _, part in _parts(rows):
        names = rows.docs[part]
        if len(set(names)) == len(names):
            continue
        firsts: dict[str, int] = {}
        for at, name in enumerate(names, part.start):
            first = firsts.setdefault(name, at)
            if first != at:
                dropped.append(at)
                rows.scores[first] = max(rows.scores[first], rows.scores[at])
                ranks = [rank for rank in (rows.ranks[first], rows.ranks[at]) if rank != NO_RANK]
                rows.ranks[first] = min(ranks, default=NO_RANK)
    if dropped:
        rows.of(np.delete(np.arange(len(rows.docs)), dropped))
    return len(dropped)


def _qrels_columns(line: bytes) -> list[bytes]:
    if line.count(b"\t") == 2:
        return [column.strip() for column in line.split(b"\t")]
    return line.split()


def _qrels_form(columns: list[bytes]) -> str:
    """What a line that is no row should be."""
    if len(columns) not in (3, 4):
        return QRELS
    return f"{QRELS}, the grade (column {len(columns)}) a whole number of at most 64 bits"


def _is_head(columns: list[bytes]) -> bool:
    """Whether a first line names columns, as BEIR's `query-id corpus-id score`."""
    return len(columns) == 3 and all(name.lower() in known for name, known in zip(columns, _HEAD))
