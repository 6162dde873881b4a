"""What measures read: one question's way through a variant, one document's chunks, or the variant as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ragbench.errors import DataError, Problems
from ragbench.eval_set.align import Evidence
from ragbench.eval_set.coverage import Fate, evidence_fates
from ragbench.measure.base import Reach
from ragbench.measure.view import RankedView, ranked_view
from ragbench.records.document import Chunk, Document
from ragbench.records.question import Question
from ragbench.records.score import Verdict
from ragbench.records.search import Ranking
from ragbench.records.trace import Trace


@dataclass(frozen=True, eq=False)
class ChunkedCorpus:
    """Documents and their chunks. `chunks[i].number == i`; `tokens[i]` is the token count of `chunks[i].text`."""

    documents: Mapping[str, Document]
    chunks: Sequence[Chunk]
    tokens: Sequence[int]

    def __post_init__(self) -> None:
        """Refuse counts that do not belong to the chunks."""
        if len(self.tokens) != len(self.chunks):
            raise DataError("token counts", expected=f"{len(self.chunks)}, one a chunk", found=str(len(self.tokens)))

    @cached_property
    def by_document(self) -> Mapping[str, Sequence[Chunk]]:
        """Chunks of each document, in order of number; a document without chunks has an empty list."""
        found: dict[str, list[Chunk]] = {doc_id: [] for doc_id in self.documents}
        for chunk in self.chunks:
            found.setdefault(chunk.doc_id, []).append(chunk)
        return found


@dataclass(frozen=True, eq=False)
class Case:
    """One question with everything that is known of it.

    `trace` None: the question is absent from the run. `fates` says what the chunk set does to each evidence group.
    `stages` are the parts that at least one trace without an error has (all parts where there is no such trace), so
    that
    a variant without a generator is told from a question whose answer is missing.
    """

    question: Question
    corpus: ChunkedCorpus
    trace: Trace | None
    verdict: Verdict | None = None
    fates: tuple[Fate, ...] = ()
    stages: frozenset[Reach] = frozenset(Reach)

    @property
    def subject_id(self) -> str:
        """The question's id."""
        return self.question.id

    @property
    def judge(self) -> str:
        """Who judged; empty without a verdict."""
        return self.verdict.judge if self.verdict is not None else ""

    @cached_property
    def evidence(self) -> Evidence:
        """The gold evidence, ready to be covered."""
        return Evidence(self.question, self.corpus.documents)

    @cached_property
    def fused(self) -> RankedView:
        """The ranking before reranking."""
        return self._view(self.trace.fused if self.trace is not None else ())

    @cached_property
    def reranked(self) -> RankedView:
        """The final ranking; the very same view where reranking changed nothing."""
        before, after = (self.trace.fused, self.trace.reranked) if self.trace is not None else ((), ())
        if after is before or [hit.chunk for hit in after] == [hit.chunk for hit in before]:
            return self.fused
        return self._view(after)

    def _view(self, ranking: Ranking) -> RankedView:
        return ranked_view(self.evidence, [hit.chunk for hit in ranking], self.corpus.chunks)

    def offers(self, reach: Reach) -> bool:
        """Whether the variant has this part at all."""
        return reach in self.stages

    def reached(self, reach: Reach) -> bool:
        """Whether this question's trace came as far as `reach`."""
        return self.trace is not None and _reached(self.trace, reach)


@dataclass(frozen=True, eq=False)
class DocumentCase:
    """One document and its chunks."""

    document: Document
    chunks: Sequence[Chunk]
    judge: str = ""

    @property
    def subject_id(self) -> str:
        """The document's id."""
        return self.document.doc_id


@dataclass(frozen=True, eq=False)
class VariantCase:
    """The variant as a whole."""

    corpus: ChunkedCorpus
    cases: Sequence[Case]
    judge: str = ""
    subject_id: str = ""


def make_cases(
    questions: Sequence[Question],
    traces: Sequence[Trace],
    corpus: ChunkedCorpus,
    verdicts: Sequence[Verdict] = (),
) -> list[Case]:
    """One case a question, in the order of `questions`; a question without a trace is kept as absent.

    Raises Problems naming every doubled question, trace or verdict and every trace or verdict of an unknown question.
    """
    known = [question.id for question in questions]
    problems = _doubled("question", known)
    problems += _strangers("trace", [trace.question_id for trace in traces], known)
    problems += _strangers("verdict", [verdict.question_id for verdict in verdicts], known)
    if problems:
        raise Problems("questions, traces and verdicts do not belong together", problems)
    by_trace = {trace.question_id: trace for trace in traces}
    by_verdict = {verdict.question_id: verdict for verdict in verdicts}
    fates = evidence_fates(questions, corpus.chunks, corpus.documents)
    stages = _stages(traces)
    return [
        Case(question, corpus, by_trace.get(question.id), by_verdict.get(question.id), fate, stages)
        for question, fate in zip(questions, fates)
    ]


def _stages(traces: Sequence[Trace]) -> frozenset[Reach]:
    sound = [trace for trace in traces if trace.error is None]
    if not sound:
        return frozenset(Reach)
    found = {reach for reach in Reach if any(_reached(trace, reach) for trace in sound)}
    # Rankings that are all empty are results, not a missing stage.
    return frozenset(found | {Reach.NOTHING, Reach.FUSED, Reach.RERANKED})


def _reached(trace: Trace, reach: Reach) -> bool:
    match reach:
        case Reach.NOTHING:
            return True
        case Reach.QUERY:
            return bool(trace.query.tier) and trace.query.tier != "none"
        case Reach.FUSED:
            return bool(trace.fused)
        case Reach.RERANKED:
            return bool(trace.reranked)
        case Reach.CONTEXT:
            return trace.context is not None
        case Reach.ANSWER:
            return trace.answer is not None


def _doubled(kind: str, ids: Sequence[str]) -> list[str]:
    seen: set[str] = set()
    again = [one for one in ids if one in seen or seen.add(one)]  # type: ignore[func-returns-value]
    return [f"{kind} {one}: expected once, found again" for one in again]


def _strangers(kind: str, ids: Sequence[str], known: Sequence[str]) -> list[str]:
    names = set(known)
    return _doubled(kind, ids) + [
        f"{kind} of {one}: no such question in the eval set" for one in ids if one not in names
    ]
