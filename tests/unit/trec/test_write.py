"""Files that other tools read in our order."""

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.measure.ranking.found import trec_order
from ragbench.trec.read import read_qrels, read_run
from ragbench.trec.write import token, untoken, write_qrels, write_run


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("handbook.md#3", "handbook.md#3"),
        ("假期/年假制度.md#0", "假期/年假制度.md#0"),
        ("mixed/上线 checklist.txt#1", "mixed/上线%20checklist.txt#1"),
        ("100%", "100%25"),
        ("全角\u3000空格", "全角%E3%80%80空格"),
        ("", "%"),
    ],
)
def test_an_id_becomes_one_column_and_comes_back(name, column):
    assert token(name) == column
    assert untoken(column) == name


@given(st.text())
def test_any_id_is_one_column_and_comes_back(name):
    assert len(token(name).split()) == 1
    assert len(token(name).encode("utf-8").split()) == 1
    assert untoken(token(name)) == name


@given(st.lists(st.floats(allow_nan=False, width=32) | st.sampled_from([0.5, 0.5 + 1e-9, 0.0, -0.0]), max_size=30))
def test_the_order_survives_ties_rising_scores_and_single_precision(scores):
    ranking = [(f"d{number}", float(score)) for number, score in enumerate(scores)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.txt"
        written, changed = write_run(path, [("q", ranking)], "t")
        assert written == len(ranking)
        if ranking:
            assert trec_order(read_run(path).run["q"]) == [doc for doc, _ in ranking]
        strict = all(np.float32(a) > np.float32(b) for a, b in pairwise(scores))
        assert (changed == 0) >= (strict and all(map(np.isfinite, scores)))


def test_rows_are_those_of_trec(tmp_path):
    path = tmp_path / "run.txt"
    lists = [("问 1", [("a b", 2.5), ("c", 2.5)]), ("q2", [])]
    assert write_run(path, lists, "our run") == (2, 1)
    assert path.read_text("utf-8") == "问%201 Q0 a%20b 1 2.5 our%20run\n问%201 Q0 c 2 2.4999998 our%20run\n"
    assert write_qrels(path, {"问 1": {"a b": 2, "c": 0}}) == 2
    assert read_qrels(path).grades == {"问%201": {"a%20b": 2, "c": 0}}
