"""An eval set with its evidence located: what a run works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.errors import DataError, Problems
from ragbench.eval_set.access import check_access
from ragbench.eval_set.locate import check_evidence, locate
from ragbench.eval_set.lock import FROZEN, LockState, check_lock
from ragbench.eval_set.rows import read_rows
from ragbench.eval_set.source import IMPORTED, QUESTIONS
from ragbench.records.document import Document
from ragbench.records.question import SPLITS, Question


@dataclass(frozen=True)
class EvalSet:
    """Questions of one set on its loaded corpus."""

    name: str
    version: str
    folder: Path
    questions: tuple[Question, ...]
    state: LockState

    def of_split(self, split: str) -> tuple[Question, ...]:
        """Questions of `dev`, `test` or `all`."""
        if split != "all" and split not in SPLITS:
            raise DataError("split", expected="dev, test or all", found=split)
        chosen = tuple(q for q in self.questions if split in ("all", q.split))
        if not chosen:
            raise DataError(
                f"split {split} of {self.name}/{self.version}", expected="at least one question", found="none"
            )
        return chosen


def load_eval_set(title: tuple[str, str], folder: Path, documents: Sequence[Document]) -> EvalSet:
    """Check against LOCK, read, validate and locate.

    Raises Problems with everything that is wrong, of the lock, the rows, the evidence of the sound rows and what they
    may see of it, at once, and DataError where there is nothing to check.
    """
    problems: list[str] = []
    state = check_lock(folder, documents, problems)
    changed = bool(problems)
    faulty: list[dict[str, Any]] = []
    rows = read_rows(folder / QUESTIONS, not (folder / IMPORTED).exists(), problems, faulty)
    by_id = {document.doc_id: document for document in documents}
    questions = locate(rows, by_id, problems)
    check_evidence(faulty, by_id, problems)
    check_access(questions, by_id, problems)
    if problems:
        raise Problems(f"eval set {folder}", problems, FROZEN if changed else "")
    return EvalSet(title[0], title[1], folder, questions, state)
