"""What the variants of one process share: the store, loaded corpora and eval sets, the open embedder."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from ragbench.core.recent import Memory
from ragbench.core.store import Store
from ragbench.core.workers import TextEmbedder
from ragbench.corpus.loader import warnings_of
from ragbench.embedder.base import Embedder
from ragbench.embedder.cached import CachedEmbedder
from ragbench.errors import StartAgain
from ragbench.eval_set.load import EvalSet, load_eval_set
from ragbench.eval_set.source import CORPUS, LOCK
from ragbench.llm.calls import ModelCalls
from ragbench.llm.settings import CallSettings
from ragbench.pipeline import offline
from ragbench.pipeline.offline import Built, Corpus
from ragbench.pipeline.online import OnlineBench, open_bench
from ragbench.run.answer_likeness import AnswerCosines
from ragbench.run.experiment import Experiment
from ragbench.run.progress import Progress
from ragbench.run.sentence_similarity import SentenceCosines

T = TypeVar("T")
_YOUNG = 200_000
"""New objects between two collections."""


class EmbedderFellBack(StartAgain):
    """The embedder runs otherwise than its recipe said; keys made before it opened name the wrong vector space."""


@dataclass(frozen=True)
class Ahead:
    """What was made for a run before it began: artifacts by kind, texts embedded by purpose, seconds of the build."""

    computed: Counter[str] = field(default_factory=Counter)
    embedded: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


class Session:
    """Shared resources of a run or sweep; a context manager.

    Nothing is loaded before it is needed, and nothing twice.
    """

    def __init__(self, store: Store, progress: Progress | None = None) -> None:
        self.store = store
        self.progress = progress or Progress(quiet=True)
        self.memory = Memory(keep=False)
        self.made_ahead: dict[str, Ahead] = {}
        self._stack = ExitStack()
        self._known: dict[Hashable, Any] = {}
        self._corpora: dict[tuple[str, str], Corpus] = {}
        self._sets: dict[tuple[str, str], EvalSet] = {}
        self._embedders: dict[str, CachedEmbedder] = {}
        self._similarities: dict[str, SentenceCosines] = {}
        self._likenesses: dict[str, AnswerCosines] = {}
        self._models: dict[CallSettings, ModelCalls] = {}

    def __enter__(self) -> Self:
        # Modules and configurations outlive the session: the collector need not walk them again and again, nor run
        # after every few hundred of the many small records of a run, hardly any of which lie on a cycle.
        gc.freeze()
        self._thresholds = gc.get_threshold()
        gc.set_threshold(_YOUNG, *self._thresholds[1:])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        gc.set_threshold(*self._thresholds)
        gc.unfreeze()
        self._stack.close()
        self.store.close()

    @contextmanager
    def sharing(self) -> Iterator[None]:
        """While it lasts, variants take results over from each other: more memory, less work."""
        self.memory = Memory()
        try:
            yield
        finally:
            self.memory = Memory(keep=False)

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives; it is called once a key and session."""
        if key not in self._known:
            self._known[key] = make()
        found: T = self._known[key]
        return found

    def corpus(self, experiment: Experiment) -> Corpus:
        """The experiment's corpus."""
        folder = experiment.source.folder() / CORPUS
        place = (str(folder.resolve()), experiment.loader.fingerprint())
        if place not in self._corpora:
            self._corpora[place] = offline.load(folder, experiment.loader, self.store)
        return self._corpora[place]

    def eval_set(self, experiment: Experiment) -> EvalSet:
        """The experiment's questions, located in its corpus."""
        corpus = self.corpus(experiment)
        place = (str(corpus.folder), corpus.key)
        if place not in self._sets:
            folder = experiment.source.folder()
            self._sets[place] = load_eval_set(experiment.source.title(), folder, corpus.documents)
        return self._sets[place]

    def embedder(self, recipe: Embedder) -> Callable[[], TextEmbedder]:
        """A function that opens the embedder at its first call and gives the same open one ever after."""

        def opened() -> TextEmbedder:
            return self.open_embedder(recipe)

        return opened

    def open_embedder(self, recipe: Embedder) -> CachedEmbedder:
        """The open embedder of a recipe.

        Raises EmbedderFellBack, once, when it opened in another vector space than its recipe named; the recipe names
        the right one from then on.
        """
        key = recipe.fingerprint()
        if key not in self._embedders:
            worker = self._stack.enter_context(recipe.open())
            opened = CachedEmbedder(worker, self.store, progress=self.progress.callback("embed"))
            self._embedders[worker.space] = opened
            if worker.space != key:
                raise EmbedderFellBack(f"{type(recipe).__name__}: now runs as {recipe.identity()}. Start again.")
        return self._embedders[key]

    def models(self, experiment: Experiment) -> ModelCalls:
        """The language models of this process, with its budget; nothing is opened before a stage asks for it."""
        settings = experiment.calls
        if settings not in self._models:
            self._models[settings] = self._stack.enter_context(ModelCalls(self.store, settings))
        return self._models[settings]

    def bench(self, experiment: Experiment, built: Built) -> AbstractContextManager[OnlineBench]:
        """The online half of a built variant, with everything that this session shares."""
        opener, models = self.embedder(experiment.pipeline.embedder), self.models(experiment)
        return open_bench(experiment.pipeline, built, self.store, opener, self.memory, models)

    def sentence_similarity(self, experiment: Experiment) -> SentenceCosines | None:
        """How alike neighbouring sentences are; None where no measure asks for it or the embedder is not installed."""
        recipe = experiment.pipeline.embedder
        if not experiment.compares_sentences or not recipe.installed:
            return None
        opened = self.open_embedder(recipe)
        if opened.space not in self._similarities:
            self._similarities[opened.space] = SentenceCosines(opened.counted_as("coherence"))
        return self._similarities[opened.space]

    def answer_likeness(self, experiment: Experiment) -> AnswerCosines | None:
        """How alike answer and reference are; None where nothing else of the experiment needs the embedder, or it is
        not installed."""
        recipe = experiment.pipeline.embedder
        if not (experiment.pipeline.generator.answers and experiment.needs_embedder and recipe.installed):
            return None
        opened = self.open_embedder(recipe)
        if opened.space not in self._likenesses:
            self._likenesses[opened.space] = AnswerCosines(opened.counted_as("correctness"))
        return self._likenesses[opened.space]

    def notes(self) -> list[str]:
        """What a user should know besides the figures: what was repaired, files of a corpus that were not used, and
        what its loaders warned of; of an eval set that is frozen not, because nobody may change its documents: the
        report and `ragbench corpus check` show it."""
        lost = [
            f"{len(corpus.failures)} file{'s' if len(corpus.failures) > 1 else ''} of {corpus.folder} not used, "
            f"{len(corpus.documents)} used; the first: {corpus.failures[0][0]}: {corpus.failures[0][1]}"
            for corpus in self._corpora.values()
            if corpus.failures
        ]
        doubtful = [
            f"{len(said)} warning{'s' if len(said) > 1 else ''} on documents of {corpus.folder} (ragbench corpus check "
            f"shows them); the first: {said[0][0]}: {said[0][1]}"
            for corpus in self._corpora.values()
            if not (Path(corpus.folder).parent / LOCK).is_file() and (said := warnings_of(corpus.documents))
        ]
        return [*self.store.repaired, *lost, *doubtful]

    def texts_embedded(self) -> Counter[str]:
        """Texts really computed so far over all embedders, by what they were wanted for."""
        return sum((embedder.computed for embedder in self._embedders.values()), Counter[str]())
