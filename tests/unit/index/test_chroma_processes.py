"""Several processes on one Chroma index: one writes, all read the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ragbench.core.store import Store
from ragbench.index.chroma import ChromaIndex
from ragbench.testing.index_contract import random_units

pytest.importorskip("chromadb", reason="needs the extra chroma")

N, KEY = 900, "ab" * 32
INDEX = ChromaIndex(max_neighbors=32, ef_construction=200, ef_search=800)
HEAD = f"""
import json, sys
from pathlib import Path
from ragbench.core.store import Store
from ragbench.errors import UserError
from ragbench.index.chroma import ChromaIndex
from ragbench.testing.index_contract import random_units
index = ChromaIndex(max_neighbors=32, ef_construction=200, ef_search=800)
rows, ids, place = random_units({N}), [str(n) for n in range({N})], Path(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
"""
IN_THE_STORE = """
store = Store(place)
def build(folder):
    index.build(folder, rows, ids)
folder = store.get_or_build("index", sys.argv[2], build)
print(json.dumps([str(folder), store.computed["index"]]))
"""
IN_THE_FOLDER = """
try:
    index.build(place, rows, ids)
    print(json.dumps("built"))
except UserError as error:
    print(json.dumps(str(error)))
"""
READ = """
with index.open(place) as reader:
    print(json.dumps([[part.tolist() for part in reader.search(row, 7)] for row in rows[:20]]))
"""


def together(code: str, n: int, *arguments: str) -> list:
    """What `n` processes print that are let go at the same moment."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", HEAD + code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(n)
    ]
    for process in started:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    return [json.loads(process.communicate(timeout=120)[0]) for process in started]


def all_found(folder: Path) -> bool:
    rows = random_units(N)
    with INDEX.open(folder) as reader:
        return [reader.search(row, 1)[0].tolist() for row in rows] == [[n] for n in range(N)]


def test_one_builds_and_the_others_take_what_it_built(tmp_path: Path) -> None:
    answers = together(IN_THE_STORE, 3, str(tmp_path), KEY)
    assert sorted(built for _, built in answers) == [0, 0, 1]
    assert {folder for folder, _ in answers} == {str(Store(tmp_path).path("index", KEY))}
    assert all_found(Path(answers[0][0]))
    assert list(Store(tmp_path).debris(np.inf)) == []


def test_a_second_writer_of_one_folder_is_refused(tmp_path: Path) -> None:
    answers = together(IN_THE_FOLDER, 3, str(tmp_path))
    assert answers.count("built") == 1
    assert all("expected a folder of its own" in answer for answer in answers if answer != "built")
    assert all_found(tmp_path)


def test_other_processes_read_what_was_written_here(tmp_path: Path) -> None:
    INDEX.build(tmp_path, random_units(N), [str(n) for n in range(N)])
    with INDEX.open(tmp_path) as reader:
        here = [[part.tolist() for part in reader.search(row, 7)] for row in random_units(N)[:20]]
        assert together(READ, 2, str(tmp_path)) == [here, here]
