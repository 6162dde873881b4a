"""Import of LiHua-World: a year of chat logs, and questions whose evidence is whole logs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragbench.corpus.scan import scan
from ragbench.errors import DataError
from ragbench.eval_set.draft import Claim, CorpusFile, Draft, DraftQuestion, ImportRequest
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.source_file import need_folder, read_json_file, text_of

_WHAT = "a folder with data/ (chat logs) and qa/query_set.json, or the logs and the JSON"
_CATEGORIES = {"Single": "lookup", "Multi": "multi_hop", "Null": "negative"}
_EXACT = re.compile(r"(\d{8})_(\d{2}):(\d{2})")
_LOOSE = re.compile(r"(?:Time:\s*)?(\d{8})_(\d{2}):?(\d{2})")
_LIMITS = (
    "Evidence is whole logs: recall and ranking are of documents, and chunk measures do not apply.",
    "Multi-document questions are few and many are yes/no: read their figures with the intervals.",
    "The logs were written by a model about one invented user; a question about the whole year may have another "
    "answer on a part of it.",
)


def draft(request: ImportRequest, ledger: Ledger) -> Draft:
    """Logs as documents under their week, rows as questions `lihua-<key>`; every log of the evidence is a group.

    Evidence written otherwise than `YYYYMMDD_HH:MM` is read where only one reading is possible, and counted: a
    `Time:` before it, blanks around it, a missing colon, or the evidence behind a tab at the end of the answer.
    """
    logs, table = _sources(request.sources)
    found = scan(logs, {".txt"})
    for path, reason in (*found.failures, *((path, "no log (.txt)") for path in found.skipped)):
        ledger.add("unread", reason, path)
    files = [CorpusFile(name, path.read_bytes()) for name, path in found.files]
    by_time: dict[str, list[str]] = {}
    for file in files:
        by_time.setdefault(Path(file.name).stem, []).append(file.name)
    rows = read_json_file(table, _WHAT)
    if not isinstance(rows, dict):
        raise DataError(str(table), expected='an object of {"0": {question, answer, evidence, type}}', found="a list")
    return Draft(
        title="Imported from LiHua-World",
        licence="The licence is that of the source (LiHua-World: MIT).",
        method="Each log is a document, and the evidence of a question is all logs it names. Null questions are "
        "unanswerable.",
        limits=_LIMITS,
        files=tuple(files),
        questions=tuple(_questions(rows, by_time, ledger)),
    )


def _sources(sources: tuple[Path, ...]) -> tuple[Path, Path]:
    if len(sources) == 1:
        folder = need_folder(sources[0], _WHAT)
        return need_folder(folder / "data", _WHAT), folder / "qa" / "query_set.json"
    folders = [path for path in sources if path.is_dir()]
    tables = [path for path in sources if not path.is_dir()]
    if len(folders) != 1 or len(tables) != 1:
        raise DataError("sources", expected=_WHAT, found=f"{len(folders)} folders and {len(tables)} files")
    return folders[0], tables[0]


def _questions(rows: Mapping[str, Any], by_time: Mapping[str, list[str]], ledger: Ledger) -> Iterator[DraftQuestion]:
    for key, row in rows.items():
        name = f"lihua-{key}"
        fields = {field: text_of(row, field) for field in ("question", "answer", "evidence", "type")}
        absent = [field for field, value in fields.items() if value is None]
        if absent:
            ledger.add("rejected", f"the row has no text in {', '.join(absent)}", name)
            continue
        question, answer, evidence, kind = (value or "" for value in fields.values())
        if kind not in _CATEGORIES:
            ledger.add("rejected", f"its type is none of {', '.join(_CATEGORIES)}", name)
            continue
        claims: tuple[Claim, ...] | str = ()
        if kind != "Null":
            answer, claims = _claims(answer, evidence, by_time)
        if isinstance(claims, str):
            ledger.add("rejected", claims, name)
            continue
        yield DraftQuestion(
            id=name,
            question=question,
            claims=claims,
            answerable=kind != "Null",
            category=_CATEGORIES[kind],
            reference=answer.strip(),
            metadata={"type": kind},
        )


def _claims(answer: str, evidence: str, by_time: Mapping[str, list[str]]) -> tuple[str, tuple[Claim, ...] | str]:
    """The answer and its claims, or what is wrong with the evidence."""
    moved = ""
    before, tab, behind = answer.rpartition("\t")
    if tab and not _LOOSE.search(evidence) and _LOOSE.fullmatch(behind.strip()):
        answer, evidence, moved = before, behind, "the evidence stood behind a tab in the answer"
    claims = []
    for number, part in enumerate(evidence.split("<and>")):
        found = _LOOSE.fullmatch(part.strip())
        if found is None:
            return answer, "its evidence is no time of a log"
        stem = f"{found[1]}_{found[2]}{found[3]}"
        names = by_time.get(stem, [])
        if len(names) != 1:
            put_right = f" ({moved})" if moved else ""
            return answer, f"{'several logs have' if names else 'no log has'} the time of its evidence{put_right}"
        claims.append(Claim(group=f"g{number + 1}", docs=(names[0],), whole=True, repair=moved or _repair(part)))
    return answer, tuple(claims)


def _repair(part: str) -> str:
    """What is written otherwise than it should be in one time."""
    faults = [
        ("“Time:” before the time", "Time:" in part),
        ("blanks around the time", part != part.strip()),
        ("no colon in the time", ":" not in part.replace("Time:", "")),
    ]
    return " and ".join(words for words, found in faults if found) if not _EXACT.fullmatch(part) else ""
