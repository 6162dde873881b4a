"""Which chunks hold the gold evidence of a question, for flows that are oracles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragbench.eval_set.align import FULL, Evidence
from ragbench.records.document import Chunk
from ragbench.records.question import Question
from ragbench.records.search import Ranked, Ranking


class GoldChunks:
    """The chunks of a set by the questions whose evidence they hold."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._by_document: dict[str, list[int]] = {}
        for number, chunk in enumerate(chunks):
            self._by_document.setdefault(chunk.doc_id, []).append(number)

    def touching(self, question: Question) -> list[int]:
        """Numbers of all chunks that share a character with the evidence, ascending within each document; empty for a
        question without evidence."""
        return self._touching(question, Evidence(question))

    def in_documents(self, documents: Iterable[str]) -> list[int]:
        """Numbers of all chunks of these documents, in their order; none for a document there is not."""
        return [number for doc_id in dict.fromkeys(documents) for number in self._by_document.get(doc_id, ())]

    def of(self, question: Question) -> list[int]:
        """Numbers of the chunks that together hold all that the set keeps of the evidence, the one that adds most
        first, ties by number; of alternatives the one that is held best. Of whole documents all chunks, in their order.
        """
        evidence = Evidence(question)
        rest = self._touching(question, evidence)
        if evidence.by_document:
            return rest
        chosen: list[int] = []
        while gains := [(self._held(evidence, [*chosen, number]), -number) for number in rest]:
            most, number = max(gains)
            if most <= self._held(evidence, chosen):
                break
            chosen.append(-number)
            rest.remove(-number)
        for number in rest:  # whole documents beside spans have no characters to count
            if self._satisfied(evidence, [*chosen, number]) > self._satisfied(evidence, chosen):
                chosen.append(number)
        return chosen

    def among(self, found: Sequence[int], question: Question) -> list[int]:
        """The found chunks that hold evidence: those of `of`, then any others that touch it, as found."""
        chosen, touching = self.of(question), set(self.touching(question))
        return [*(one for one in chosen if one in set(found)), *(one for one in found if one in touching - set(chosen))]

    def _touching(self, question: Question, evidence: Evidence) -> list[int]:
        near = self.in_documents(item.doc_id for group in question.groups for item in group.items)
        return [near[rank - 1] for rank, _ in evidence.touching(self._chunks[number] for number in near)]

    def _held(self, evidence: Evidence, numbers: Sequence[int]) -> int:
        return evidence.overlap(self._chunks[number] for number in numbers)[0]

    def _satisfied(self, evidence: Evidence, numbers: Sequence[int]) -> int:
        return sum(evidence.satisfied((self._chunks[number] for number in numbers), FULL))


def ranking_of(numbers: Sequence[int], behind: Ranking = ()) -> Ranking:
    """These chunks first, then those of `behind` that are not among them, in its order; scores fall from the number of
    hits to 1."""
    first = dict.fromkeys(numbers)
    order = [*first, *(hit.chunk for hit in behind if hit.chunk not in first)]
    return tuple(Ranked(chunk, float(len(order) - at), at + 1) for at, chunk in enumerate(order))
