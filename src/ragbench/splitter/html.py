"""Sections of HTML documents."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.records.document import Document
from ragbench.splitter.headed import HeadingSplitter


@dataclass(frozen=True, kw_only=True)
class HtmlSplitter(HeadingSplitter):
    """`h1`–`h6` of HTML documents are borders; otherwise as `markdown`, with the same knobs: `pre` and tables stay
    whole.

    Documents of every other kind are one section, cut as by `recursive`: in a corpus of pages and Markdown files
    only the pages are cut at their headings.
    """

    def reads(self, document: Document) -> bool:
        """HTML alone."""
        return document.doc_type == "html"
