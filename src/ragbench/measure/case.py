"""What measures read: one question's way through a variant, one document's chunks, or the variant as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ragbench.errors import Problems
from ragbench.eval_set.align import Evidence
from ragbench.eval_set.coverage import Alignment, Fate, Grades
from ragbench.measure.base import Population, Reach
from ragbench.measure.corpus import ChunkedCorpus as ChunkedCorpus
from ragbench.measure.gold import Gold, doubled
from ragbench.measure.provided import SentenceSimilarity
from ragbench.measure.retrieval.budget import filling
from ragbench.measure.view import RankedView, ranked_view
from ragbench.records.document import Chunk, Document
from ragbench.records.question import Question
from ragbench.records.score import Verdict
from ragbench.records.search import Ranking
from ragbench.records.trace import QueryView, Trace


@dataclass(frozen=True, eq=False)
class Case:
    """One question with everything that is known of it.

    `trace` None: the question is absent from the run. Its evidence is that of row `row` of `gold`. `stages` are the
    parts that the variant has, so that a variant without a generator is told from a question whose answer is missing.
    """

    question: Question
    corpus: ChunkedCorpus
    gold: Gold
    row: int
    trace: Trace | None
    verdict: Verdict | None = None
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

    @property
    def alignment(self) -> Alignment:
        """The evidence of all questions laid over the chunk set."""
        return self.gold.alignment

    @cached_property
    def outside(self) -> tuple[Population, ...]:
        """The populations that the question does not belong to."""
        return self.gold.outside[self.row]

    @cached_property
    def evidence(self) -> Evidence:
        """The gold evidence, ready to be covered."""
        return self.gold.evidence(self.row)

    @property
    def fates(self) -> tuple[Fate, ...]:
        """What the chunk set does to each evidence group."""
        return self.alignment.fates[self.row]

    @property
    def pieces(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of the chunks that hold something of each evidence group."""
        return self.alignment.pieces[self.row]

    @property
    def grades(self) -> Grades:
        """The chunks that satisfy a group alone, and how many groups each does."""
        return self.alignment.grades[self.row]

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

    @cached_property
    def packed(self) -> Sequence[bool] | None:
        """For each evidence group, whether the packed context satisfies it; None: nothing is packed."""
        context = self.trace.context if self.trace is not None else None
        return None if context is None else self.evidence.satisfied(context.blocks)

    @cached_property
    def route_ranks(self) -> Mapping[str, tuple[int, ...]]:
        """Rank that satisfied each group (0: never) in the list of each route that the last step searched once."""
        lists = self.trace.steps[-1].route_lists if self.trace is not None and self.trace.steps else ()
        routes = [one.route for one in lists]
        once = [one for one in lists if routes.count(one.route) == 1]
        return {one.route: self.gold.route_ranks(self.row, one) for one in once}

    def filled(self, view: RankedView, budget: int) -> RankedView | None:
        """One of the two views, continued by what was found beyond the pool until it holds `budget` context tokens; the
        view itself where it holds them, where nothing more was found, and where a reranker left chunks out.

        None: the routes would have found more, and were not asked.
        """
        step = self.trace.steps[-1] if self.trace is not None and self.trace.steps else None
        if step is None or len(view.numbers) < len(self.fused.numbers):
            return view
        n_deeper = filling(view.numbers, step.deeper, self.corpus.tokens, budget)
        if n_deeper is None and step.more:
            return None
        added = step.deeper[:n_deeper]
        return ranked_view(self.evidence, [*view.numbers, *added], self.corpus.chunks) if added else view

    def _view(self, ranking: Ranking) -> RankedView:
        return self.gold.view(self.row, ranking)

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
    similarity: SentenceSimilarity | None = None

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
    """Makes the cases of a fixed population one at a time, so that no trace needs to be kept for it."""

    def __init__(self, gold: Gold, stages: frozenset[Reach]) -> None:
        self.gold = gold
        self.stages = stages

    def case(self, number: int, trace: Trace | None, verdict: Verdict | None = None) -> Case:
        """The case of the question at `number`; `trace` None: it is absent from the run."""
        gold = self.gold
        return Case(gold.questions[number], gold.corpus, gold, number, trace, verdict, self.stages)


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
    problems = doubled("question", known)
    problems += _strangers("trace", [trace.question_id for trace in traces], known)
    problems += _strangers("verdict", [verdict.question_id for verdict in verdicts], known)
    if problems:
        raise Problems("questions, traces and verdicts do not belong together", problems)
    by_trace = {trace.question_id: trace for trace in traces}
    by_verdict = {verdict.question_id: verdict for verdict in verdicts}
    maker = CaseMaker(Gold(questions, corpus), _stages(traces))
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


def _strangers(kind: str, ids: Sequence[str], known: Sequence[str]) -> list[str]:
    names = set(known)
    return doubled(kind, ids) + [
        f"{kind} of {one}: no such question in the eval set" for one in ids if one not in names
    ]
