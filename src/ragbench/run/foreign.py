"""A run directory of a system that is not ours, from what it retrieved and answered."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import yaml

from ragbench.core.fingerprint import fingerprint
from ragbench.eval_set.load import EvalSet
from ragbench.evaluate.foreign import foreign_measures, foreign_reach, foreign_rules
from ragbench.evaluate.scorer import RunScorer
from ragbench.evaluate.summary import Evaluation, How
from ragbench.measure.corpus import ChunkedCorpus
from ragbench.packer.tokens import estimate_tokens
from ragbench.records.question import Question
from ragbench.records.search import Ranked
from ragbench.records.trace import Answer, ContextBlock, PackedContext, Trace, TraceStep
from ragbench.run.experiment import Experiment
from ragbench.run.foreign_placed import ForeignRun, Placed, place_contexts
from ragbench.run.foreign_places import Place, numbers_of
from ragbench.run.judge_facts import judge_facts
from ragbench.run.judging import Judging
from ragbench.run.provenance import provenance
from ragbench.run.runner import RunResult
from ragbench.run.session import Session
from ragbench.run.set_facts import set_facts
from ragbench.run_dir.foreign import FOREIGN, keep_outside
from ragbench.run_dir.write import RunWriter, new_folder

_CONFIG = ("eval_set", "corpus", "judge", "split", "seed", "questions", "context", "report", "allowed_targets")
"""Parts of the configuration that say how a foreign run is measured."""


def write_foreign(
    foreign: ForeignRun, experiment: Experiment, session: Session, measures: Sequence[str] | None
) -> RunResult:
    """Score it on the eval set of the experiment, of which nothing but set, loader, judge, split and seed is read, and
    write its run directory.

    A question of the split that it has no line of is absent: it counts as worst. Raises Problems for contexts that name
    what the corpus does not have, and ConfigError for measures of what is not known.
    """
    if foreign.judged is None:
        eval_set, documents = session.eval_set(experiment), session.corpus(experiment).by_id()
    else:
        eval_set, documents = foreign.judged[0], dict(foreign.judged[1])
    questions = experiment.questions_of(eval_set)
    placed = place_contexts(foreign, questions, eval_set, documents)
    names = foreign_measures(placed.facts, measures, experiment.judge.measures)
    print_of = fingerprint("foreign", foreign.digest, foreign.k, eval_set.state.lock, experiment.judge.recipe(), names)
    folder = new_folder(experiment.places.runs, print_of[:8])
    manifest = _manifest(foreign, experiment, eval_set, placed, len(questions)) | {"fingerprint": print_of}
    config = _config(experiment, names, placed.facts)
    with RunWriter(folder, manifest, config) as writer:
        started = time.perf_counter()
        evaluation = _scored(placed, experiment, session, questions, names, writer)
        writer.add_corpus(questions, list(placed.documents.values()), placed.chunks)
        keep_outside(folder, placed.outside.values())
        summary = _summary(foreign, experiment, eval_set, placed, evaluation, folder.name)
        done = {"durations_s": {"evaluate": round(time.perf_counter() - started, 3)}, "stages": {}}
        writer.finish(evaluation.table.to_lines(), summary, done)
    return RunResult(folder, summary, evaluation.health, {})


def _scored(
    placed: Placed,
    experiment: Experiment,
    session: Session,
    questions: Sequence[Question],
    names: Sequence[str],
    writer: RunWriter,
) -> Evaluation:
    tokens = estimate_tokens([chunk.text for chunk in placed.chunks])
    corpus = ChunkedCorpus(placed.documents, placed.chunks, tokens)
    how = How(
        measures=tuple(names),
        judged=experiment.judge.measures,
        seed=experiment.seed,
        rules=foreign_rules(placed.facts),
        stages=foreign_reach(placed.facts),
    )
    scorer = RunScorer(questions, corpus, how)
    with ExitStack() as stack:
        judge = Judging(experiment, session, stack)
        asked = ((question, placed) for question in questions if question.id in placed.rows)
        for number, (trace, verdict) in enumerate(judge.each(_traces(asked, tokens))):
            writer.add(trace, verdict)
            scorer.add(trace, verdict)
            session.progress.step("questions", number + 1, len(placed.rows))
        judge.memo.flush()
    return replace(scorer.finish(), latency={})  # its times are not known, and 0 ms would be one


def _traces(asked: Iterator[tuple[Question, Placed]], tokens: Sequence[int]) -> Iterator[tuple[Question, Trace]]:
    numbers: dict[Place, int] = {}
    for question, placed in asked:
        numbers = numbers or numbers_of(placed.chunks)
        row, own = placed.rows[question.id]
        ranking = tuple(
            Ranked(numbers[place], 1.0 / rank if score is None else score, rank)
            for rank, (place, _, score) in enumerate(own, 1)
        )
        read = own[: placed.facts["k"]]
        blocks = tuple(
            ContextBlock(
                at, *place, (numbers[place],), text or placed.chunks[numbers[place]].text, tokens[numbers[place]]
            )
            for at, (place, text, _) in enumerate(read, 1)
        )
        size = sum(block.tokens for block in blocks)
        yield (
            question,
            Trace(
                question.id,
                steps=(TraceStep(fused=ranking, reranked=ranking, more=True),),
                context=PackedContext(blocks, size, size) if placed.facts["answers"] else None,
                answer=None if row.answer is None else Answer(row.answer, refused=bool(row.refused)),
            ),
        )


def _manifest(
    foreign: ForeignRun, experiment: Experiment, eval_set: EvalSet, placed: Placed, n_questions: int
) -> dict[str, Any]:
    path = str(eval_set.folder.resolve()) if foreign.judged is None else None
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "label": foreign.label,
        "variant": {"variant": foreign.label},
        "judge": experiment.judge.recipe(),
        "eval_set": set_facts(experiment, eval_set) | {"path": path},
        "corpus": {"documents": placed.facts["n_documents"]},
        "n_questions": n_questions,
        "facts": {},
        "provenance": provenance() | {"origin": FOREIGN},
        FOREIGN: dict(placed.facts),
    }


def _config(experiment: Experiment, names: Sequence[str], facts: Mapping[str, Any]) -> str:
    data = yaml.safe_load(experiment.config)
    kept = {key: data.get(key) for key in _CONFIG} | {"measures": list(names), FOREIGN: dict(facts)}
    return yaml.safe_dump(kept, allow_unicode=True, sort_keys=False)


def _summary(
    foreign: ForeignRun,
    experiment: Experiment,
    eval_set: EvalSet,
    placed: Placed,
    evaluation: Evaluation,
    run_id: str,
) -> dict[str, Any]:
    judged = [name for name in evaluation.summary.overall if name in experiment.judge.measures]
    return {
        "run_id": run_id,
        "label": foreign.label,
        "variant": {"variant": foreign.label},
        "fallback": [],
        "oracle": [],
        "eval_set": set_facts(experiment, eval_set),
        "n_questions": len(evaluation.table.questions.subjects),
        **evaluation.to_json(),
        "cost": {"latency_ms": {}, "facts": {}},
        "judge": {name.partition("/")[2]: experiment.judge.title for name in judged},
        "judge_card": judge_facts(experiment, eval_set) if judged else None,
        "runtime": None,
        FOREIGN: dict(placed.facts),
    }
