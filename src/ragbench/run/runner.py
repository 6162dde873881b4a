"""One run: build, query, judge, evaluate, write, deliver."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ragbench.corpus.loader import warnings_of
from ragbench.eval_set.load import EvalSet
from ragbench.evaluate.defaults import largest_budget
from ragbench.evaluate.diagnose import DiagnosisRules
from ragbench.evaluate.health import reranking_problems
from ragbench.evaluate.scorer import RunScorer
from ragbench.evaluate.stage_effect import Compared, add_counts
from ragbench.evaluate.summary import Evaluation, How
from ragbench.findings.find import KEPT
from ragbench.findings.variant import Values, block_values
from ragbench.measure.base import Reach
from ragbench.pipeline.deepening import DEEPER, Deepening
from ragbench.pipeline.offline import Built, build
from ragbench.pipeline.online import OnlineBench
from ragbench.pipeline.untransformed import Untransformed, transforms
from ragbench.records.question import Question
from ragbench.records.search import SearchRequest
from ragbench.reranker.none import NoneReranker
from ragbench.run.experiment import Experiment
from ragbench.run.gold import gold_of
from ragbench.run.judge_facts import judge_facts
from ragbench.run.judging import Judging
from ragbench.run.model_costs import ModelCosts
from ragbench.run.provenance import provenance
from ragbench.run.refusal_scores import best_relevance_threshold
from ragbench.run.reuse import STAGES, may_be_taken_over, remember, run_key, taken_over
from ragbench.run.seen_in_training import seen_in_training
from ragbench.run.session import EmbedderFellBack, Session
from ragbench.run.set_facts import set_facts
from ragbench.run.stage_counts import StageCounts
from ragbench.run_dir.write import RunWriter, new_folder
from ragbench.splitter.watch import watched

RRF_K = 60.0
"""Joins several lists of one route where the retriever has no constant of its own."""


@dataclass(frozen=True)
class RunResult:
    """A finished run. `health` is empty, or says why its figures must not be trusted (exit code 3); `values` are those
    by question that a sweep compares, None where they were not computed here."""

    folder: Path
    summary: Mapping[str, Any]
    health: tuple[str, ...]
    stages: Mapping[str, Mapping[str, int]]
    values: Mapping[str, Values] | None = None


def run(experiment: Experiment, session: Session) -> RunResult:
    """Execute one experiment through the session's store and write its run directory; a finished run of the same code,
    configuration and data is taken over, unless the experiment says otherwise."""
    try:
        return _run_or_reuse(experiment, session)
    except EmbedderFellBack:
        return _run_or_reuse(experiment, session)


def _run_or_reuse(experiment: Experiment, session: Session) -> RunResult:
    if not may_be_taken_over(experiment):
        return _run(experiment, session)
    key = run_key(experiment, session)
    found = taken_over(key, experiment, session)
    if found is not None:
        return RunResult(*found, health=(), stages=STAGES)
    done = _run(experiment, session)
    remember(key, done.folder, session)
    return done


def _run(experiment: Experiment, session: Session) -> RunResult:
    started = StageCounts(session, experiment.fingerprint())
    eval_set = session.eval_set(experiment)
    questions = experiment.questions_of(eval_set)
    corpus = session.corpus(experiment)
    with watched(session.progress.callback("chunk")):
        opener = session.embedder(experiment.pipeline.embedder)
        built = build(experiment.pipeline, corpus, session.store, opener, session.memory)
    started.mark("build")
    folder = new_folder(experiment.places.runs, experiment.fingerprint()[:8])
    manifest = _manifest(experiment, eval_set, built, len(questions))
    with RunWriter(folder, manifest, experiment.config, session.memory) as writer:
        costs = ModelCosts(experiment, session, len(questions))
        scorer, facts = _ask(experiment, session, built, (questions, costs), writer)
        started.mark("query", scorer.seconds)
        evaluation = scorer.finish()
        unranked = reranking_problems(facts.get("reranker", {}), len(questions))
        evaluation = replace(evaluation, health=(*evaluation.health, *unranked, *costs.problems()))
        started.mark("evaluate")
        writer.add_corpus(questions, corpus.documents, built.chunks, built.chunk_rows)
        stages = started.counts()
        summary = _summary(experiment, eval_set, built, evaluation, folder.name)
        summary["query"]["not_held_out"] = seen_in_training(experiment, eval_set, questions)
        summary["cost"]["facts"] |= facts
        summary["cost"]["models"], sent = costs.told()
        summary["cost"] |= {"notes": notes} if (notes := costs.notes()) else {}
        stages = {**stages, "models": sent} if sent else stages
        add_counts(summary["stages"], facts.get("reranker", {}))
        writer.finish(evaluation.table.to_lines(), summary, {"durations_s": started.durations, "stages": stages})
    return RunResult(folder, summary, evaluation.health, stages, block_values(evaluation.table.questions, KEPT))


def _ask(
    experiment: Experiment,
    session: Session,
    built: Built,
    asked: tuple[Sequence[Question], ModelCosts],
    writer: RunWriter,
) -> tuple[RunScorer, dict[str, Any]]:
    """Answer, judge, write and score one question after the other; no trace outlives its question, but for those whose
    answers a judge's model is being asked about at a time.

    Beside the scorer: what the open stages counted, by stage.
    """
    questions, costs = asked
    with session.bench(experiment, built) as bench, ExitStack() as stack:
        judge = Judging(experiment, session, stack)
        gold = gold_of(experiment, session, built, questions, bench.chunk_tokens)
        scorer = RunScorer(questions, gold.corpus, _how(experiment), gold)
        deepening = _deepening(experiment, session, bench)
        pipeline = experiment.pipeline
        alike = bench.alike if "dense" in pipeline.routes else None
        typed = Untransformed(bench, pipeline.flow.cuts.pool_depth, alike) if transforms(pipeline) else None
        if typed is None:
            bench.lists.expect(map(SearchRequest.of, questions), pipeline.flow.cuts.pool_depth)
        asked_now = zip(questions, pipeline.flow.run(questions, bench), strict=True)
        traces = ((one, deepening.of(found if typed is None else typed.of(one, found))) for one, found in asked_now)
        for number, (trace, verdict) in enumerate(judge.each(traces)):
            writer.add(trace, verdict)
            scorer.add(trace, verdict)
            costs.add(trace)
            session.progress.step("questions", number + 1, len(questions))
        judge.memo.flush()
        counted = {"reranker": bench.reranking.facts, **costs.facts()}
        return scorer, {slot: facts for slot, facts in counted.items() if facts}


def _deepening(experiment: Experiment, session: Session, bench: OnlineBench) -> Deepening:
    """What continues lists that are too short for the largest context budget that is measured."""
    depth, budget = experiment.pipeline.flow.cuts.pool_depth, largest_budget(experiment.measures)
    return Deepening(bench, bench.chunk_tokens, budget, depth, session.memory.of("deeper", DEEPER))


def _manifest(experiment: Experiment, eval_set: EvalSet, built: Built, n_questions: int) -> dict[str, Any]:
    corpus = built.corpus
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "fingerprint": experiment.fingerprint(),
        "label": experiment.label,
        "variant": dict(experiment.variant),
        "fallback": list(experiment.fallback),
        "overrides": [one for one in experiment.overrides if not one.startswith("paths.")],
        "pipeline": experiment.pipeline.recipe(),
        "judge": experiment.judge.recipe(),
        "keys": asdict(built.keys),
        "eval_set": set_facts(experiment, eval_set) | {"path": str(eval_set.folder.resolve())},
        "corpus": {
            "documents": len(corpus.documents),
            "failures": [list(pair) for pair in corpus.failures],
            "skipped": list(corpus.skipped),
            "empty": list(corpus.empty),
            "warnings": [list(pair) for pair in warnings_of(corpus.documents)],
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
        judged=experiment.judge.measures,
        seed=experiment.seed,
        rules=DiagnosisRules(recall_k=cuts.recall_k, k=cuts.k),
        stages=frozenset(reach for reach in Reach if not lacking.get(reach)),
        compared=Compared(
            reranks=not isinstance(pipeline.reranker, NoneReranker),
            routes=pipeline.routes,
            rrf_k=getattr(pipeline.retriever, "rrf_k", RRF_K),
            transforms=transforms(pipeline),
        ),
        refuse_below=pipeline.generator.threshold,
        min_max=best_relevance_threshold(pipeline.generator, pipeline.reranker, pipeline.flow),
    )


def _summary(
    experiment: Experiment, eval_set: EvalSet, built: Built, evaluation: Evaluation, run_id: str
) -> dict[str, Any]:
    folders = [folder for folder in (built.index_folder, built.sparse_folder) if folder]
    index_bytes = sum(
        path.stat().st_size for folder in folders for path in (folder / "data").rglob("*") if path.is_file()
    )
    judged = [name for name in evaluation.summary.overall if name in experiment.judge.measures]
    return {
        "run_id": run_id,
        "label": experiment.label,
        "variant": dict(experiment.variant),
        "fallback": list(experiment.fallback),
        "oracle": experiment.pipeline.oracles,
        "eval_set": set_facts(experiment, eval_set),
        "n_questions": len(evaluation.table.questions.subjects),
        **evaluation.to_json(),
        "cost": {
            "latency_ms": evaluation.latency,
            "index_bytes": index_bytes,
            "n_chunks": len(built.chunks),
            "facts": {name: dict(facts) for name, facts in built.facts.items()},
        },
        "judge": {name.partition("/")[2]: experiment.judge.title for name in judged},
        "judge_card": judge_facts(experiment, eval_set),
        "runtime": experiment.runtime(),
    }
