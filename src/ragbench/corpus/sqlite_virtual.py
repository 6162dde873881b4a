"""Virtual tables of SQLite: which of them hold text of their own."""

from __future__ import annotations

import re
from collections.abc import Collection

_MODULE = re.compile(r"\bUSING\s+[\"'`\[]?(\w+)", re.IGNORECASE)
_FULL_TEXT = re.compile(r"fts[345]", re.IGNORECASE)
_CONTENT = re.compile(
    r"[(,]\s*content\s*=\s*(?:'([^']*)'|\"([^\"]*)\"|\[([^\]]*)\]|`([^`]*)`|([^\s,)]*))", re.IGNORECASE
)


def why_not_read(sql: str, tables: Collection[str]) -> str:
    """Why a virtual table is not read, by the statement that made it; empty for a full-text index with its text.

    `tables` are the names of those that are read in any case.
    """
    module = _MODULE.search(sql)
    name = module[1] if module else "?"
    if not _FULL_TEXT.fullmatch(name):
        return f"a virtual table of module {name} holds no text of its own"
    content = _CONTENT.search(sql)
    if content is None:
        return ""
    source = next((found for found in content.groups() if found is not None), "")
    if not source:
        return "a full-text index without the text"
    return f"its text is that of table {source}" if source.lower() in {table.lower() for table in tables} else ""
