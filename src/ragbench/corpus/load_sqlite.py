"""SQLite databases: what tables there are, and their rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from ragbench.corpus.markdown_escape import escaped
from ragbench.corpus.parsed import Parsed, first_warnings, whole
from ragbench.corpus.sqlite_text import StoredText
from ragbench.corpus.sqlite_virtual import why_not_read
from ragbench.corpus.table_text import MAX_ROWS, row_line, schema_line
from ragbench.errors import DataError

_MAGIC = b"SQLite format 3\x00"
_WRITE_AHEAD = 2
_MAX_STEPS = 2_000
_STEP = 100_000
_MAX_CELL = 1_000_000
_MAX_TEXT = 100_000_000
# What an expression of the schema may build; a stored value is let through however long it is.
_MAX_BUILT = 10_000_000


def load_sqlite(data: bytes) -> Parsed:
    """A section `## table` for each table: its columns with declared types, then one line `column: value; …` a row.

    Views are named with their columns, without rows. A full-text table (FTS3 to FTS5) is read like any other unless
    its text is that of a table of the database, or is not in it; that, and every other virtual table, is told in a
    warning. Text that is no UTF-8 is read in the encoding that fits all such text, with a warning. A blob is
    written as its size, an empty cell is left out. At most `MAX_ROWS` rows of a table, a million characters of a
    cell and a hundred million of all cells are read; what was cut is a warning. The database is opened in memory:
    nothing is written beside the file, and a write-ahead log beside it is not read, which is a warning too.

    Raises:
        DataError: not a SQLite database, or a broken or encrypted one.
    """
    if not data:
        return whole("", "sqlite")
    if not data.startswith(_MAGIC):
        raise DataError("SQLite", expected="a SQLite 3 database", found="another kind of file, or an encrypted one")
    warnings: list[str] = []
    if _WRITE_AHEAD in data[18:20]:
        warnings.append("what a write-ahead log beside the file may hold was not read")
        # Journal mode "write-ahead" asks for a second file, which a database in memory cannot have.
        data = data[:18] + b"\x01\x01" + data[20:]
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            blocks, n_tables = _read(connection, data, warnings)
    except sqlite3.Error as error:
        raise DataError("SQLite", expected="a readable database", found=str(error)) from error
    metadata = {"n_tables": n_tables}
    return whole("\n\n".join(blocks), "sqlite", metadata=metadata, structured=True, warnings=first_warnings(warnings))


def _read(connection: sqlite3.Connection, data: bytes, warnings: list[str]) -> tuple[list[str], int]:
    connection.deserialize(data)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(_MAX_BUILT, len(data)))
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA query_only = ON")
    text = StoredText(_MAX_CELL)
    connection.text_factory = text
    blocks: list[str] = []
    n_tables = 0
    for name, kind in _names(connection, warnings):
        connection.set_progress_handler(_budget(), _STEP)
        table = _Table(connection, text, name, _MAX_TEXT - sum(map(len, blocks)))
        try:
            blocks += _view(connection, name) if kind == "view" else table.blocks()
            n_tables += kind == "table"
        except sqlite3.Error as error:
            warnings.append(f"{kind} {_line(name)} was not read to its end: {error}")
        warnings += (f"table {_line(name)}: {said}" for said in table.warnings)
    if warnings and not blocks:
        raise DataError("SQLite", expected="a readable table", found=warnings[-1])
    return blocks, n_tables


def _names(connection: sqlite3.Connection, warnings: list[str]) -> list[tuple[str, str]]:
    """`(name, kind)` of tables and views in the order they were made; why a virtual table is none is a warning."""
    kinds = {row[1]: row[2] for row in connection.execute("PRAGMA main.table_list")}
    schema = "SELECT name, type, sql FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY rowid"
    rows = [row for row in connection.execute(schema).fetchall() if not row[0].startswith("sqlite_")]
    tables = [name for name, kind, _ in rows if kinds.get(name) == kind == "table"]
    names = []
    for name, kind, sql in rows:
        reason = why_not_read(sql or "", tables) if kinds.get(name) == "virtual" else ""
        if reason:
            warnings.append(f"table {_line(name)} was not read: {reason}")
        elif kinds.get(name) in (kind, "virtual"):
            names.append((name, kind))
    return names


@dataclass
class _Table:
    """A table, or a full-text index, that is being read; `left` is how many characters there is room for."""

    connection: sqlite3.Connection
    text: StoredText
    name: str
    left: int
    warnings: list[str] = field(default_factory=list)

    def blocks(self) -> Iterator[str]:
        """The heading with the columns, then the rows."""
        columns, types = _columns(self.connection, self.name)
        shown = [_line(column) for column in columns]
        table = _quoted(self.name)
        (n_rows,) = self.connection.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 – a quoted identifier
        yield f"## {_line(self.name)}\n\n{schema_line(_line(self.name), shown, types, n_rows)}"
        chosen = ", ".join(_sized(_quoted(column)) for column in columns)
        statement = f"SELECT {chosen} FROM {table} LIMIT {MAX_ROWS}"  # noqa: S608 – as above
        lines = self._lines(statement, shown, n_rows)
        if foreign := self.text.recognise():
            self.warnings = []
            lines = self._lines(statement, shown, n_rows)
            self.warnings += foreign
        if n_rows > MAX_ROWS:
            self.warnings.append(f"only the first {MAX_ROWS} of {n_rows} rows were read")
        if any(lines):
            yield escaped("\n".join(line for line in lines if line))

    def _lines(self, statement: str, columns: Sequence[str], n_rows: int) -> list[str]:
        lines: list[str] = []
        n_cut, left = 0, self.left
        try:
            for row in self.connection.execute(statement):
                cells = [_shown(value) for value in row]
                n_cut += sum(len(cell) > _MAX_CELL for cell in cells)
                lines.append(row_line(columns, [cell[:_MAX_CELL] for cell in cells]))
                left -= len(lines[-1])
                if left < 0:
                    self.warnings.append(f"only the first {len(lines)} of {n_rows} rows: too much text")
                    break
        except sqlite3.Error as error:
            self.warnings.append(f"{len(lines)} of {n_rows} rows read: {error}")
        if n_cut:
            self.warnings.append(f"only the first {_MAX_CELL} characters of {_cells(n_cut)} were read")
        return lines


def _sized(column: str) -> str:
    """An expression for the column that gives the size of a blob without reading it."""
    return f"CASE typeof({column}) WHEN 'blob' THEN '[' || length({column}) || ' bytes]' ELSE {column} END"


def _cells(number: int) -> str:
    return f"{number} cell{'s' * (number > 1)}"


def _view(connection: sqlite3.Connection, name: str) -> Iterator[str]:
    columns, _ = _columns(connection, name)
    yield f"## {_line(name)}\n\nView {_line(name)}: columns: {', '.join(columns)}"


def _columns(connection: sqlite3.Connection, name: str) -> tuple[list[str], list[str]]:
    rows = connection.execute(f"PRAGMA main.table_xinfo({_quoted(name)})").fetchall()
    rows = [row for row in rows if row[6] != 1]  # 1: a hidden column of a virtual table
    return [row[1] for row in rows], [_line(f"{row[2].lower()}{', key' if row[5] else ''}".strip(", ")) for row in rows]


def _budget() -> Callable[[], bool]:
    """Stops a statement that takes more than two hundred million steps: a schema can be made to run for ever."""
    left = iter(range(_MAX_STEPS))
    return lambda: next(left, None) is None


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _line(name: str) -> str:
    return " ".join(name.split())


def _shown(value: Any) -> str:
    return "" if value is None else str(value)
