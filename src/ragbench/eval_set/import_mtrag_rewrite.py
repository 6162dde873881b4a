"""Import of MT-RAG's retrieval questions in their three forms, on passages that are at hand.

The questions are published without their collections. Those are kept whose relevant passages all lie in the pools that
are given; every other one is left out and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ragbench.errors import DataError
from ragbench.eval_set.draft import Claim, CorpusFile, Draft, DraftQuestion, ImportRequest
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.mtrag_pools import Pool, read_pool
from ragbench.eval_set.mtrag_tasks import spoken
from ragbench.eval_set.source_file import need_folder, read_json_lines, read_utf8, text_of
from ragbench.records.question import Turn
from ragbench.trec.read import read_qrels

FIRST, FOLLOW_UP = "first_turn", "follow_up"
_WHAT = (
    "a folder with <collection>/<collection>_{lastturn,questions,rewrite}.jsonl and qrels/*.tsv, then pools of passages"
)
_FORMS = ("lastturn", "questions", "rewrite")
_USER = re.compile(r"^\|user\|:", re.MULTILINE)
_OUTSIDE = "a relevant passage is not in the pools"
_LIMITS = (
    "Only questions whose relevant passages all lie in the pools: a part of MT-RAG that nobody drew at random, on some "
    "hundred passages in place of its collections of 50 to 180 thousand. No published figure is repeated by it.",
    "Evidence is whole passages: recall and ranking are of passages, and chunk measures do not apply.",
    "The history holds the user's turns alone, as the form with all questions has them; what the assistant said is not "
    "part of these files.",
)


def draft(request: ImportRequest, ledger: Ledger) -> Draft:
    """Passages as documents `<collection>/<id>.txt`, questions with the last turn as question, the user's turns before
    it as history and the rewrite as standalone form; the category is `first_turn` or `follow_up`.

    `request.collection` keeps one collection. Every relevant passage of the qrels is a group, and a passage of the same
    text an alternative to it.

    Raises:
        DataError: the sources are other files, there is no pool, or no such collection.
    """
    folder = need_folder(request.sources[0], _WHAT)
    if len(request.sources) < 2:
        raise DataError("sources", expected=_WHAT, found="no pool")
    files: list[CorpusFile] = []
    questions: list[DraftQuestion] = []
    for place in _chosen(folder, request.collection):
        pool = read_pool(place.name, request.sources[1:], ledger)
        files += pool.files
        questions += _questions(place, pool, ledger)
    return Draft(
        title="Imported from MT-RAG (retrieval questions)",
        licence="The licence is that of the source (MT-RAG: Apache-2.0).",
        method="Of the three published forms of a question the last turn is asked, the user's turns before it are its "
        "history, and the rewrite is its standalone form. Each passage of the pools is a document; the evidence of a "
        "question is all passages that the qrels give it.",
        limits=_LIMITS,
        files=tuple(files),
        questions=tuple(questions),
    )


def _chosen(folder: Path, wanted: str | None) -> list[Path]:
    found = sorted(path for path in folder.iterdir() if (path / f"{path.name}_lastturn.jsonl").is_file())
    if not found:
        raise DataError(str(folder), expected=_WHAT, found="no <collection>_lastturn.jsonl")
    names = [path.name for path in found]
    if wanted is not None and wanted not in names:
        raise DataError(f"--collection {wanted}", expected=f"one of {', '.join(names)}", found="no such folder")
    return [path for path in found if wanted in (None, path.name)]


def _questions(place: Path, pool: Pool, ledger: Ledger) -> Iterator[DraftQuestion]:
    forms = [_form(place / f"{place.name}_{form}.jsonl", ledger) for form in _FORMS]
    relevant = _relevant(place / "qrels", pool.name)
    for name, last in forms[0].items():
        passages = relevant.get(name, ())
        every, alone = (form.get(name) for form in forms[1:])
        fault = ""
        if not passages:
            fault = "no relevant passage in the qrels"
        elif every is None or alone is None:
            fault = "one of its three forms is missing"
        elif any(passage not in pool.names for passage in passages):
            fault = _OUTSIDE
        if fault or every is None or alone is None:
            ledger.add("rejected", fault, name)
            continue
        history = _history(every, last)
        if history is None:
            ledger.add("rejected", "its turns do not end with its last turn", name)
            continue
        yield DraftQuestion(
            id=name,
            question=spoken(last),
            claims=tuple(
                Claim(group=f"g{number}", docs=pool.twins(passage), whole=True)
                for number, passage in enumerate(passages, 1)
            ),
            category=FOLLOW_UP if history else FIRST,
            split="test",
            standalone=spoken(alone) if history else None,
            history=history,
            metadata={"collection": pool.name},
        )


def _form(path: Path, ledger: Ledger) -> dict[str, str]:
    """One form of all questions, by id."""
    found: dict[str, str] = {}
    for where, row in read_json_lines(path, read_utf8(path, _WHAT)):
        name, text = text_of(row, "_id"), text_of(row, "text")
        if name is None or text is None or not spoken(text) or name in found:
            ledger.add("unread", "a line without id and text, or of an id that stood before", where)
        else:
            found[name] = text
    return found


def _history(every: str, last: str) -> tuple[Turn, ...] | None:
    """The user's turns before the last one; None where the last of them is another text than it."""
    turns = [turn.strip() for turn in _USER.split(every)]
    turns = [turn for turn in turns if turn]
    if not turns or " ".join(turns[-1].split()) != " ".join(spoken(last).split()):
        return None
    return tuple(Turn("user", turn) for turn in turns[:-1])


def _relevant(folder: Path, collection: str) -> Mapping[str, Sequence[str]]:
    """Passages with a score above 0, by question."""
    tables = sorted(folder.glob("*.tsv"))
    if not tables:
        raise DataError(str(folder), expected=f"qrels of {collection} in TSV", found="no .tsv file")
    found: dict[str, dict[str, None]] = {}
    for path in tables:
        for name, grades in read_qrels(path).grades.items():
            found.setdefault(name, {}).update({passage: None for passage, grade in grades.items() if grade > 0})
    return {name: list(passages) for name, passages in found.items()}
