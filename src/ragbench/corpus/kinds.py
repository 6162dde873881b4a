"""Which loader reads which kind of file, told by the end of its name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import PurePosixPath

from ragbench.corpus.code_languages import SUFFIXES
from ragbench.corpus.parsed import Parsed

# Suffix (lower case) to the module below ragbench.corpus that holds a function of the same name, and what the function
# is told beside the bytes. Mark-up that has no loader of its own is read as plain text: its words can be searched,
# which is better than a skipped file.
LOADERS = {
    ".md": "load_md",
    ".markdown": "load_md",
    ".mdx": "load_md",
    ".txt": "load_text",
    ".text": "load_text",
    ".log": "load_text",
    ".rst": "load_text",
    ".tex": "load_text",
    ".adoc": "load_text",
    ".org": "load_text",
    ".srt": "load_subtitles",
    ".vtt": "load_subtitles",
    ".html": "load_html",
    ".htm": "load_html",
    ".xhtml": "load_html",
    ".xml": "load_xml",
    ".json": "load_json",
    ".jsonl": "load_jsonl",
    ".ndjson": "load_jsonl",
    ".csv": "load_csv",
    ".tsv": "load_csv",
    ".sqlite": "load_sqlite",
    ".sqlite3": "load_sqlite",
    ".db": "load_sqlite",
    ".docx": "load_docx",
    ".pdf": "load_pdf",
    **{suffix: f"load_code {language}" for suffix, language in SUFFIXES.items()},
}


def loader_of(doc_id: str) -> Callable[[bytes], Parsed]:
    """The function that reads this file; its module is imported here, for the first file of the kind."""
    name, *more = LOADERS[PurePosixPath(doc_id).suffix.lower()].split()
    found: Callable[..., Parsed] = getattr(importlib.import_module(f"ragbench.corpus.{name}"), name)
    return lambda data: found(data, *more)
