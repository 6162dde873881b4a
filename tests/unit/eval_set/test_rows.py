"""Validation of questions.jsonl: every fault of every line, all at once."""

import json

import pytest

from ragbench.errors import DataError, Problems
from ragbench.eval_set.rows import read_rows

GOOD = {"id": "q1", "question": "年假几天？", "category": "lookup", "evidence": [{"doc": "a.md", "quote": "五天"}]}


def write(tmp_path, *rows):
    path = tmp_path / "questions.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("question", ["年假几天？", "How many days?", "年假 carry over 几天？"])
def test_good_rows_are_read(tmp_path, question):
    rows = read_rows(write(tmp_path, GOOD | {"question": question}, "", GOOD | {"id": "q2"}))
    assert [row["id"] for row in rows] == ["q1", "q2"]
    assert rows[0]["question"] == question


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"id": ""}, "id: expected a non-empty text"),
        ({"question": "  "}, "question: expected a non-empty text"),
        ({"question": 3}, "question: expected a non-empty text"),
        ({"category": "loookup"}, "category: expected one of"),
        ({"difficulty": "so-so"}, "difficulty: expected one of"),
        ({"language": "fr"}, "language: expected one of zh, en, mixed, found 'fr'"),
        ({"split": "train"}, "split: expected one of dev, test"),
        ({"complexity": "hard"}, "complexity: expected one of"),
        ({"answerable": "yes"}, "answerable: expected bool, found str"),
        ({"evidence": []}, "an answerable question needs at least one item"),
        ({"answerable": False}, "an unanswerable question has none"),
        ({"evidence": [{"quote": "x"}]}, "doc: expected the path"),
        ({"evidence": [{"doc": "a.md"}]}, "expected a quote, or start and end, or whole"),
        ({"evidence": [{"doc": "a.md", "start": 5, "end": 5}]}, "expected 0 <= start < end, found 5, 5"),
        ({"evidence": [{"doc": "a.md", "start": -1, "end": 5}]}, "expected 0 <= start < end"),
        ({"evidence": [{"doc": "a.md", "start": 1}]}, "expected 0 <= start < end, found 1, None"),
        ({"evidence": [{"doc": "a.md", "quote": "x", "docs": "y"}]}, "unknown field docs"),
        ({"evidence": ["a.md"]}, "expected an object"),
        ({"evidence": [{"doc": "a.md", "whole": "yes"}]}, "whole: expected true or false, found 'yes'"),
        ({"evidence": [{"doc": "a.md", "quote": "x", "group": 5}]}, "group: expected a text, found 5"),
        ({"history": [{"role": "system", "content": "x"}]}, "history[0]: expected a role"),
        ({"refrence": "x"}, "refrence: unknown field"),
    ],
)
def test_a_fault_is_named_with_its_line(tmp_path, change, words):
    with pytest.raises(Problems) as caught:
        read_rows(write(tmp_path, GOOD | {"id": "q0"}, GOOD | change))
    (problem,) = caught.value.problems
    assert problem.startswith("line 2")
    assert words in problem


def test_all_problems_come_together(tmp_path):
    with pytest.raises(Problems) as caught:
        read_rows(write(tmp_path, "{not json", "[]", GOOD, GOOD, GOOD | {"id": "q3", "split": "x", "language": "x"}))
    text = "\n".join(caught.value.problems)
    assert len(caught.value.problems) == 5
    for words in (
        "line 1: not valid JSON",
        "line 2: expected a JSON object",
        "id q1 was already used in line 3",
        "line 5 (q3): split",
    ):
        assert words in text


def test_no_rows_and_wrong_encoding_are_one_line(tmp_path):
    with pytest.raises(DataError, match="expected at least one question"):
        read_rows(write(tmp_path, ""))
    (tmp_path / "gb.jsonl").write_bytes(json.dumps(GOOD, ensure_ascii=False).encode("gb18030"))
    with pytest.raises(DataError, match="expected UTF-8"):
        read_rows(tmp_path / "gb.jsonl")


def test_other_peoples_categories_pass_when_not_strict(tmp_path):
    path = write(tmp_path, GOOD | {"category": "Bridge"})
    assert read_rows(path, strict=False)[0]["category"] == "Bridge"
    with pytest.raises(Problems):
        read_rows(path)


def test_only_newlines_end_a_row(tmp_path):
    odd = "年假\u2028几天\x85？\x0b\x1e"
    path = tmp_path / "questions.jsonl"
    path.write_bytes(
        ("\n".join(json.dumps(GOOD | {"id": i, "question": odd}, ensure_ascii=False) for i in "ab")).encode()
    )
    assert [row["question"] for row in read_rows(path)] == [odd, odd]


def test_with_a_list_given_sound_rows_come_back(tmp_path):
    problems = []
    rows = read_rows(write(tmp_path, "{", GOOD, GOOD | {"id": "q2", "split": "x"}), problems=problems)
    assert [row["id"] for row in rows] == ["q1"]
    assert len(problems) == 2


def test_a_key_that_stands_twice_is_a_fault(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text('{"id": "q1", "question": "a", "question": "b", "answerable": false}\n')
    with pytest.raises(Problems, match="question: stands twice in one object"):
        read_rows(path)
    deep = "[" * 1000 + "]" * 1000
    path.write_text(f'{{"id": "q1", "question": "a", "answerable": false, "metadata": {{"x": {deep}}}}}\n')
    assert len(read_rows(path)) == 1, "what only the second parser cannot read is no fault"
