from __future__ import annotations

import pytest

from ragbench.packer.document import DocumentPacker
from ragbench.records.document import Chunk, Document
from ragbench.records.search import Ranked
from tests.unit.packer.making import packer

TEXTS = {
    "zh": "年假十天。；病假五天。；婚假三天。",
    "en": "Ten days.; Five days.; Three days.",
    "mixed": "年假 ten。; Sick 五天。; 婚假 three。",
}


@pytest.mark.parametrize("language", TEXTS)
def test_source_order_inside_a_document_and_documents_by_their_best(language: str) -> None:
    text = TEXTS[language]
    pieces = [piece.strip() for piece in text.replace("；", ";").split(";")]
    documents = {name: Document(name, text, "md", "sha256:0") for name in ("a.md", "b.md")}
    chunks = []
    for name in documents:
        for piece in pieces:
            start = text.index(piece)
            chunks.append(Chunk(f"{name}#{start}", len(chunks), name, start, start + len(piece), piece, piece))
    ranking = tuple(Ranked(number, 1.0, rank) for rank, number in enumerate([5, 2, 3, 0], 1))
    context = packer(DocumentPacker).pack(ranking, chunks, documents, lambda texts: [len(one) for one in texts])
    assert [block.chunks for block in context.blocks] == [(3,), (5,), (0,), (2,)]
    assert [block.relevance for block in context.blocks] == [1.0] * 4
