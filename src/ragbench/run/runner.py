"""One run: build, query, judge, evaluate, write, deliver."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ragbench.core.codec import dumps, loads
from ragbench.core.fingerprint import fingerprint, quick_key
from ragbench.core.memo import Memo
from ragbench.core.rows import from_row, to_row
from ragbench.core.workers import Tools
from ragbench.errors import RagbenchError
from ragbench.eval_set.load import EvalSet
from ragbench.evaluate.defaults import JUDGED
from ragbench.evaluate.diagnose import DiagnosisRules
from ragbench.evaluate.scorer import RunScorer
from ragbench.evaluate.summary import Evaluation, How
from ragbench.judge.base import OpenJudge
from ragbench.measure.base import Reach
from ragbench.measure.case import ChunkedCorpus
from ragbench.pipeline.offline import Built, build
from ragbench.pipeline.online import open_bench
from ragbench.records.question import Question
from ragbench.records.score import Verdict
from ragbench.records.trace import Trace
from ragbench.run.experiment import Experiment
from ragbench.run.provenance import provenance
from ragbench.run.session import EmbedderFellBack, Session
from ragbench.run_dir.write import RunWriter, new_folder


@dataclass(frozen=True)
class RunResult:
    """A finished run. `health` is empty, or says why its figures must not be trusted (exit code 3)."""

    folder: Path
    summary: Mapping[str, Any]
    health: tuple[str, ...]
    stages: Mapping[str, Mapping[str, int]]


def run(experiment: Experiment, session: Session) -> RunResult:
    """Execute one experiment through the session's store and write its run directory."""
    try:
        return _run(experiment, session)
    except EmbedderFellBack:
        return _run(experiment, session)


def _run(experiment: Experiment, session: Session) -> RunResult:
    started = _Stages(session)
    eval_set = session.eval_set(experiment)
    questions = eval_set.of_split(experiment.split)
    corpus = session.corpus(experiment)
    built = build(experiment.pipeline, corpus, session.store, session.embedder(experiment.pipeline.embedder))
    started.mark("build")
    folder = new_folder(experiment.places.runs, experiment.fingerprint()[:8])
    with RunWriter(folder, _manifest(experiment, eval_set, built, len(questions)), experiment.config) as writer:
        scorer = _ask(experiment, session, built, questions, writer)
        started.mark("query", scorer.seconds)
        evaluation = scorer.finish()
        started.mark("evaluate")
        writer.add_corpus(questions, corpus.documents, built.chunks)
        stages = started.counts()
        summary = _summary(experiment, eval_set, built, evaluation, folder.name)
        writer.finish(evaluation.table.to_rows(), summary, {"durations_s": started.durations, "stages": stages})
    return RunResult(folder, summary, evaluation.health, stages)


def _ask(
    experiment: Experiment, session: Session, built: Built, questions: Sequence[Question], writer: RunWriter
) -> RunScorer:
    """Answer, judge, write and score one question after the other; no trace outlives its question."""
    opener = session.embedder(experiment.pipeline.embedder)
    with open_bench(experiment.pipeline, built, session.store, opener) as bench, ExitStack() as stack:
        judge = Judging(experiment, session, stack)
        chunked = ChunkedCorpus(built.corpus.by_id(), built.chunks, bench.chunk_tokens)
        scorer = RunScorer(questions, chunked, _how(experiment))
        for number, trace in enumerate(experiment.pipeline.flow.run(questions, bench)):
            verdict = judge.verdict(questions[number], trace)
            writer.add(trace, verdict)
            scorer.add(trace, verdict)
            session.progress.step("questions", number + 1, len(questions))
        judge.memo.flush()
        return scorer


class _NoVerdict(Exception):
    """A judge that could not tell; raised past the memo, which must not keep it."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__(verdict.error)


class Judging:
    """The judge of an experiment, opened when a verdict is not in the store."""

    def __init__(self, experiment: Experiment, session: Session, stack: ExitStack) -> None:
        self.experiment = experiment
        self.session = session
        self.memo = Memo(session.store.table("verdicts"))
        self._stack = stack
        self._open: OpenJudge | None = None
        space = experiment.pipeline.embedder.fingerprint() if experiment.judge.uses_embedder else ""
        self._recipe = fingerprint(experiment.judge.recipe(), space)

    def verdict(self, question: Question, trace: Trace) -> Verdict | None:
        """The verdict on a trace's answer; None where there is nothing to judge."""
        if trace.answer is None or trace.context is None or not self.experiment.judged:
            return None
        answer, context = trace.answer, trace.context
        blocks = [(block.citation, block.text) for block in context.blocks]
        asked = (question.id, question.question, question.reference)
        key = quick_key("verdict", self._recipe, asked, blocks, answer)

        def compute() -> bytes:
            verdict = self._judge().judge(question, context, answer)
            if verdict.error:
                raise _NoVerdict(verdict)
            return dumps(to_row(verdict))

        try:
            return from_row(Verdict, loads(self.memo.call(key, lambda: compute).value))
        except _NoVerdict as failure:
            return failure.verdict
        except RagbenchError:
            raise
        except Exception as error:  # whatever a judge raises is the verdict's error, counted as FAILED
            return Verdict(
                question.id, self.experiment.judge.NAME, error=" ".join(f"{type(error).__name__}: {error}".split())
            )

    def _judge(self) -> OpenJudge:
        if self._open is None:
            needs = self.experiment.judge.uses_embedder
            embedder = self.session.open_embedder(self.experiment.pipeline.embedder) if needs else None
            tools = Tools(self.session.store, embedder)
            self._open = self._stack.enter_context(self.experiment.judge.open(tools))
        return self._open


def _manifest(experiment: Experiment, eval_set: EvalSet, built: Built, n_questions: int) -> dict[str, Any]:
    corpus = built.corpus
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "fingerprint": experiment.fingerprint(),
        "label": experiment.label,
        "variant": dict(experiment.variant),
        "fallback": list(experiment.fallback),
        "pipeline": experiment.pipeline.recipe(),
        "judge": experiment.judge.recipe(),
        "keys": asdict(built.keys),
        "eval_set": _set_facts(eval_set) | {"split": experiment.split, "path": str(eval_set.folder.resolve())},
        "corpus": {
            "documents": len(corpus.documents),
            "failures": [list(pair) for pair in corpus.failures],
            "skipped": list(corpus.skipped),
            "empty": list(corpus.empty),
        },
        "n_questions": n_questions,
        "runtime": experiment.runtime(),
        "facts": {name: dict(facts) for name, facts in built.facts.items()},
        "provenance": provenance(),
    }


def _how(experiment: Experiment) -> How:
    pipeline = experiment.pipeline
    cuts = pipeline.flow.cuts
    lacking = {Reach.QUERY: not pipeline.query.classifies, Reach.ANSWER: not pipeline.generator.answers}
    return How(
        measures=experiment.measures,
        judged=experiment.judged,
        seed=experiment.seed,
        rules=DiagnosisRules(recall_k=cuts.recall_k, k=cuts.k),
        stages=frozenset(reach for reach in Reach if not lacking.get(reach)),
    )


def _set_facts(eval_set: EvalSet) -> dict[str, Any]:
    state = eval_set.state
    return {
        "name": eval_set.name,
        "version": eval_set.version,
        "lock": state.lock,
        "frozen": state.frozen,
        "text_differs": list(state.text_differs),
    }


def _summary(
    experiment: Experiment, eval_set: EvalSet, built: Built, evaluation: Evaluation, run_id: str
) -> dict[str, Any]:
    folders = [folder for folder in (built.index_folder, built.sparse_folder) if folder]
    index_bytes = sum(
        path.stat().st_size for folder in folders for path in (folder / "data").rglob("*") if path.is_file()
    )
    judged = [name for name in evaluation.summary.overall if name in JUDGED]
    return {
        "run_id": run_id,
        "label": experiment.label,
        "variant": dict(experiment.variant),
        "fallback": list(experiment.fallback),
        "eval_set": _set_facts(eval_set) | {"split": experiment.split},
        "n_questions": len(evaluation.table.questions.subjects),
        **evaluation.to_json(),
        "cost": {
            "latency_ms": evaluation.latency,
            "index_bytes": index_bytes,
            "n_chunks": len(built.chunks),
            "facts": {name: dict(facts) for name, facts in built.facts.items()},
        },
        "judge": {name.partition("/")[2]: experiment.judge.NAME for name in judged if experiment.judged},
        "runtime": experiment.runtime(),
    }


class _Stages:
    """Durations and the stages reused and computed since it was made."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.durations: dict[str, float] = {}
        self._at = time.perf_counter()
        self._reused, self._computed = session.store.reused.copy(), session.store.computed.copy()
        self._embedded = session.texts_embedded()

    def mark(self, name: str, of_next: float = 0.0) -> None:
        """End the stage `name` here; `of_next` seconds of it were work of the next one."""
        now = time.perf_counter()
        self.durations[name] = round(now - self._at - of_next, 4)
        self._at = now - of_next

    def counts(self) -> dict[str, dict[str, int]]:
        """Artifacts reused and computed, and texts embedded, since the start."""
        store = self.session.store
        return {
            "reused": dict(store.reused - self._reused),
            "computed": dict(store.computed - self._computed),
            "embedded": {"texts": self.session.texts_embedded() - self._embedded},
        }
