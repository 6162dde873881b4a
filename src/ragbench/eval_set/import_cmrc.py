"""Import of CMRC 2018's own format: a list of Chinese contexts whose answers carry no offsets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragbench.errors import DataError
from ragbench.eval_set.doc_name import name_fault, shown
from ragbench.eval_set.draft import Claim, CorpusFile, Draft, DraftQuestion, ImportRequest
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.source_file import one_source, read_json_file, text_of

EVERY_PLACE = 8
_WHAT = "CMRC 2018 JSON: a list of {context_id, context_text, qas}"
_LIMITS = (
    "Questions were written by people who saw the context, so their words overlap: keyword search finds most contexts, "
    "and the set hardly ranks retrievers.",
    "Evidence is a short answer span whose place the source does not tell. Where its text stands more than once each "
    "place counts, so that a chunk which holds another mention is taken for the evidence.",
    "Every question needs one place only, and every question has an answer.",
)


def draft(request: ImportRequest, ledger: Ledger) -> Draft:
    """Contexts as documents named by their id; all answers of a question are alternatives of one group.

    Contexts without a usable id or a text are left out, and their questions with them.
    """
    source = one_source(request.sources, _WHAT)
    contexts = read_json_file(source, _WHAT)
    if not isinstance(contexts, list):
        hint = ""
        if isinstance(contexts, dict) and "data" in contexts:
            hint = "This is the SQuAD form: ragbench eval-set import squad"
        raise DataError(str(source), expected=_WHAT, found=f"a JSON {type(contexts).__name__}", hint=hint)
    files: dict[str, CorpusFile] = {}
    questions: list[DraftQuestion] = []
    for number, context in enumerate(contexts):
        name, text = _document(context, f"context {number}", files, ledger)
        if name:
            files[name] = CorpusFile.text(name, text)
            questions += _questions(context, name, ledger)
    return Draft(
        title=f"Imported from {source.name}",
        licence="The licence is that of the source (CMRC 2018: CC BY-SA 4.0).",
        method="Each context is a document. An answer is looked for in its context; where its text stands several "
        f"times (at most {EVERY_PLACE}), every place is accepted.",
        limits=_LIMITS,
        files=tuple(files.values()),
        questions=tuple(questions),
        every_place=EVERY_PLACE,
    )


def _document(context: Any, where: str, files: dict[str, CorpusFile], ledger: Ledger) -> tuple[str, str]:
    """Name and text of a context; an empty name for one that cannot be used, which the ledger then knows."""
    own, text = text_of(context, "context_id"), text_of(context, "context_text")
    fault = name_fault(own)
    name = f"{own}.txt"
    if own is not None and fault:
        ledger.add("unread", "a context whose id cannot be a file name", f"{where}: {shown(own)} {fault}")
    elif own is None or not (text or "").strip():
        ledger.add("unread", "a context without context_id or context_text", where)
    elif name.casefold() in {known.casefold() for known in files}:
        ledger.add("unread", "a context whose id was used before", f"{where}: {own}")
    else:
        return name, text or ""
    return "", ""


def _questions(context: dict[str, Any], name: str, ledger: Ledger) -> Iterator[DraftQuestion]:
    asked = context.get("qas")
    for position, qa in enumerate(asked if isinstance(asked, list) else []):
        own, text = text_of(qa, "query_id"), text_of(qa, "query_text")
        where = own or f"{name.removesuffix('.txt')} question {position}"
        if own is None or text is None:
            ledger.add("rejected", "the question has no query_id or no query_text", where)
            continue
        answers = qa.get("answers")
        if not isinstance(answers, list) or not answers or not all(isinstance(answer, str) for answer in answers):
            ledger.add("rejected", "its answers are no list of texts", where)
            continue
        yield DraftQuestion(
            id=own,
            question=text,
            claims=tuple(Claim(group="g1", docs=(name,), quote=answer) for answer in dict.fromkeys(answers)),
            reference=answers[0],
        )
