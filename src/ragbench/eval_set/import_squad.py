"""Import of SQuAD-style JSON (SQuAD, XQuAD, CMRC 2018, DRCD): paragraphs become documents, answers become evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from ragbench.core.codec import write_json, write_jsonl
from ragbench.corpus.normalise import normalise
from ragbench.errors import DataError
from ragbench.eval_set.source import CORPUS, QUESTIONS


@dataclass
class ImportReport:
    """What an import did.

    `repaired` answers had a wrong offset but one unmistakable place, `rejected` are `(id, reason)`.
    """

    documents: int = 0
    questions: int = 0
    repaired: int = 0
    rejected: list[tuple[str, str]] = field(default_factory=list)


def import_squad(source: Path, target: Path, unit: str = "paragraph", language: str | None = None) -> ImportReport:
    """Write an eval set into the new folder `target`.

    `unit` says what a document is: `paragraph` or `article` (paragraphs joined by blank lines). The sentence that
    holds an answer is the quote's place: evidence is the answer span itself; several answers of a question are
    alternatives. An answer whose offset is wrong is moved only when its text occurs exactly once, else the question
    is rejected and listed. `is_impossible` questions become unanswerable.
    """
    if unit not in ("paragraph", "article"):
        raise DataError("unit", expected="paragraph or article", found=unit)
    if target.exists() and any(target.iterdir()):
        raise DataError(str(target), expected="a new or empty folder", found="files")
    report = ImportReport()
    rows: list[dict[str, Any]] = []
    texts: dict[str, str] = {}
    for doc_id, paragraphs in _documents(_read(source), unit):
        text, offsets = _joined(paragraphs)
        texts[doc_id] = text
        for paragraph, base in zip(paragraphs, offsets, strict=True):
            rows += _rows(paragraph, (doc_id, text, base), report, language)
    (target / CORPUS).mkdir(parents=True)
    for doc_id, text in texts.items():
        (target / CORPUS / doc_id).write_text(text, encoding="utf-8", newline="")
    write_jsonl(target / QUESTIONS, rows)
    report.documents, report.questions = len(texts), len(rows)
    write_json(target / "IMPORTED", {"format": "squad", "file": source.name, "unit": unit})
    _datasheet(source, target, report)
    return report


def _read(source: Path) -> list[dict[str, Any]]:
    try:
        data = orjson.loads(source.read_bytes())
        articles = data["data"]
        assert isinstance(articles, list)
    except FileNotFoundError as error:
        raise DataError(str(source), expected="a SQuAD JSON file", found="no such file") from error
    except (orjson.JSONDecodeError, KeyError, TypeError, AssertionError) as error:
        raise DataError(str(source), expected='SQuAD JSON with a list under "data"', found="something else") from error
    return articles


def _documents(articles: list[dict[str, Any]], unit: str) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    for number, article in enumerate(articles):
        paragraphs = article.get("paragraphs") or []
        if unit == "article":
            yield f"a{number:04d}.txt", paragraphs
        else:
            for position, paragraph in enumerate(paragraphs):
                yield f"a{number:04d}-p{position:03d}.txt", [paragraph]


def _joined(paragraphs: list[Mapping[str, Any]]) -> tuple[str, list[int]]:
    text = ""
    offsets = []
    for paragraph in paragraphs:
        text += "\n\n" if text else ""
        offsets.append(len(text))
        text += paragraph["context"]
    return text, offsets


def _rows(
    paragraph: Mapping[str, Any], place: tuple[str, str, int], report: ImportReport, language: str | None
) -> Iterator[dict[str, Any]]:
    doc_id, text, base = place
    for qa in paragraph.get("qas") or []:
        answers = [] if qa.get("is_impossible") else qa.get("answers") or []
        spans = [_evidence(answer, paragraph["context"], report) for answer in answers]
        places = [_normalised(text, (base + found[0], base + found[1])) for found in spans if found is not None]
        items = sorted({place for place in places if place is not None})
        if answers and not items:
            report.rejected.append((str(qa["id"]), "no answer stands at its offset, or exactly once elsewhere"))
            continue
        yield {
            "id": str(qa["id"]),
            "question": qa["question"],
            "category": "lookup" if items else "negative",
            "language": language or _language(qa["question"]),
            "answerable": bool(items),
            "evidence": [{"doc": doc_id, "start": start, "end": end, "group": "g1"} for start, end in items],
            "reference": answers[0]["text"] if answers else "",
        }


def _evidence(answer: Mapping[str, Any], context: str, report: ImportReport) -> tuple[int, int] | None:
    text, start = answer["text"], answer.get("answer_start", -1)
    if text and start >= 0 and context[start : start + len(text)] == text:
        return start, start + len(text)
    at = context.find(text) if text else -1
    if at < 0 or context.find(text, at + 1) >= 0:
        return None
    report.repaired += 1
    return at, at + len(text)


def _normalised(text: str, span: tuple[int, int]) -> tuple[int, int] | None:
    """The span in the normalised text, which is what offsets index: the same occurrence of the same words, or None."""
    clean = normalise(text)
    if clean == text:
        return span
    quote = normalise(text[span[0] : span[1]])
    at = clean.find(quote) if quote else -1
    for _ in range(text[: span[0]].count(text[span[0] : span[1]])):
        at = clean.find(quote, at + len(quote)) if at >= 0 else -1
    return (at, at + len(quote)) if at >= 0 else None


def _language(text: str) -> str:
    return "zh" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en"


def _datasheet(source: Path, target: Path, report: ImportReport) -> None:
    rejected = "\n".join(f"- {name}: {reason}" for name, reason in report.rejected) or "- none"
    (target / "DATASHEET.md").write_text(
        f"# Imported from {source.name}\n\n{report.documents} documents, {report.questions} questions. "
        f"{report.repaired} answers had a wrong offset and one unmistakable place. "
        f"Rejected questions:\n\n{rejected}\n\n"
        "Answers are short spans; the licence and the limits are those of the source.\n",
        encoding="utf-8",
    )
