from __future__ import annotations

import numpy as np

from ragbench.reranker.token_memory import TokenMemory

from .doubles import TableEmbedder

TABLE = {"年假": [[1.0, 0.0]], "leave": [[0.0, 1.0], [1.0, 0.0]], "年假 leave": [[0.6, 0.8]], "": []}


def test_what_was_met_is_not_asked_for_again() -> None:
    embedder = TableEmbedder(TABLE)
    memory = TokenMemory(embedder)
    first = memory.passages(["年假", "leave", "年假"])
    again = memory.passages(["leave", "年假 leave", ""])
    assert embedder.asked == [(["年假", "leave"], "passage"), (["年假 leave", ""], "passage")]
    assert [part.tolist() for part in first] == [TABLE["年假"], [[0.0, 1.0], [1.0, 0.0]], TABLE["年假"]]
    assert again[0] is first[1]
    assert len(again[2]) == 0
    np.testing.assert_array_equal(memory.query("年假"), np.array([[1.0, 0.0]], np.float32))


def test_the_longest_unmet_goes_first_and_the_bound_holds() -> None:
    embedder = TableEmbedder(TABLE)
    memory = TokenMemory(embedder, limit_bytes=24)  # three vectors of two floats
    memory.passages(["年假", "leave"])
    memory.passages(["年假"])
    memory.passages(["年假 leave"])
    memory.passages(["年假"])
    memory.passages(["leave"])
    assert [texts for texts, _ in embedder.asked] == [["年假", "leave"], ["年假 leave"], ["leave"]]


def test_more_than_the_bound_is_still_given() -> None:
    memory = TokenMemory(TableEmbedder(TABLE), limit_bytes=1)
    assert [len(part) for part in memory.passages(["leave", "年假"])] == [2, 1]
