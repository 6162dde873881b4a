"""`cache prune` takes away what a killed build of a graph index left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ragbench.cli.main import main
from ragbench.core.store import Store

pytest.importorskip("chromadb", reason="needs the extra chroma")

KEY = "a7" + "4b" * 31
BUILD = """
import sys, time
from pathlib import Path
from ragbench.core.store import Store
from ragbench.index.chroma import ChromaIndex
from ragbench.testing.index_contract import random_units

def build(folder):
    index = ChromaIndex(max_neighbors=32, ef_construction=200, ef_search=800)
    index.build(folder, random_units(50), [str(n) for n in range(50)])
    print("written", flush=True)
    time.sleep(600)

Store(Path(sys.argv[1])).get_or_build("index", sys.argv[2], build)
"""


@pytest.fixture
def left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the killed build wrote into."""
    root = tmp_path / "store"
    monkeypatch.setenv("RAGBENCH_STORE", str(root))
    with subprocess.Popen([sys.executable, "-c", BUILD, str(root), KEY], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "written\n"
        process.kill()
    (folder,) = (root / "index" / "a7").glob(".a74b*-*")
    assert list(folder.rglob("chroma.sqlite3")) and Store(root).find("index", KEY) is None
    return folder


@pytest.mark.parametrize("chosen", [[], ["--kind", "index"]])
def test_leftovers_of_a_killed_build_are_deleted(left: Path, chosen, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "prune", "--older-than", "-1", *chosen]) == 0
    assert "would delete 0 artifacts and 1 leftovers" in capsys.readouterr().out and left.exists()
    assert main(["cache", "prune", "--older-than", "-1", "--yes", *chosen]) == 0
    assert "deleted 0 artifacts and 1 leftovers" in capsys.readouterr().out and not left.exists()


@pytest.mark.parametrize("chosen", [["--older-than", "1"], ["--older-than", "-1", "--kind", "chunks"]])
def test_young_leftovers_and_those_of_other_kinds_stay(left: Path, chosen) -> None:
    assert main(["cache", "prune", "--yes", *chosen]) == 0
    assert left.exists()
