"""A finished run scored again, with other measures: from its stored traces, without a search or a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ragbench.core.store import Store
from ragbench.errors import ConfigError, DataError
from ragbench.eval_set.lock import check_lock
from ragbench.eval_set.source import CORPUS
from ragbench.evaluate.defaults import DEFAULT, named
from ragbench.evaluate.diagnose import DiagnosisRules
from ragbench.evaluate.foreign import foreign_measures, foreign_reach, foreign_rules
from ragbench.evaluate.scorer import RunScorer
from ragbench.evaluate.summary import Evaluation, How
from ragbench.judge.base import Judge
from ragbench.measure.base import Reach
from ragbench.measure.case import Case, CaseMaker
from ragbench.measure.corpus import ChunkedCorpus
from ragbench.measure.gold import Gold
from ragbench.measure.provided import BY_VECTORS, WindowUse
from ragbench.measure.registry import measures
from ragbench.packer.tokens import estimate_tokens
from ragbench.pipeline import offline
from ragbench.run.added_fields import with_added_fields
from ragbench.run.build import instantiate
from ragbench.run.refusal_scores import best_relevance_threshold
from ragbench.run_dir.foreign import foreign_facts, outside_documents
from ragbench.run_dir.read import RunDir
from ragbench.splitter.chunking import chunks_from_rows
from ragbench.splitter.prefix import ContextPrefix


@dataclass(frozen=True, eq=False)
class StoredRun:
    """A finished run with the texts it was made on: what its measures read."""

    run: RunDir
    config: dict[str, Any]
    corpus: ChunkedCorpus

    @property
    def judged(self) -> tuple[str, ...]:
        """The measures that its judge gives."""
        judge: Judge = instantiate(self.config["judge"], "judge", _allowed(self.config))
        return judge.measures

    @property
    def foreign(self) -> Mapping[str, Any] | None:
        """What a run of another's system was made of; None for a run of ours."""
        return foreign_facts(self.run)

    @property
    def rules(self) -> DiagnosisRules:
        """The cut-offs that its questions are diagnosed by."""
        if self.foreign is not None:
            return foreign_rules(self.foreign)
        cuts = self._stage("flow").cuts
        return DiagnosisRules(recall_k=cuts.recall_k, k=cuts.k)

    def how(self, names: Sequence[str] | None) -> How:
        """How the run was measured, with the measures `names` (None: its own but for those that read vectors).

        Raises ConfigError for a measure that there is none of, that a judge was not asked for, or that needs a model.
        """
        if self.foreign is not None:
            return self._how_foreign(self.foreign, names)
        asked = self.config.get("measures") or DEFAULT if names is None else names
        chosen = named([asked] if isinstance(asked, str) else asked, self.judged)
        if names is None:
            chosen = [name for name in chosen if name not in BY_VECTORS]
        _refuse(chosen, self.run, self.judged)
        query, generator = (self._stage(slot) for slot in ("query", "generator"))
        lacking = {Reach.QUERY: not query.classifies, Reach.ANSWER: not generator.answers}
        return How(
            measures=tuple(chosen),
            judged=self.judged,
            seed=self.config["seed"],
            rules=self.rules,
            stages=frozenset(reach for reach in Reach if not lacking.get(reach)),
            refuse_below=generator.threshold,
            min_max=best_relevance_threshold(generator, self._stage("reranker"), self._stage("flow")),
        )

    def _how_foreign(self, facts: Mapping[str, Any], names: Sequence[str] | None) -> How:
        chosen = foreign_measures(facts, self.config["measures"] if names is None else names, self.judged)
        _refuse(chosen, self.run, self.judged)
        reach = foreign_reach(facts)
        return How(tuple(chosen), self.judged, self.config["seed"], self.rules, reach)

    def cases(self) -> Iterator[Case]:
        """One case a question of the run with its verdict, in order; a question without a trace is absent."""
        questions = list(self.run.questions.values())
        verdicts = self.run.verdicts()
        traces = {trace.question_id: trace for trace in self.run.traces()}
        maker = CaseMaker(Gold(questions, self.corpus), frozenset(Reach))
        for number, question in enumerate(questions):
            yield maker.case(number, traces.get(question.id), verdicts.get(question.id))

    def _stage(self, slot: str) -> Any:
        node = with_added_fields(self.config["pipeline"][slot])
        return instantiate(node, f"pipeline.{slot}", _allowed(self.config))


def open_run(folder: Path, store: Store) -> StoredRun:
    """A finished run, its corpus taken from the store or read again.

    Raises DataError when the eval set is gone or is not the one the run was made on, and Problems when a frozen set was
    changed.
    """
    run = RunDir(folder)
    config = yaml.safe_load(run.config)
    documents = _corpus(run, config, store).by_id() | outside_documents(run)
    cut = chunks_from_rows(run.chunk_rows(), documents)
    chunks = ContextPrefix(kind=str(config.get("context"))).apply(cut, documents)
    window = run.manifest["facts"].get("index", {}).get("window")
    tokens = estimate_tokens([chunk.text for chunk in chunks])
    return StoredRun(run, config, ChunkedCorpus(documents, chunks, tokens, WindowUse(**window) if window else None))


def rescore(stored: StoredRun, names: Sequence[str] | None = None) -> Evaluation:
    """Aggregates of a stored run for the measures `names`; None: those it was run with."""
    run = stored.run
    scorer = RunScorer(list(run.questions.values()), stored.corpus, stored.how(names))
    verdicts = run.verdicts()
    for trace in run.traces():
        scorer.add(trace, verdicts.get(trace.question_id))
    return scorer.finish()


def _corpus(run: RunDir, config: dict[str, Any], store: Store) -> offline.Corpus:
    facts = run.manifest["eval_set"]
    if facts["path"] is None:  # of judgements alone: all that there is lies in the run
        return offline.Corpus(key="", folder=run.folder, documents=())
    folder = Path(facts["path"])
    title = f"eval set {facts['name']}/{facts['version']} of run {run.run_id}"
    again = "Run it again on the set as it is now."
    if not (folder / CORPUS).is_dir():
        raise DataError(title, expected=f"its folder {folder}", found="no such folder", hint=again)
    loader = instantiate(config["corpus"], "corpus", _allowed(config))
    corpus = offline.load(folder / CORPUS, loader, store)
    lock = check_lock(folder, corpus.documents).lock
    if lock != facts["lock"]:
        raise DataError(
            title, expected=f"the content it was run on, {facts['lock'][:19]}", found=f"{lock[:19]} now", hint=again
        )
    return corpus


def _allowed(config: dict[str, Any]) -> list[str]:
    return ["ragbench.", *(config.get("allowed_targets") or [])]


def _refuse(names: Sequence[str], run: RunDir, judged: Sequence[str]) -> None:
    for measure in measures(names):
        if measure.name in BY_VECTORS:
            hint = f"Ask for it in a run: ragbench run 'measures=[default,{measure.name}]'"
            raise ConfigError(measure.name, expected="a measure of stored traces", found="one of vectors", hint=hint)
        if measure.judged and measure.name not in judged:
            other = "Its judge does not give it" if judged else "Its answers were not judged"
            hint = f"{other}: run it again with a judge that does."
            raise ConfigError(measure.name, expected=f"verdicts in run {run.run_id}", found="none", hint=hint)
