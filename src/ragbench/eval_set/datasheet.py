"""The datasheet of an imported set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragbench.eval_set.draft import Draft, ImportRequest
from ragbench.eval_set.ledger import KINDS

_NOTES = ("LICENSE", "LICENCE", "COPYING", "PROVENANCE", "NOTICE")


def datasheet(draft: Draft, request: ImportRequest, facts: Mapping[str, Any]) -> str:
    """Markdown: origin and licence, what is in the set, what was done to it, what it cannot show.

    `facts` are those of `ImportReport.facts`. Nothing in it depends on the day or the machine.
    """
    parts = (_origin(draft, request), _content(facts), _changes(facts), _end(draft))
    return "\n".join([f"# {draft.title}", "", *(line for part in parts for line in part)])


def _origin(draft: Draft, request: ImportRequest) -> Iterator[str]:
    yield "## Origin and licence"
    yield ""
    names = ", ".join(f"`{path.name}`" for path in request.sources)
    yield f"Imported from {names} by `ragbench eval-set import`. {draft.licence}"
    beside = sorted({name for path in request.sources for name in _licence_files(path)})
    if beside:
        yield f"Read what lies beside the source: {', '.join(beside)}."
    yield ""


def _licence_files(path: Path) -> list[str]:
    folder = path if path.is_dir() else path.parent
    return [f"`{p.name}`" for p in folder.iterdir() if p.is_file() and p.name.upper().startswith(_NOTES)]


def _content(facts: Mapping[str, Any]) -> Iterator[str]:
    yield "## Content"
    yield ""
    unanswerable = f"{facts['unanswerable']} of them unanswerable"
    yield f"{facts['documents']} documents, {facts['questions']} questions, {unanswerable}."
    yield f"{facts['evidence']} pieces of evidence in {facts['groups']} groups (pieces of one group are alternatives)."
    yield ""
    yield "| | |"
    yield "|---|---|"
    for name in ("category", "language", "split"):
        counts = ", ".join(f"{key} {n}" for key, n in facts[f"by_{name}"].items())
        yield f"| {name} | {counts or '–'} |"
    yield ""


def _changes(facts: Mapping[str, Any]) -> Iterator[str]:
    yield "## What the import changed and left out"
    yield ""
    if not facts["reasons"]:
        yield "Nothing: every question and every piece of evidence was taken as it is."
        yield ""
        return
    yield "; ".join(f"{kind}: {words}" for kind, words in KINDS.items()) + ". Every id is in `IMPORTED`."
    yield ""
    yield "| | count | reason | ids |"
    yield "|---|---:|---|---|"
    for row in facts["reasons"]:
        more = ", …" if row["count"] > len(row["ids"]) else ""
        ids = ", ".join(_cell(name) for name in row["ids"]) + more
        yield f"| {row['kind']} | {row['count']} | {_cell(row['reason'])} | {ids} |"
    yield ""


def _end(draft: Draft) -> Iterator[str]:
    yield "## How it was made"
    yield ""
    yield draft.method
    yield "Where the source names no split, `dev` is a third of the questions, by the hash of their id."
    yield ""
    yield "## What it cannot show"
    yield ""
    yield from (f"- {limit}" for limit in draft.limits)
    yield ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
