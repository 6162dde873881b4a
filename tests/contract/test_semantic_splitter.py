"""The splitter contract on the splitter that compares vectors."""

from __future__ import annotations

import numpy as np

from ragbench.splitter.semantic import SemanticSplitter
from ragbench.testing.splitter_contract import SizedSplitterContract
from tests.unit.generator.fakes import WordEmbedder


class EachOnce(WordEmbedder):
    """A text that comes again is not embedded again, as with the cache in front of every embedder."""

    def embed_documents(self, texts):
        distinct = list(dict.fromkeys(texts))
        rows = dict(zip(distinct, super().embed_documents(distinct), strict=True))
        return np.stack([rows[text] for text in texts])


EMBEDDER = EachOnce()


class TestSemantic(SizedSplitterContract):
    opener = staticmethod(lambda: EMBEDDER)
    lengths = short_lengths = (20_000, 100_000)  # five million characters are for an embedder that costs nothing

    def make_sized(self, chunk_size, overlap, chunk_unit):
        return SemanticSplitter(
            chunk_size=chunk_size, overlap=overlap, chunk_unit=chunk_unit, min_size=None,
            method="percentile", value=80, buffer=1,
        )  # fmt: skip
