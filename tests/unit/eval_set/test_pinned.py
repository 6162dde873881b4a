from __future__ import annotations

from pathlib import Path

import pytest

from ragbench.errors import DataError
from ragbench.eval_set.pinned import read_pinned, write_pinned
from ragbench.records.trace import ContextBlock, PackedContext

TEXTS = {"zh": "年假十天。\n\u2028病假五天。", "en": "Ten days.\r\nFive.", "mixed": "年假 leave “十天”\u0085 end"}


def context(text: str) -> PackedContext:
    block = ContextBlock(2, "制度 a.md", 7, 7 + len(text), (4, 5), text, 9, 0.5)
    return PackedContext((block,), 9, 700)


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / "contexts" / "set.jsonl"
    write_pinned(path, {"b": context(TEXTS[name]), "a": PackedContext()}, {4: "制度 a.md#0", 5: "制度 a.md#1"})
    found = read_pinned(path)
    assert list(found) == ["a", "b"]
    assert found["a"] == PackedContext()
    (block,) = found["b"].blocks
    assert (block.citation, block.doc_id, block.start, block.text) == (2, "制度 a.md", 7, TEXTS[name])
    assert (block.chunks, block.relevance) == ((), None), "numbers and scores are of an index"
    assert '"chunks": ["制度 a.md#0", "制度 a.md#1"]' in path.read_text(encoding="utf-8")


def test_a_missing_file_holds_none(tmp_path: Path) -> None:
    assert read_pinned(tmp_path / "none.jsonl") == {}


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"question": "a", "tokens": 1, "budget": 2, "passages": [{}]}'])
def test_a_line_that_is_no_context_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(f'{{"question": "a", "tokens": 0, "budget": 2, "passages": []}}\n{line}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"set\.jsonl line 2: expected a question with its passages"):
        read_pinned(path)
