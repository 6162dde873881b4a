"""What the variants of one process share: the store, loaded corpora and eval sets, the open embedder."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from ragbench.core.store import Store
from ragbench.core.workers import TextEmbedder
from ragbench.embedder.base import Embedder
from ragbench.embedder.cached import CachedEmbedder
from ragbench.errors import StartAgain
from ragbench.eval_set.load import EvalSet, load_eval_set
from ragbench.eval_set.source import CORPUS
from ragbench.pipeline import offline
from ragbench.pipeline.offline import Corpus
from ragbench.run.experiment import Experiment
from ragbench.run.progress import Progress


class EmbedderFellBack(StartAgain):
    """The embedder runs otherwise than its recipe said; keys made before it opened name the wrong vector space."""


class Session:
    """Shared resources of a run or sweep; a context manager.

    Nothing is loaded before it is needed, and nothing twice.
    """

    def __init__(self, store: Store, progress: Progress | None = None) -> None:
        self.store = store
        self.progress = progress or Progress(quiet=True)
        self._stack = ExitStack()
        self._corpora: dict[tuple[str, str], Corpus] = {}
        self._sets: dict[tuple[str, str], EvalSet] = {}
        self._embedders: dict[str, CachedEmbedder] = {}

    def __enter__(self) -> Self:
        gc.freeze()  # modules and configurations outlive the session: the collector need not walk them again and again
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        gc.unfreeze()
        self._stack.close()
        self.store.close()

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

    def notes(self) -> list[str]:
        """What a user should know besides the figures: what was repaired, and files of a corpus that were not used."""
        lost = [
            f"{len(corpus.failures)} file{'s' if len(corpus.failures) > 1 else ''} of {corpus.folder} not used, "
            f"{len(corpus.documents)} used; the first: {corpus.failures[0][0]}: {corpus.failures[0][1]}"
            for corpus in self._corpora.values()
            if corpus.failures
        ]
        return [*self.store.repaired, *lost]

    def texts_embedded(self) -> int:
        """Texts really computed so far, over all embedders."""
        return sum(embedder.n_embedded for embedder in self._embedders.values())
