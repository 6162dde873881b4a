"""Lines of a file of traces that another system wrote: a question, what was retrieved for it, and its answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.errors import Problems
from ragbench.eval_set.source_file import read_json_lines, read_utf8
from ragbench.records.question import Question
from ragbench.text.terminal import one_line

WHAT = "traces as JSON Lines, one object with id or question, contexts and answer a line"
_SHOWN = 20
_QUESTION, _CONTEXTS, _ANSWER = ("question", "user_input"), ("contexts", "retrieved_contexts"), ("answer", "response")
"""Our names, and those of RAGAS."""


@dataclass(frozen=True, slots=True)
class Context:
    """One retrieved context: a text, a place in a document (`start` and `end`), both, or a document as a whole."""

    doc: str | None = None
    start: int | None = None
    end: int | None = None
    text: str | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class ForeignRow:
    """What another system did with a question, contexts best first. `answer` None: the line has none; `refused` None:
    it does not say whether the answer refuses."""

    question_id: str
    where: str
    contexts: tuple[Context, ...]
    answer: str | None = None
    refused: bool | None = None


def read_rows(path: Path, known: Sequence[Question]) -> list[ForeignRow]:
    """The lines of a file, of questions among `known`.

    Raises Problems with every line that is broken, that names no question of the set, or one that an earlier line has;
    DataError for a file that is missing, empty or not UTF-8.
    """
    rows: list[ForeignRow] = []
    problems: list[str] = []
    first: dict[str, str] = {}
    named = _Questions(known)
    for label, value in read_json_lines(path, read_utf8(path, WHAT)):
        where = label.removeprefix(f"{path.name} ")
        row = _row(where, value, named)
        if isinstance(row, str):
            problems.append(f"{where}: {row}")
        elif row.question_id in first:
            problems.append(f"{where}: question {one_line(row.question_id, 60)} again, after {first[row.question_id]}")
        else:
            first[row.question_id] = where
            rows.append(row)
    if not rows and not problems:
        problems.append(f"no line holds anything; expected {WHAT}")
    refuse(path, problems)
    return rows


def refuse(path: Path, problems: Sequence[str]) -> None:
    """Raise Problems for a file with any, the first of them in full."""
    if problems:
        more = len(problems) - _SHOWN
        hint = f"… and {more} more. " if more > 0 else ""
        raise _Many(str(path), problems, f"{hint}The form of a line: docs/trec.md.")


class _Many(Problems):
    """Problems of which the first are shown, and all are counted."""

    def __init__(self, title: str, problems: Sequence[str], hint: str) -> None:
        super().__init__(title, problems[:_SHOWN], hint)
        n = len(problems)
        _, _, rest = str(self).partition("\n")
        self.args = (f"{title}: {n} problem{'s' if n != 1 else ''}\n{rest}",)


class _Questions:
    """The questions of a set by id and by wording."""

    def __init__(self, known: Sequence[Question]) -> None:
        self.ids = {question.id for question in known}
        self.worded: dict[str, list[str]] = defaultdict(list)
        for question in known:
            self.worded[" ".join(question.question.split())].append(question.id)

    def of(self, row: Mapping[str, Any]) -> str | None:
        """The id of a row's question, or after `!` what is wrong; None where it names none."""
        found = row.get("id")
        if isinstance(found, str | int) and not isinstance(found, bool) and str(found) in self.ids:
            return str(found)
        text = _field(row, _QUESTION)
        ids = self.worded.get(" ".join(text.split()), []) if isinstance(text, str) else []
        if found is not None:
            return f"!the set has no question {one_line(str(found), 60)}"
        if len(ids) > 1:
            return f"!{len(ids)} questions of the set have this wording; give the id"
        if not ids and isinstance(text, str) and text.strip():
            return f"!the set has no question worded '{one_line(text, 60)}'"
        return ids[0] if ids else None


def _row(where: str, value: Any, named: _Questions) -> ForeignRow | str:
    if isinstance(value, Exception):
        return f"no JSON ({one_line(str(value), 80)})"
    if not isinstance(value, dict):
        return f"expected an object, found {_kind(value)}"
    question_id = named.of(value)
    if question_id is None:
        return "expected id or question, found neither"
    if question_id.startswith("!"):
        return question_id[1:]
    contexts, answer, refused = _field(value, _CONTEXTS), _field(value, _ANSWER), value.get("refused")
    if not isinstance(contexts, list):
        return f"expected contexts, a list, found {_kind(contexts)}"
    if answer is not None and not isinstance(answer, str):
        return f"expected answer, a text, found {_kind(answer)}"
    if refused is not None and not isinstance(refused, bool):
        return f"expected refused, true or false, found {_kind(refused)}"
    made = [_context(one) for one in contexts]
    wrong = [f"contexts[{at}]: {one}" for at, one in enumerate(made) if isinstance(one, str)]
    if wrong:
        return wrong[0]
    return ForeignRow(question_id, where, tuple(one for one in made if isinstance(one, Context)), answer, refused)


def _context(value: Any) -> Context | str:
    if isinstance(value, str):
        return Context(text=value)
    if not isinstance(value, dict):
        return f"expected a text or an object, found {_kind(value)}"
    wrong = next(_faults(value), "")
    if wrong:
        return wrong
    score = value.get("score")
    return Context(
        value.get("doc"),
        value.get("start"),
        value.get("end"),
        value.get("text"),
        None if score is None else float(score),
    )


def _faults(value: Mapping[str, Any]) -> Iterator[str]:
    kinds = {"doc": str, "text": str, "start": int, "end": int, "score": int | float}
    for name, kind in kinds.items():
        found = value.get(name)
        if found is not None and (not isinstance(found, kind) or isinstance(found, bool)):
            yield f"expected {name}, {'a text' if kind is str else 'a number'}, found {_kind(found)}"
    if value.get("doc") is None and value.get("text") is None:
        yield "expected text or doc, found neither"
    start, end = value.get("start"), value.get("end")
    if (start is None) != (end is None):
        yield "expected start and end together, found only one of them"
    if start is not None and (value.get("doc") is None or not 0 <= start < (end or 0)):
        yield f"expected a doc with 0 <= start < end, found {start} and {end}"


def _field(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _kind(value: Any) -> str:
    kinds = {type(None): "none", bool: "true or false", dict: "an object", list: "a list", str: "a text"}
    return kinds.get(type(value), "a number")
