"""Halves of surrogate pairs: gone before anything is written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from ragbench.core.codec import dumps, loads, read_jsonl, write_json, write_jsonl
from ragbench.core.surrogates import sound, without_surrogates


@dataclass(frozen=True, slots=True)
class Row:
    text: str
    n: int


@pytest.mark.parametrize(
    ("text", "clean"),
    [("坏\ud83d的", "坏\ufffd的"), ("bad \udfff rule", "bad \ufffd rule"), ("年假 😀 ok", "年假 😀 ok"), ("", "")],
)
def test_each_half_is_one_replacement_character(text: str, clean: str) -> None:
    assert without_surrogates(text) == clean


def test_data_is_cleaned_through_and_through() -> None:
    assert sound({"a\ud800": ["x\udc00", ("y", 1, None)], "r": Row("z\ud800", 2)}) == {
        "a\ufffd": ["x\ufffd", ["y", 1, None]], "r": {"text": "z\ufffd", "n": 2},
    }  # fmt: skip


def test_such_text_ends_no_writing(tmp_path: Path) -> None:
    assert loads(dumps([Row("坏\ud83d", 1)])) == [{"text": "坏\ufffd", "n": 1}]
    write_json(tmp_path / "a.json", {"why": "\ud800"})
    write_jsonl(tmp_path / "a.jsonl", [{"why": "\ud800"}, {"why": "ok"}])
    assert loads((tmp_path / "a.json").read_bytes()) == {"why": "\ufffd"}
    assert list(read_jsonl(tmp_path / "a.jsonl")) == [{"why": "\ufffd"}, {"why": "ok"}]
    with pytest.raises(TypeError):
        dumps({"a": object()})
