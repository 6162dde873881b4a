"""What every sparse index must do, as tests to inherit.

Subclass `SparseIndexContract` in a test module, give it `make()`, and pytest runs the whole suite on it. The names of
the tests are the rules.
"""

# ruff: noqa: D102

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ragbench.core.codec import dumps
from ragbench.index.base import FoundList, Ints
from ragbench.sparse.base import Sparse
from ragbench.testing.index_contract import assert_well_formed, folder_hashes


class SparseIndexContract:
    """Behaviour of a sparse index, for text in Chinese, English and both."""

    TEXTS = (
        "年假按工龄计算，满一年休五天。",
        "Annual leave is counted by years of service.",
        "报销单号 E-4012 须附发票。",
        "Set storage.retention.max_age to 30d in C++ or R.",
        "",
        "   ",
        "年假按工龄计算，满一年休五天。",
    )

    def make(self) -> Sparse:
        """The stage under test."""
        raise NotImplementedError

    def _search(self, folder: Path, texts: Sequence[str], searches: Sequence[tuple[Any, ...]]) -> list[FoundList]:
        folder.mkdir()
        dumps(self.make().build(folder, texts))
        before = folder_hashes(folder)
        with self.make().open(folder) as reader:
            assert reader.size == len(texts)
            found = [reader.search(*search) for search in searches]
        assert folder_hashes(folder) == before, "reading leaves the folder as it was"
        for one, search in zip(found, searches):
            assert_well_formed(one, len(texts), search[1])
            assert (one[1] > 0).all(), "a score of 0 is no hit"
        return found

    def test_finds_the_right_texts(self, tmp_path: Path) -> None:
        queries = ("年假有多少天", "annual LEAVE", "E-4012", "storage.retention.max_age", "C++", "R")
        found = self._search(tmp_path / "i", self.TEXTS, [(query, 1) for query in queries])
        assert [numbers.tolist() for numbers, _ in found] == [[0], [1], [2], [3], [3], [3]]

    def test_equal_texts_stand_in_chunk_order(self, tmp_path: Path) -> None:
        whole, cut = self._search(tmp_path / "i", self.TEXTS, [("年假", 5), ("年假", 1)])
        assert whole[0].tolist() == [0, 6] and whole[1][0] == whole[1][1]
        assert cut[0].tolist() == [0]

    def test_nothing_known_finds_nothing(self, tmp_path: Path) -> None:
        queries = ("", "  ", "，。！", "zyzzyva", "魑魅魍魉", "\ud800\x00")
        found = self._search(tmp_path / "i", self.TEXTS, [(query, 5) for query in queries])
        assert [len(numbers) for numbers, _ in found] == [0] * len(queries)

    def test_depth_from_nothing_to_beyond_the_corpus(self, tmp_path: Path) -> None:
        found = self._search(tmp_path / "i", self.TEXTS, [("年假 leave", depth) for depth in (0, 1, 7, 500)])
        assert [len(numbers) for numbers, _ in found] == [0, 1, 3, 3]

    def test_corpora_without_words(self, tmp_path: Path) -> None:
        for at, texts in enumerate(([], [""], ["", "  ", "。。"])):
            (found,) = self._search(tmp_path / str(at), texts, [("年假", 5)])
            assert not len(found[0])

    def test_filter_applies_before_the_cut(self, tmp_path: Path) -> None:
        allowed: list[Ints] = [np.array(numbers, np.int32) for numbers in ([], [6], [1, 4, 6])]
        for depth in (1, 5):
            found = self._search(tmp_path / str(depth), self.TEXTS, [("年假", depth, numbers) for numbers in allowed])
            assert [numbers.tolist() for numbers, _ in found] == [[], [6], [6]]

    def test_same_texts_give_the_same_bytes(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            self._search(tmp_path / name, self.TEXTS, [("年假", 5)])
        assert folder_hashes(tmp_path / "a") == folder_hashes(tmp_path / "b")
