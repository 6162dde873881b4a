from __future__ import annotations

import pytest

from ragbench.packer.edges import EdgesPacker
from ragbench.packer.relevance import RelevancePacker
from ragbench.records.document import Chunk, Document
from ragbench.records.search import Ranked
from tests.unit.packer.making import packer


def count(texts):
    return [len(text) for text in texts]


@pytest.mark.parametrize(
    ("n", "order"),
    [(0, []), (1, [1]), (2, [1, 2]), (3, [1, 3, 2]), (6, [1, 3, 5, 6, 4, 2]), (7, [1, 3, 5, 7, 6, 4, 2])],
)
@pytest.mark.parametrize("text", ["年假十天。", "Ten days.", "年假 ten days。"])
def test_the_best_stand_at_both_ends(n: int, order: list[int], text: str) -> None:
    documents = {f"{at}.md": Document(f"{at}.md", text, "md", "sha256:0") for at in range(n)}
    chunks = [Chunk(f"{at}#0", at, f"{at}.md", 0, len(text), text, text) for at in range(n)]
    ranking = tuple(Ranked(at, 1.0, at + 1) for at in range(n))
    context = packer(EdgesPacker).pack(ranking, chunks, documents, count)
    assert [block.chunks[0] + 1 for block in context.blocks] == order
    assert [block.citation for block in context.blocks] == list(range(1, n + 1))
    best_first = packer(RelevancePacker).pack(ranking, chunks, documents, count)
    assert context.tokens == best_first.tokens


def test_ranks_count_among_what_fits() -> None:
    texts = ["a" * 10, "b" * 50, "c" * 10, "d" * 10]
    documents = {text[0]: Document(text[0], text, "md", "sha256:0") for text in texts}
    chunks = [Chunk(text[0], at, text[0], 0, len(text), text, text) for at, text in enumerate(texts)]
    ranking = tuple(Ranked(at, 1.0, at + 1) for at in range(4))
    context = packer(EdgesPacker, budget=40).pack(ranking, chunks, documents, count)
    assert [block.doc_id for block in context.blocks] == ["a", "d", "c"]
