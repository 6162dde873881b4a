"""What measures read: one question's way through a variant, one document's chunks, or the variant as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ragbench.errors import DataError, Problems
from ragbench.eval_set.align import Evidence
from ragbench.eval_set.coverage import Fate, evidence_fates
from ragbench.measure.base import Population, Reach
from ragbench.measure.view import RankedView, ranked_view
from ragbench.records.document import Chunk, Document
from ragbench.records.question import Question
from ragbench.records.score import Verdict
from ragbench.records.search import Ranking
from ragbench.records.trace import QueryView, Trace


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
    `stages` are the parts that the variant has, so that a variant without a generator is told from a question whose
    answer is missing.
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

    @property
    def query(self) -> tuple[Question, QueryView | None]:
        """The question and what query understanding said of it; None: absent from the run."""
        return self.question, self.trace.query if self.trace is not None else None

    @cached_property
    def outside(self) -> tuple[Population, ...]:
        """The populations that the question does not belong to."""
        return tuple(population for population in Population if population.excludes(self.question))

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
    """The variant as a whole. `queries` holds each question with what query understanding said of it; None: the
    question is absent from the run."""

    corpus: ChunkedCorpus
    queries: Sequence[tuple[Question, QueryView | None]]
    judge: str = ""
    subject_id: str = ""


class CaseMaker:
    """Makes the cases of a fixed population one at a time, so that no trace needs to be kept for it.

    Raises Problems naming every doubled question.
    """

    def __init__(self, questions: Sequence[Question], corpus: ChunkedCorpus, stages: frozenset[Reach]) -> None:
        problems = _doubled("question", [question.id for question in questions])
        if problems:
            raise Problems("questions", problems)
        self.questions = questions
        self.corpus = corpus
        self.stages = stages
        self._fates = evidence_fates(questions, corpus.chunks, corpus.documents)

    def case(self, number: int, trace: Trace | None, verdict: Verdict | None = None) -> Case:
        """The case of the question at `number`; `trace` None: it is absent from the run."""
        return Case(self.questions[number], self.corpus, trace, verdict, self._fates[number], self.stages)


def make_cases(
    questions: Sequence[Question],
    traces: Sequence[Trace],
    corpus: ChunkedCorpus,
    verdicts: Sequence[Verdict] = (),
) -> list[Case]:
    """One case a question, in the order of `questions`; a question without a trace is kept as absent.

    The variant's stages are read off the traces: those that at least one trace without an error reached, all stages
    where there is no such trace. Raises Problems naming every doubled question, trace or verdict and every trace or
    verdict of an unknown question.
    """
    known = [question.id for question in questions]
    problems = _doubled("question", known)
    problems += _strangers("trace", [trace.question_id for trace in traces], known)
    problems += _strangers("verdict", [verdict.question_id for verdict in verdicts], known)
    if problems:
        raise Problems("questions, traces and verdicts do not belong together", problems)
    by_trace = {trace.question_id: trace for trace in traces}
    by_verdict = {verdict.question_id: verdict for verdict in verdicts}
    maker = CaseMaker(questions, corpus, _stages(traces))
    return [maker.case(number, by_trace.get(one), by_verdict.get(one)) for number, one in enumerate(known)]


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
