"""`ragbench corpus check`: what each file of a folder becomes."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragbench.cli.output import add_json, note, say, say_json, size
from ragbench.corpus.loader import CorpusLoader, LoadedCorpus, Progress
from ragbench.records.document import Document
from ragbench.text.terminal import printable

_QUIET_SECONDS = 2.0
_COLUMNS = ("type", "encoding", "characters", "pages", "headings")


def arguments(parser: argparse.ArgumentParser) -> None:
    """The action and its folder."""
    actions = parser.add_subparsers(dest="action", required=True)
    words = "what each file becomes: type, encoding, characters, pages, headings, warnings, or why it failed"
    child = actions.add_parser("check", help=words, description=f"Show {words}. Exit 2 when nothing is usable.")
    child.add_argument("folder", type=Path, help="a folder of documents")
    add_json(child)


def execute(options: argparse.Namespace) -> int:
    """Load the folder and print a line a file."""
    loaded = CorpusLoader().read(options.folder, _progress())
    facts = _facts(loaded)
    say_json(facts) if options.json else _print(facts)
    return 0 if loaded.documents else 2


def _progress() -> Progress:
    """Tells the file that is being read once the load takes more than two seconds, at most every two seconds."""
    told = [time.monotonic()]

    def tell(done: int, total: int, doc_id: str) -> None:
        if time.monotonic() - told[0] >= _QUIET_SECONDS:
            told[0] = time.monotonic()
            note(f"{size(done)} of {size(total)} read; now {printable(doc_id)}")

    return tell


def _facts(loaded: LoadedCorpus) -> dict[str, Any]:
    files = [_document(document) for document in loaded.documents]
    files += [{"file": path, "status": "failed", "reason": reason} for path, reason in loaded.failures]
    files += [{"file": path, "status": "empty", "reason": "no text in it"} for path in loaded.empty]
    files += [{"file": path, "status": "skipped", "reason": "hidden or of no known kind"} for path in loaded.skipped]
    counts = {
        status: sum(1 for row in files if row["status"] == status) for status in ("used", "failed", "empty", "skipped")
    }
    totals = counts | {
        "characters": sum(len(document.text) for document in loaded.documents),
        "warnings": sum(len(row.get("warnings", ())) for row in files),
    }
    return {"files": sorted(files, key=lambda row: str(row["file"])), "totals": totals}


def _document(document: Document) -> dict[str, Any]:
    return {
        "file": document.doc_id,
        "status": "used",
        "type": document.doc_type,
        "encoding": document.metadata.get("encoding"),
        "characters": len(document.text),
        "pages": len({page for _, page in document.pages}) or None,
        "headings": len(document.outline),
        "title": document.title,
        "warnings": [str(said) for said in document.metadata.get("warnings", ())],
        # Front matter may have a field of this name.
        "running_lines": [
            str(line) for line in document.metadata.get("running_lines", ()) if document.doc_type == "pdf"
        ],
    }


def _print(facts: Mapping[str, Any]) -> None:
    files: Sequence[Mapping[str, Any]] = facts["files"]
    rows = [
        [
            _shown(row.get(name)) if row["status"] == "used" else ("-" if name != "type" else row["status"])
            for name in _COLUMNS
        ]
        for row in files
    ]
    widths = [max(len(name), *(len(row[at]) for row in rows), 1) for at, name in enumerate(_COLUMNS)] if rows else []
    if rows:
        say("  ".join(name.ljust(width) for name, width in zip(_COLUMNS, widths)) + "  file")
    for row, cells in zip(files, rows):
        aligned = (
            cell.rjust(width) if at > 1 else cell.ljust(width) for at, (cell, width) in enumerate(zip(cells, widths))
        )
        say("  ".join(aligned) + f"  {printable(str(row['file']))}")
        for said in [row["reason"]] if row.get("status") == "failed" else row.get("warnings", ()):
            say(f"    ! {printable(str(said))}")
        if row.get("running_lines"):
            say(f"    - running lines left out: {printable('; '.join(row['running_lines']))}")
    totals = facts["totals"]
    warnings = f"{totals['warnings']} warning{'s' * (totals['warnings'] != 1)}"
    say(
        f"{totals['used']} of {len(files)} files used, {totals['characters']:,} characters; {totals['failed']} failed, "
        f"{totals['empty']} empty, {totals['skipped']} skipped; {warnings}"
    )


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))
