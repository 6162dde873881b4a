"""A run directory of a system that is not ours, from what it retrieved and answered."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from ragbench.core.fingerprint import fingerprint
from ragbench.eval_set.load import EvalSet
from ragbench.eval_set.original_ids import read_original_ids
from ragbench.evaluate.foreign import foreign_measures, foreign_reach, foreign_rules
from ragbench.evaluate.scorer import RunScorer
from ragbench.evaluate.summary import Evaluation, How
from ragbench.measure.corpus import ChunkedCorpus
from ragbench.packer.tokens import estimate_tokens
from ragbench.records.document import Chunk, Document
from ragbench.records.question import Question
from ragbench.records.search import Ranked
from ragbench.records.trace import Answer, ContextBlock, PackedContext, Trace, TraceStep
from ragbench.run.experiment import Experiment
from ragbench.run.foreign_places import Place, Places, chunks_of, numbers_of
from ragbench.run.foreign_rows import ForeignRow, refuse
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


@dataclass(frozen=True)
class ForeignRun:
    """What another system made: `file` is where it stood, `label` its name, `k` the contexts that its generator read
    (None: all), `rows` its lines. `judged` is the set that it answers where there is no folder of one: questions, and
    documents by id."""

    file: Path
    kind: str
    label: str
    digest: str
    rows: Sequence[ForeignRow]
    k: int | None = None
    judged: tuple[EvalSet, Mapping[str, Document]] | None = None


@dataclass(frozen=True)
class _Placed:
    """Lines of questions that are asked, with the places of their contexts; `texts` are those that the system saw."""

    rows: Mapping[str, tuple[ForeignRow, list[tuple[Place, str | None, float | None]]]]
    chunks: Sequence[Chunk]
    documents: Mapping[str, Document]
    outside: Mapping[str, Document]
    facts: Mapping[str, Any]


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
    placed = _place(foreign, questions, eval_set, documents)
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


def _place(
    foreign: ForeignRun, questions: Sequence[Question], eval_set: EvalSet, documents: Mapping[str, Document]
) -> _Placed:
    original = {name: doc for doc, name in read_original_ids(eval_set.folder).items()}
    finder, problems = Places(documents, original), []
    asked = {question.id for question in questions}
    rows: dict[str, tuple[ForeignRow, list[tuple[Place, str | None, float | None]]]] = {}
    counts = dict.fromkeys(("n_contexts", "n_blank", "n_duplicates", "n_outside"), 0)
    for row in foreign.rows:
        if row.question_id not in asked:
            continue
        found: dict[Place, tuple[Place, str | None, float | None]] = {}
        for at, context in enumerate(row.contexts):
            place = finder.of(context)
            if isinstance(place, str):
                problems.append(f"{row.where}: contexts[{at}]: {place}")
                continue
            counts["n_contexts"] += 1
            counts["n_blank" if place is None else "n_duplicates"] += place is None or place in found
            if place is not None:
                counts["n_outside"] += place not in found and place[0] in finder.outside
                found.setdefault(place, (place, context.text, context.score))
        rows[row.question_id] = (row, list(found.values()))
    refuse(foreign.file, problems)
    known = {**documents, **finder.outside}
    chunks = chunks_of((place for _, own in rows.values() for place, *_ in own), known)
    facts = {
        "kind": foreign.kind,
        "unit": "whole documents" if foreign.kind == "trec" else None,
        "file": foreign.file.name,
        "sha256": foreign.digest,
        "k": foreign.k,
        "depth": max((len(own) for _, own in rows.values()), default=0),
        "answers": any(row.answer is not None for row, _ in rows.values()),
        "refusals": any(row.refused is not None for row, _ in rows.values()),
        "n_documents": len(documents),
        "n_lines": len(foreign.rows),
        "n_other_split": len(foreign.rows) - len(rows),
        "n_absent": len(asked) - len(rows),
        **counts,
        "n_spaced": len(finder.spaced),
        "n_several": len(finder.several),
        "outside": [" ".join(one.text.split())[:80] for one in list(finder.outside.values())[:3]],
    }
    return _Placed(rows, chunks, known, finder.outside if foreign.judged is None else known, facts)


def _scored(
    placed: _Placed,
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


def _traces(asked: Iterator[tuple[Question, _Placed]], tokens: Sequence[int]) -> Iterator[tuple[Question, Trace]]:
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
    foreign: ForeignRun, experiment: Experiment, eval_set: EvalSet, placed: _Placed, n_questions: int
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
    placed: _Placed,
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
