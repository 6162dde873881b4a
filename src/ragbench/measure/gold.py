"""The evidence of a fixed population over one chunk set, and what was read off rankings of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any

from ragbench.core.recent import Recent
from ragbench.errors import Problems
from ragbench.eval_set.align import Evidence
from ragbench.eval_set.coverage import Alignment
from ragbench.measure.base import Population
from ragbench.measure.corpus import ChunkedCorpus
from ragbench.measure.view import RankedView, group_ranks, ranked_view
from ragbench.records.question import Question
from ragbench.records.search import Ranking, RouteList

_RANKS = 1 << 19
"""Ranks of all views that are kept."""
_ROWS = 1 << 14
"""Rows of cells."""
EVIDENCE = 1 << 12
"""Questions."""
_CHUNK = itemgetter(0)
"""Of a `Ranked`, which there are a hundred of in each ranking."""


class Gold:
    """What cases of one population over one chunk set have in common; variants and threads may share it.

    With `keep`, what was read off a ranking is kept for the next variant and found again by the very ranking object:
    variants that differ in a cut-off share rankings. `evidence` is that of the same questions in the same documents, by
    row, where other chunk sets share it. Raises Problems naming every doubled question.
    """

    def __init__(
        self,
        questions: Sequence[Question],
        corpus: ChunkedCorpus,
        keep: bool = False,
        evidence: Recent[Evidence] | None = None,
    ) -> None:
        problems = doubled("question", [question.id for question in questions])
        if problems:
            raise Problems("questions", problems)
        self.questions = questions
        self.corpus = corpus
        self.keep = keep
        self.alignment = Alignment(questions, corpus.chunks, corpus.documents)
        self.documents: dict[tuple[str, ...], Any] = {}
        """Scored documents, by the names of the measures."""
        self._scored: dict[tuple[str, ...], Recent[Any]] = {}
        self._evidence: Recent[Evidence] = self._recent(EVIDENCE) if evidence is None else evidence
        self._views: Recent[tuple[Ranking, RankedView]] = self._recent(_RANKS)
        self._ranks: Recent[tuple[RouteList, tuple[int, ...]]] = self._recent(_RANKS)

    def _recent(self, limit: int) -> Recent[Any]:
        return Recent(limit if self.keep else 0)

    @cached_property
    def outside(self) -> list[tuple[Population, ...]]:
        """For each question the populations that it does not belong to."""
        return [tuple(one for one in Population if one.excludes(question)) for question in self.questions]

    def evidence(self, row: int) -> Evidence:
        """The evidence of the question at `row`, ready to be covered."""
        return self._evidence.call(row, lambda: Evidence(self.questions[row], self.corpus.documents))

    def view(self, row: int, ranking: Ranking) -> RankedView:
        """A ranking as measures see it."""
        found = self._views.get((row, id(ranking)))
        if found is not None:
            return found[1]
        view = ranked_view(self.evidence(row), list(map(_CHUNK, ranking)), self.corpus.chunks)
        self._views.put((row, id(ranking)), (ranking, view), len(ranking) + 1)
        return view

    def route_ranks(self, row: int, one: RouteList) -> tuple[int, ...]:
        """Rank that satisfied each group (0: never) in a route's list."""
        found = self._ranks.get((row, id(one)))
        if found is not None:
            return found[1]
        ranks = group_ranks(self.evidence(row), one.chunks, self.corpus.chunks)
        self._ranks.put((row, id(one)), (one, ranks), len(one.chunks) + 1)
        return ranks

    def scored(self, names: tuple[str, ...]) -> Recent[Any]:
        """Cells of the columns `names` that were read off rankings so far, by question and ranking."""
        return self._scored.setdefault(names, self._recent(_ROWS))


def doubled(kind: str, ids: Sequence[str]) -> list[str]:
    """A line for each id that comes a second time."""
    seen: set[str] = set()
    again = [one for one in ids if one in seen or seen.add(one)]  # type: ignore[func-returns-value]
    return [f"{kind} {one}: expected once, found again" for one in again]
