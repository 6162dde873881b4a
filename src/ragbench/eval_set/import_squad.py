"""Import of SQuAD-style JSON (SQuAD, XQuAD, CMRC 2018, DRCD): paragraphs become documents, answers become evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragbench.errors import DataError
from ragbench.eval_set.draft import Claim, CorpusFile, Draft, DraftQuestion, ImportRequest
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.source_file import one_source, read_json_file, text_of

UNITS = ("paragraph", "article")
_WHAT = 'SQuAD JSON with a list under "data"'
_LIMITS = (
    "Questions were written by people who saw the paragraph, so their words overlap: keyword search finds most "
    "paragraphs, and the set hardly ranks retrievers.",
    "Evidence is a short answer span. Chunk measures count what a chunker does to that span, not to the reasoning.",
    "Every question needs one place only, unless it is marked unanswerable.",
)


def draft(request: ImportRequest, ledger: Ledger) -> Draft:
    """Paragraphs (or articles, joined by blank lines) and their questions.

    The evidence is the answer span; several answers of a question are alternatives of one group, and `is_impossible`
    questions are unanswerable, whatever answers they have (noted). Paragraphs without a text and questions without an
    id, a text or answers are rejected.
    """
    source = one_source(request.sources, _WHAT)
    if request.unit not in UNITS:
        raise DataError("unit", expected=" or ".join(UNITS), found=request.unit)
    files: list[CorpusFile] = []
    questions: list[DraftQuestion] = []
    for name, paragraphs in _documents(_articles(source), request.unit, ledger):
        text = "\n\n".join(paragraph["context"] for paragraph in paragraphs)
        files.append(CorpusFile.text(name, text))
        base = 0
        for number, paragraph in enumerate(paragraphs):
            questions += _questions(paragraph, (name, base, number), ledger)
            base += len(paragraph["context"]) + 2
    return Draft(
        title=f"Imported from {source.name}",
        licence="The licence is that of the source (SQuAD, XQuAD and CMRC 2018: CC BY-SA 4.0).",
        method=f"Each {request.unit} is a document. An answer stands at its offset, or is moved to the only place of "
        "its text; an answer with neither is left out, and the question with it when no other answer stands.",
        limits=_LIMITS,
        files=tuple(files),
        questions=tuple(questions),
    )


def _articles(source: Path) -> list[Any]:
    data = read_json_file(source, _WHAT)
    articles = data.get("data") if isinstance(data, dict) else None
    if isinstance(articles, list):
        return articles
    if isinstance(data, list) and data and isinstance(data[0], dict) and "context_text" in data[0]:
        hint = "This is CMRC's own format: ragbench eval-set import cmrc"
        raise DataError(str(source), expected=_WHAT, found="a list of contexts", hint=hint)
    raise DataError(str(source), expected=_WHAT, found="something else")


def _documents(articles: list[Any], unit: str, ledger: Ledger) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    for number, article in enumerate(articles):
        paragraphs = article.get("paragraphs") if isinstance(article, dict) else None
        if not isinstance(paragraphs, list):
            ledger.add("unread", "an article without a list of paragraphs", f"article {number}")
            continue
        usable = []
        for position, paragraph in enumerate(paragraphs):
            if not (text_of(paragraph, "context") or "").strip():
                ledger.add("unread", "a paragraph without a context", f"article {number} paragraph {position}")
            elif unit == "paragraph":
                yield f"a{number:04d}-p{position:03d}.txt", [paragraph]
            else:
                usable.append(paragraph)
        if usable:
            yield f"a{number:04d}.txt", usable


def _questions(paragraph: Mapping[str, Any], place: tuple[str, int, int], ledger: Ledger) -> Iterator[DraftQuestion]:
    name, base, number = place
    asked = paragraph.get("qas")
    for position, qa in enumerate(asked if isinstance(asked, list) else []):
        where = f"{name.removesuffix('.txt')} paragraph {number} question {position}"
        own, text = _id(qa), text_of(qa, "question")
        if own is None or text is None:
            ledger.add("rejected", "the question has no id or no text", own or where)
            continue
        answers = qa.get("answers") or []
        if not isinstance(answers, list) or not all(isinstance(answer, dict) for answer in answers):
            ledger.add("rejected", "its answers are no list of {text, answer_start}", own)
            continue
        impossible = bool(qa.get("is_impossible"))
        if not answers and not impossible:
            ledger.add("rejected", "it has no answers and is not marked is_impossible", own)
            continue
        if impossible and answers:
            ledger.add("noted", "it is marked is_impossible and has answers: they are not used", own)
        claims = [_claim(answer, name, base) for answer in ([] if impossible else answers)]
        yield DraftQuestion(
            id=own,
            question=text,
            claims=tuple(claims),
            answerable=not impossible,
            category="negative" if impossible else "lookup",
            reference=next((claim.quote for claim in claims if claim.quote), ""),
        )


def _claim(answer: Mapping[str, Any], name: str, base: int) -> Claim:
    start = answer.get("answer_start")
    return Claim(
        group="g1",
        docs=(name,),
        quote=text_of(answer, "text") or "",
        start=base + start if isinstance(start, int) and start >= 0 else -1,
    )


def _id(qa: Any) -> str | None:
    value = qa.get("id") if isinstance(qa, dict) else None
    return str(value) if isinstance(value, str | int) and str(value).strip() else None
