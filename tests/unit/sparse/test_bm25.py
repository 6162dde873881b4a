import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ragbench.core.codec import read_json, write_json
from ragbench.core.store import Store
from ragbench.errors import ConfigError, DataError
from ragbench.sparse import bm25
from ragbench.sparse.bm25 import Bm25Sparse

FIELDS = {"analyser": "jieba", "stop_words": "none", "k1": 1.5, "b": 0.75, "method": "lucene"}
TEXTS = {
    "zh": ["年假按工龄计算", "报销须附发票", "加班须经批准，报销加班餐费", "年假不得跨年"],
    "en": ["annual leave by years", "expenses need receipts", "overtime meals and expenses", "leave ends in March"],
    "mixed": ["年假 annual leave", "报销 expenses", "加班 overtime 报销 expenses", "leave 不得跨年"],
}
QUERIES = {"zh": "报销", "en": "Expenses?", "mixed": "报销 expenses"}


def build(folder: Path, texts, **changed) -> Bm25Sparse:
    folder.mkdir(exist_ok=True)
    stage = Bm25Sparse(**(FIELDS | changed))
    stage.build(folder, texts)
    return stage


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("analyser", ["jieba", "bigram"])
def test_finds_in_every_language(tmp_path: Path, language: str, analyser: str) -> None:
    stage = build(tmp_path / "i", TEXTS[language], analyser=analyser)
    with stage.open(tmp_path / "i") as reader:
        assert reader.search(QUERIES[language], 9)[0].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("analyser", "whitespace"),
        ("stop_words", "english"),
        ("method", "bm25+"),
        ("k1", -1),
        ("k1", float("nan")),
        ("k1", True),
        ("k1", None),
        ("b", 1.1),
        ("b", "0.75"),
    ],
)
def test_settings_are_checked(name: str, value) -> None:
    with pytest.raises(ConfigError, match=f"sparse.{name}: expected"):
        Bm25Sparse(**(FIELDS | {name: value}))


@pytest.mark.parametrize(
    ("name", "value"),
    [("analyser", "bigram"), ("stop_words", "function"), ("k1", 1.2), ("b", 0.5), ("method", "atire")],
)
def test_every_setting_is_in_the_fingerprint(name: str, value) -> None:
    assert Bm25Sparse(**(FIELDS | {name: value})).fingerprint() != Bm25Sparse(**FIELDS).fingerprint()


def test_analyser_version_is_in_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Bm25Sparse(**FIELDS).fingerprint()
    monkeypatch.setattr(bm25, "VERSION", bm25.VERSION + 1)
    assert Bm25Sparse(**FIELDS).fingerprint() != before
    assert set(Bm25Sparse(**FIELDS).recipe()["libraries"]) == {"bm25s", "jieba"}


def test_another_analyser_or_version_is_refused(tmp_path: Path) -> None:
    build(tmp_path / "i", TEXTS["zh"])
    other = Bm25Sparse(**(FIELDS | {"analyser": "bigram"}))
    with (
        pytest.raises(
            DataError, match=f"analyser jieba {bm25.VERSION}, stop words none, not analyser bigram {bm25.VERSION}"
        ),
        other.open(tmp_path / "i"),
    ):
        pass
    head = read_json(tmp_path / "i" / "index.json")
    write_json(tmp_path / "i" / "index.json", head | {"made_with": "analyser jieba 0, stop words none"})
    with pytest.raises(DataError, match="analyser jieba 0"), Bm25Sparse(**FIELDS).open(tmp_path / "i"):
        pass


@pytest.mark.parametrize("spoil", ["empty folder", "no json", "no library", "empty matrix", "cut matrix"])
def test_spoilt_folders_are_named(tmp_path: Path, spoil: str) -> None:
    stage = build(tmp_path / "i", TEXTS["zh"])
    if spoil == "empty folder":
        (tmp_path / "i" / "index.json").unlink()
    elif spoil == "no json":
        (tmp_path / "i" / "index.json").write_text("{")
    elif spoil == "no library":
        (tmp_path / "i" / "bm25s" / "vocab.index.json").unlink()
    else:
        matrix = tmp_path / "i" / "bm25s" / "data.csc.index.npy"
        matrix.write_bytes(b"" if spoil == "empty matrix" else matrix.read_bytes()[:-8])
    with pytest.raises(DataError, match="expected a BM25 index built here"), stage.open(tmp_path / "i"):
        pass


def test_facts(tmp_path: Path) -> None:
    (tmp_path / "i").mkdir()
    facts = Bm25Sparse(**FIELDS).build(tmp_path / "i", ["a b", "", "b"])
    assert {name: facts[name] for name in ("n_chunks", "n_terms", "mean_length", "n_without_terms")} == {
        "n_chunks": 3,
        "n_terms": 2,
        "mean_length": 1.0,
        "n_without_terms": 1,
    }
    assert facts["bytes"] == sum(path.stat().st_size for path in (tmp_path / "i").rglob("*") if path.is_file())


def test_files_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib\n"
        "from ragbench.sparse.bm25 import Bm25Sparse\n"
        "from ragbench.testing.index_contract import folder_hashes\n"
        "folder = pathlib.Path(sys.argv[1]); folder.mkdir()\n"
        f"Bm25Sparse(**{FIELDS!r}).build(folder, {TEXTS['mixed']!r})\n"
        "print(folder_hashes(folder))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / seed)],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_numbers_beyond_the_index_are_left_out_of_a_filter(tmp_path: Path) -> None:
    stage = build(tmp_path / "i", TEXTS["zh"])
    with stage.open(tmp_path / "i") as reader:
        assert reader.search("报销", 9, np.array([2, 2, 99, -1], np.int32))[0].tolist() == [2]


def test_scores_stay_when_filtered(tmp_path: Path) -> None:
    stage = build(tmp_path / "i", TEXTS["zh"])
    with stage.open(tmp_path / "i") as reader:
        whole, part = reader.search("报销", 9), reader.search("报销", 9, np.array([2], np.int32))
        assert part[1][0] == whole[1][whole[0].tolist().index(2)]


def test_postings_stay_on_disk(tmp_path: Path) -> None:
    stage = build(tmp_path / "i", TEXTS["zh"])
    with stage.open(tmp_path / "i") as reader:
        for name in ("data", "indices", "indptr"):
            postings = reader._library.scores[name]
            assert type(postings) is np.ndarray and isinstance(postings.base, np.memmap)


def test_stays_whole_in_the_store(tmp_path: Path) -> None:
    stage = Bm25Sparse(**FIELDS)
    folder = Store(tmp_path).get_or_build("sparse", "ef" * 32, lambda f: stage.build(f, TEXTS["zh"]) and None)
    with stage.open(folder) as reader:
        assert sorted(reader.search("年假", 9)[0].tolist()) == [0, 3]
    again = Store(tmp_path)
    assert again.find("sparse", "ef" * 32) == folder and not again.repaired
