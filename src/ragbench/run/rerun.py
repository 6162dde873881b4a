"""Some questions of an experiment answered, judged and diagnosed again, without a run directory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from ragbench.evaluate.diagnose import Diagnosis, DiagnosisRules, diagnose
from ragbench.flow.gold import GoldChunks
from ragbench.measure.base import Reach
from ragbench.measure.case import CaseMaker
from ragbench.pipeline.gold_bench import GoldBench, PutIn
from ragbench.pipeline.offline import build
from ragbench.pipeline.online import OnlineBench
from ragbench.pipeline.untransformed import Untransformed, transforms
from ragbench.records.question import Question
from ragbench.records.score import Verdict
from ragbench.records.trace import Trace
from ragbench.run.experiment import Experiment
from ragbench.run.gold import gold_of
from ragbench.run.judging import Judging
from ragbench.run.session import EmbedderFellBack, Session

Asked = tuple[Question, PutIn]


@dataclass(frozen=True)
class Again:
    """What became of a question this time."""

    trace: Trace
    verdict: Verdict | None
    diagnosis: Diagnosis


def rerun(experiment: Experiment, session: Session, asked: Sequence[Asked]) -> list[Again]:
    """Each question as often as it stands in `asked`, with its gold put in at the stage named beside it; in order.

    Everything but that stage is as configured, and nothing is kept but what the store keeps.
    """
    if not asked:
        return []
    try:
        return _rerun(experiment, session, asked)
    except EmbedderFellBack:
        return _rerun(experiment, session, asked)


def _rerun(experiment: Experiment, session: Session, asked: Sequence[Asked]) -> list[Again]:
    opener = session.embedder(experiment.pipeline.embedder)
    built = build(experiment.pipeline, session.corpus(experiment), session.store, opener, session.memory)
    questions = list({question.id: question for question, _ in asked}.values())
    rows = {question.id: row for row, question in enumerate(questions)}
    with session.bench(experiment, built) as bench, ExitStack() as stack:
        judge = Judging(experiment, session, stack)
        maker = CaseMaker(gold_of(experiment, session, built, questions, bench.chunk_tokens), frozenset(Reach))
        cuts = experiment.pipeline.flow.cuts
        rules = DiagnosisRules(recall_k=cuts.recall_k, k=cuts.k)
        traces = zip((question for question, _ in asked), _traces(experiment, bench, asked), strict=True)
        found = []
        for number, (trace, verdict) in enumerate(judge.each(traces)):
            case = maker.case(rows[trace.question_id], trace, verdict)
            found.append(Again(trace, verdict, diagnose(case, rules)))
            session.progress.step("questions", number + 1, len(asked))
        judge.memo.flush()
        return found


def _traces(experiment: Experiment, bench: OnlineBench, asked: Sequence[Asked]) -> Iterator[Trace]:
    """The traces in order; questions without gold put in go through the flow together, as in a run."""
    flow, gold = experiment.pipeline.flow, GoldChunks(bench.chunks)
    typed = Untransformed(bench, flow.cuts.pool_depth) if transforms(experiment.pipeline) else None
    plain = flow.run([question for question, stage in asked if stage is PutIn.NOTHING], bench)
    for question, stage in asked:
        if stage is PutIn.NOTHING:
            trace = next(plain)
        else:
            (trace,) = flow.run([question], GoldBench(bench, question, gold, stage))
        yield trace if typed is None else typed.of(question, trace)
