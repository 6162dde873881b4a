"""The lines of scores.jsonl.gz are the rows, and nothing else."""

import math

import numpy as np

from ragbench.core.codec import dumps
from ragbench.evaluate.table import FAILED, NOT_APPLICABLE, SCORED, ScoreTable, empty_block
from ragbench.measure.registry import measures

NAMES = ["retrieval/recall@5", "answer/faithfulness", "cost/pack_ms"]
SUBJECTS = ['plain', '引"号\\', "a\nb"]  # fmt: skip


def table():
    rng = np.random.default_rng(0)
    block = empty_block("question", SUBJECTS, measures(NAMES))
    block.status[:] = rng.choice([SCORED, NOT_APPLICABLE, FAILED], block.status.shape)
    block.values[:] = np.where(
        block.status == SCORED, rng.random(block.values.shape) * 10.0 ** rng.integers(-20, 20), math.nan
    )
    block.values[0, 0], block.status[0, 0] = 1.0, SCORED
    block.notes[1, 1] = 'why: "年假"\n'
    block.notes[2, 0], block.judges[2, 0] = "note", "judge"
    block.judges[0, 1] = "判"
    empty = empty_block("document", SUBJECTS, [])
    return ScoreTable({"question": block, "document": empty})


def test_lines_are_rows_in_json():
    found = table()
    assert b"".join(found.to_lines()) == b"".join(dumps(row) + b"\n" for row in found.to_rows())


def test_a_block_without_columns_has_no_line():
    assert b"".join(ScoreTable({"document": empty_block("document", SUBJECTS, [])}).to_lines()) == b""
