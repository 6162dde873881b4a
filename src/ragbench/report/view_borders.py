"""The evidence of each question in its document, with the borders of the chunks, as plain data the page draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragbench.packer.tokens import estimate_tokens
from ragbench.records.document import Document
from ragbench.records.question import Question
from ragbench.report.border_sets import ChunkSet, Laid, read_variant
from ragbench.report.borders import CONTEXT, Window, segments, windows_of
from ragbench.report.view_questions import TextOf
from ragbench.run_dir.read import RunDir

View = dict[str, Any]
RUN_CONTEXT = 200
"""Characters around the evidence in the report of one run, which draws all its questions."""

RUN_BUDGET = 900_000
"""Characters of text that the drawings of one run hold at most."""

_TRAIL = 3


@dataclass(eq=False)
class Drawings:
    """Rows for the drawings of many questions: windows once a question, chunks once a chunk set."""

    sets: Sequence[ChunkSet]
    texts: Mapping[str, str]
    context: int = CONTEXT
    _used: list[dict[int, tuple[str, int, int]]] = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is drawn yet."""
        self._used = [{} for _ in self.sets]

    def windows(self, question: Question) -> tuple[list[Window], int]:
        """The windows of a question, and how many were left out."""
        return windows_of(question, self.texts, self.context)

    def fitting(self, questions: Iterable[Question], budget: int) -> list[Question]:
        """Those of the questions, in order, whose windows fit together into `budget` characters of text."""
        kept = []
        for question in questions:
            size = self.size(question)
            if size <= budget:
                kept.append(question)
                budget -= size
        return kept

    def size(self, question: Question) -> int:
        """Characters of text in the windows of a question."""
        return sum(len(window.text) for window in self.windows(question)[0] if window.text is not None)

    def row(self, question: Question, laid: Sequence[Laid]) -> View:
        """The drawing of a question in every chunk set; `laid` is what each variant did to it.

        `w` windows; `more` windows left out; `g` names of the evidence groups, empty where it has one only; `c` by
        chunk set, by window, the segments; `v` by variant the fates `f`, ranks `r`, whether the context holds
        the group `p`, outcome `o`, and final ranks `k` of the chunks in sight.
        """
        windows, more = self.windows(question)
        cells = [[self._cell(at, window) for window in windows] for at in range(len(self.sets))]
        seen = [{number for cell in cut for segment in cell for number in segment.get("c", ())} for cut in cells]
        everything = set().union(*seen)
        names = [group.name for group in question.groups]
        return {
            "id": question.id,
            "q": question.question,
            "w": [window.row() for window in windows],
            "more": more,
            "g": names if len(names) > 1 else [""] * len(names),
            "c": cells,
            "v": [
                {"f": one.fates, "r": one.ranks, "p": one.packed, "o": one.outcome}
                | {"k": {str(n): rank for rank, n in enumerate(one.ranking, 1) if n in everything}}
                for one in laid
            ],
        }

    def chunks(self) -> list[View]:
        """For each chunk set the chunks that some row shows: `[start, end, tokens, number of the trail]` by chunk
        number, and the trails; tokens are estimated, None where the text is not at hand."""
        rows = []
        for at, chunk_set in enumerate(self.sets):
            used = self._used[at]
            known = [number for number, (doc_id, _, _) in used.items() if doc_id in self.texts]
            counts = estimate_tokens([self.texts[used[n][0]][used[n][1] : used[n][2]] for n in known])
            tokens = dict(zip(known, counts))
            trails: dict[str, int] = {}
            table = {}
            for number, (_, start, end) in sorted(used.items()):
                trail = " › ".join(chunk_set.headings.get(number, ())[-_TRAIL:])
                table[str(number)] = [start, end, tokens.get(number), trails.setdefault(trail, len(trails))]
            rows.append({"c": table, "h": list(trails)})
        return rows

    def _cell(self, at: int, window: Window) -> list[View]:
        pieces = self.sets[at].pieces.get(window.doc_id)
        inside = pieces.within(window.start, window.end) if pieces else []
        cut = segments(window, inside)
        shown = {number for segment in cut for number in segment.chunks}
        self._used[at] |= {one.number: (window.doc_id, one.start, one.end) for one in inside if one.number in shown}
        return [segment.row() for segment in cut]


def run_borders(
    run: RunDir, outcomes: Mapping[str, str], text_of: TextOf, budget: int = RUN_BUDGET
) -> tuple[dict[str, int], list[View], list[View], int]:
    """The drawings of one run: place of each question's row by id, the rows, the chunks, and the questions left out.

    Questions that were lost come first, and are drawn until their texts fill the budget. Questions without a text or
    without a located piece of evidence have no drawing and are not counted as left out.
    """
    questions = [question for question in run.questions.values() if question.groups]
    documents = gold_documents(questions, text_of)
    if not documents:
        return {}, [], [], 0
    variant = read_variant(run, questions, documents, outcomes)
    texts = {doc_id: document.text for doc_id, document in documents.items()}
    drawings = Drawings([variant.chunks], texts, RUN_CONTEXT)
    drawable = [question for question in questions if drawings.size(question)]
    shown = drawings.fitting(sorted(drawable, key=lambda one: outcomes.get(one.id, "ok") == "ok"), budget)
    rows = [drawings.row(question, [variant.laid[question.id]]) for question in shown]
    kept = [{key: row[key] for key in ("w", "more", "g", "c", "v")} for row in rows]
    places = {question.id: at for at, question in enumerate(shown)}
    return places, kept, drawings.chunks(), len(drawable) - len(shown)


def gold_documents(questions: Iterable[Question], text_of: TextOf) -> dict[str, Document]:
    """The documents that hold evidence and whose text is at hand and long enough for it."""
    ends: dict[str, int] = {}
    for question in questions:
        for item in (item for group in question.groups for item in group.items):
            ends[item.doc_id] = max(ends.get(item.doc_id, 0), item.end)
    found = {}
    for doc_id, end in ends.items():
        text = text_of(doc_id)
        if text is not None and end <= len(text):
            found[doc_id] = Document(doc_id, text, "", "")
    return found
