"""Importing as the command line does it, and reading the set back as a run does."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ragbench.corpus.loader import CorpusLoader
from ragbench.eval_set.build_set import ImportReport, build_set
from ragbench.eval_set.draft import ImportRequest
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.load import load_eval_set
from ragbench.records.document import Document
from ragbench.records.question import Question


@dataclass(frozen=True)
class Imported:
    """An imported set: what was reported, and what a run sees."""

    report: ImportReport
    questions: dict[str, Question]
    documents: dict[str, Document]

    def quotes(self, name: str) -> list[list[str]]:
        """The words of the evidence in the loaded texts, alternatives by group."""
        groups = self.questions[name].groups
        return [[self.documents[i.doc_id].text[i.start : i.end] for i in group.items] for group in groups]

    def reasons(self, kind: str) -> dict[str, list[str]]:
        """Reason → ids."""
        return {row["reason"]: row["ids"] for row in self.report.ledger.reasons(None) if row["kind"] == kind}


@pytest.fixture
def imported(tmp_path: Path) -> Callable[..., Imported]:
    """Import `sources` in a format into a new folder."""

    def run(name: str, *sources: Path, target: str = "made/v1", force: bool = False, **options: Any) -> Imported:
        request, ledger = ImportRequest(sources=sources, **options), Ledger()
        draft = importlib.import_module(f"ragbench.eval_set.import_{name}").draft(request, ledger)
        report = build_set(name, draft, request, tmp_path / target, ledger, force=force)
        loaded = CorpusLoader().load(report.folder / "corpus")
        found = () if draft.needs_questions else load_eval_set(("s", "v1"), report.folder, loaded.documents).questions
        return Imported(report, {q.id: q for q in found}, {document.doc_id: document for document in loaded.documents})

    return run


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str, Any], Path]:
    """Write a text, or a value as JSON, below a folder of sources."""

    def write(name: str, value: Any) -> Path:
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(value, bytes):
            path.write_bytes(value)
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            path.write_text(text, encoding="utf-8", newline="")
        return path

    return write
