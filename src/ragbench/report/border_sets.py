"""What each variant's chunks do to the evidence: chunk sets told apart, fates, ranks; read from run directories."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ragbench.eval_set.align import Evidence
from ragbench.eval_set.coverage import Fate, evidence_fates
from ragbench.records.document import DocSpan, Document
from ragbench.records.question import Question
from ragbench.records.trace import Trace
from ragbench.report.borders import Interval, Piece, Pieces
from ragbench.run_dir.read import RunDir

Headings = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ChunkSet:
    """The chunks of a run in the documents that hold evidence.

    `digest` is that of all its borders, parents included; `sizes` are the characters of all its chunks.
    """

    digest: str
    pieces: Mapping[str, Pieces]
    headings: Mapping[int, Headings]
    sizes: Sequence[int]


@dataclass(frozen=True, eq=False)
class Laid:
    """What a variant did to one question: the fate of each evidence group, the final rank that satisfied it (0: never),
    whether the packed context holds it, the final ranking, and its class of loss.

    A context can hold what no rank satisfied: parents are packed in place of the chunks that were found.
    """

    fates: tuple[str, ...]
    ranks: tuple[int, ...]
    packed: tuple[bool, ...]
    ranking: tuple[int, ...]
    outcome: str


class _Reached(NamedTuple):
    """What of a trace is needed here: the final ranking, and where the blocks of the context lie."""

    ranking: tuple[int, ...]
    context: tuple[DocSpan, ...]

    @classmethod
    def of(cls, trace: Trace) -> _Reached:
        blocks = trace.context.blocks if trace.context is not None else ()
        return cls(
            tuple(item.chunk for item in trace.reranked),
            tuple(DocSpan(block.doc_id, block.start, block.end) for block in blocks),
        )


@dataclass(eq=False)
class Variant:
    """One run of a comparison: its chunk set and what it did to each question, by id."""

    run_id: str
    chunks: ChunkSet
    laid: Mapping[str, Laid] = field(default_factory=dict)

    def count(self, fate: Fate) -> int:
        """Evidence groups of a fate."""
        return sum(one.fates.count(fate.value) for one in self.laid.values())


def read_variant(
    run: RunDir, questions: Sequence[Question], documents: Mapping[str, Document], outcomes: Mapping[str, str]
) -> Variant:
    """Lay the evidence of `questions` over the chunks of a run.

    `documents` are those whose text is at hand; evidence in others is counted in characters, blanks included.
    `outcomes` are the run's classes of loss by question id. Raises DataError for evidence outside its document.
    """
    rows = run.chunk_rows()
    gold = {item.doc_id for question in questions for group in question.groups for item in group.items}
    chunks = _chunk_set(rows, gold)
    spans = [DocSpan(str(row["doc_id"]), int(row["start"]), int(row["end"])) for row in rows]
    fates = evidence_fates(questions, [span for span in spans if span.doc_id in gold], documents)
    variant = Variant(run.run_id, chunks)
    traces = {trace.question_id: _Reached.of(trace) for trace in run.traces()}
    nothing = _Reached((), ())
    variant.laid = {
        question.id: Laid(
            tuple(fate.value for fate in fates_of_it),
            *_found(Evidence(question, documents), traces.get(question.id, nothing), spans),
            outcomes.get(question.id, ""),
        )
        for question, fates_of_it in zip(questions, fates)
    }
    return variant


def _found(
    evidence: Evidence, reached: _Reached, spans: Sequence[DocSpan]
) -> tuple[tuple[int, ...], tuple[bool, ...], tuple[int, ...]]:
    """Ranks that satisfied each group, whether the context does, and the ranking without doubles."""
    distinct = [number for number in dict.fromkeys(reached.ranking) if 0 <= number < len(spans)]
    ranks = evidence.first_ranks(evidence.touching(spans[number] for number in distinct))[0]
    return tuple(ranks), tuple(evidence.satisfied(reached.context)), tuple(distinct)


def _chunk_set(rows: Sequence[Mapping[str, Any]], gold: set[str]) -> ChunkSet:
    digest = hashlib.sha256()
    pieces: dict[str, list[Piece]] = {}
    headings: dict[int, Headings] = {}
    for number, row in enumerate(rows):
        doc_id, start, end, parent = (
            str(row["doc_id"]),
            int(row["start"]),
            int(row["end"]),
            _interval(row.get("parent")),
        )
        digest.update(f"{doc_id}\0{start}\0{end}\0{parent}\n".encode("utf-8", "surrogatepass"))
        if doc_id in gold:
            pieces.setdefault(doc_id, []).append(Piece(number, start, end, parent))
            headings[number] = tuple(row.get("headings") or ())
    sizes = [int(row["end"]) - int(row["start"]) for row in rows]
    return ChunkSet(digest.hexdigest(), {doc: Pieces(found) for doc, found in pieces.items()}, headings, sizes)


def _interval(value: Sequence[int] | None) -> Interval | None:
    return None if value is None else (int(value[0]), int(value[1]))
