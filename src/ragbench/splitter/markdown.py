"""Sections of Markdown-like documents."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.records.document import Document
from ragbench.splitter.headed import HeadingSplitter


@dataclass(frozen=True, kw_only=True)
class MarkdownSplitter(HeadingSplitter):
    """Headings of levels 1–6 are borders; a longer section is cut as by `recursive`, but no code fence or table.

    A fence or table longer than `chunk_size` stays whole and is flagged `atomic`; with `max_atomic` (same unit, None:
    never) longer ones are cut between their lines. A heading, and a lead-in shorter than `min_size`, stay with the
    fence or table they introduce. A section shorter than `min_size`, such as a bare heading, joins the first of its
    sub-sections. Text before the first heading is kept. HTML and DOCX documents are split alike; kinds without
    headings (text, JSON), and source code, are one section.
    """

    def reads(self, document: Document) -> bool:
        """Whatever has headings, but not the signatures of source code."""
        return document.doc_type != "code"
