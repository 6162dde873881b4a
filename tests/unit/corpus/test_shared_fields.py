"""Fields of JSON, JSON Lines and tables that say something of the whole file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragbench.core.store import Store
from ragbench.corpus.load_csv import load_csv
from ragbench.corpus.load_json import load_json
from ragbench.corpus.load_jsonl import load_jsonl
from ragbench.corpus.loader import CorpusLoader
from ragbench.corpus.shared_fields import SharedFields, constant_columns, with_fields
from ragbench.pipeline.offline import load

RECORD = {
    "tenant": "甲公司",
    "year": 2024,
    "share": 0.5,
    "draft": False,
    "tags": ["年假", "leave"],
    "none": None,
    "nested": {"a": 1},
    "deep": [["a"]],
    "blank": " ",
    "long": "x" * 201,
    "huge": 10**30,
    "half": "\ud800",
}
PLAIN = {"tenant": "甲公司", "year": 2024, "share": 0.5, "draft": False, "tags": ["年假", "leave"]}


def shared(*records) -> dict:
    fields = SharedFields()
    for record in records:
        fields.add(record)
    return fields.found


def test_the_plain_fields_of_one_record() -> None:
    assert shared(RECORD) == PLAIN
    assert shared() == shared(3) == shared([1]) == {}
    assert len(shared({f"f{n}": n for n in range(500)})) == 100


def test_only_what_all_records_agree_in() -> None:
    assert shared(RECORD, {"tenant": "甲公司", "year": 2023}) == {"tenant": "甲公司"}
    assert shared({"a": 1}, {"a": True}, {"a": 1.0}) == {}
    assert shared({"a": 1}, "text") == {}
    assert shared("text", {"a": 1}) == {}


def test_what_the_loader_says_keeps_its_name() -> None:
    assert with_fields({"n_rows": 3}, {"n_rows": 9, "encoding": "mine", "a": 1}) == {
        "field_n_rows": 9,
        "field_encoding": "mine",
        "a": 1,
        "n_rows": 3,
    }


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("甲", "甲"),
        ("2024", 2024),
        ("007", "007"),
        ("-3", -3),
        ("1.50", 1.5),
        ("1e5", "1e5"),
        ("9" * 20, "9" * 20),
        (" x ", "x"),
    ],
)
def test_cells_of_a_constant_column(cell: str, value) -> None:
    assert constant_columns(["a", "b"], [[cell, "1"], [cell, "2"]]) == {"a": value}


def test_a_column_with_a_gap_or_another_cell_is_not_the_tables() -> None:
    assert constant_columns(["a", "b"], [["x", "y"], ["x", ""]]) == {"a": "x"}
    assert constant_columns(["a"], []) == {}
    assert constant_columns(["a", "b"], [["x"], ["x"]]) == {"a": "x"}


def test_files() -> None:
    found = load_json(json.dumps(RECORD).encode()).metadata
    assert found == PLAIN | {"encoding": found["encoding"]}
    assert load_json(b'[{"t": "a", "n": 1}, {"t": "a", "n": 2}]').metadata == {"t": "a", "encoding": "utf-8"}
    assert load_json(b"3").metadata == {"encoding": "utf-8"}
    assert load_jsonl(b'{"t": "a", "n": 1}\n\n{"t": "a", "n": 2}\n').metadata["t"] == "a"
    table = load_csv("租户,年,名\n甲,2024,x\n甲,2024,y\n".encode()).metadata
    assert (table["租户"], table["年"], table["n_rows"]) == ("甲", 2024, 2)
    assert "名" not in table


@pytest.mark.parametrize(
    "head",
    [
        '---\nn: 100000000000000000000000000\nx: "\\ud800y"\n"\\udc00": 1\n---\n',
        '{"n": 99999999999999999999999999, "x": "\\ud800", "inf": 1e400}\n\n',
        "+++\nn = 9223372036854775807\n+++\n",
    ],
    ids=["yaml", "json", "toml"],
)
def test_front_matter_that_no_json_holds_does_not_end_the_load(tmp_path: Path, head: str) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.md").write_text(f"{head}# T\n\ntext\n", encoding="utf-8")
    (document,) = load(folder, CorpusLoader(), Store(tmp_path / "store")).documents
    assert str(document.metadata["n"]).startswith("9") or str(document.metadata["n"]).startswith("1")
    assert document.text.startswith("# T")
