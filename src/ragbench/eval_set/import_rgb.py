"""Import of RGB: questions with passages that answer them and passages that only look like it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragbench.errors import DataError
from ragbench.eval_set.draft import Claim, CorpusFile, Draft, DraftQuestion, ImportRequest
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.source_file import json_lines, row_id, text_of

NOISE = "noise"
"""Field of a question's metadata: documents that were gathered for it and do not answer it."""

_WHAT = "RGB: JSON Lines of {id, query, answer, positive, negative}"
_PATTERN = "*_refine.json"
_LIMITS = (
    "Evidence is whole passages of one question's own pool: any positive one answers it. Retrieval over the corpus "
    "of all pools is another task than the one that was published.",
    "Passages are snippets of search results, cut in the middle of sentences.",
    "Answers are a few words: overlap with a whole sentence is low by construction, and its changes are what to read.",
)


def draft(request: ImportRequest, ledger: Ledger) -> Draft:
    """Each passage as a document `file/id/positive-n.txt` or `negative-n.txt`; all positive ones are alternatives of
    one group, the negative ones the metadata `noise`.

    Of a folder the files `*_refine.json` are read. Of several spellings of an answer the first is the reference. A
    question without a positive passage or an answer is rejected, as is one whose positives are lists (`*_int`): it
    needs several passages.
    """
    files: dict[str, CorpusFile] = {}
    questions: list[DraftQuestion] = []
    for path in _paths(request.sources):
        seen: set[str] = set()
        for where, row in json_lines(path, _WHAT):
            if not isinstance(row, dict):
                ledger.add("rejected", "a line that is no JSON object", where)
                continue
            name = f"{path.stem}-{row_id(row, 'id')}"
            if name in seen:
                ledger.add("rejected", "the id was used before", name)
                continue
            seen.add(name)
            questions += _question(path.stem, name, row, files, ledger, where)
    return Draft(
        title="Imported from RGB",
        licence="The licence is that of the source (RGB: CC BY-NC-SA 4.0, non-commercial): for measuring only.",
        method="Each passage is a document. Any positive passage of a question is its evidence; its negative passages "
        "are named in its metadata.",
        limits=_LIMITS,
        files=tuple(files.values()),
        questions=tuple(questions),
    )


def _paths(sources: tuple[Path, ...]) -> list[Path]:
    found = [path for one in sources for path in (sorted(one.glob(_PATTERN)) if one.is_dir() else [one])]
    if not found:
        raise DataError(str(sources[0]), expected=f"files {_PATTERN}", found="none")
    return found


def _question(
    stem: str, name: str, row: Mapping[str, Any], files: dict[str, CorpusFile], ledger: Ledger, where: str
) -> Iterator[DraftQuestion]:
    text, reference = text_of(row, "query"), _answer(row.get("answer"))
    positive, negative = _passages(row.get("positive")), _passages(row.get("negative"))
    if text is None or not reference:
        ledger.add("rejected", "a question without query or answer", where)
        return
    if not positive:
        ledger.add("rejected", "it has no positive passages of its own, as one text each", name)
        return
    names: dict[str, list[str]] = {"positive": [], NOISE: []}
    for kind, label, passages in (("positive", "positive", positive), (NOISE, "negative", negative)):
        for number, passage in enumerate(passages, 1):
            file = f"{stem}/{name}/{label}-{number}.txt"
            files[file] = CorpusFile.text(file, passage)
            names[kind].append(file)
    claims = tuple(Claim(group="g1", docs=(doc,), whole=True) for doc in names["positive"])
    yield DraftQuestion(
        id=name, question=text, claims=claims, reference=reference, split="test", metadata={NOISE: names[NOISE]}
    )


def _answer(value: Any) -> str:
    """The first spelling of each part of an answer, joined by a semicolon; empty where there is none."""
    parts = value if isinstance(value, list) else [value]
    firsts = [part[0] if isinstance(part, list) and part else part for part in parts]
    return "; ".join(str(part).strip() for part in firsts if isinstance(part, str | int | float) and str(part).strip())


def _passages(value: Any) -> list[str]:
    """Texts of a list, each once and without blank ones; none where it is no list of texts."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return []
    return list(dict.fromkeys(one for one in value if one.strip()))
