"""Import of RGB: passages as documents, positives as evidence, negatives as noise."""

import json

import pytest

from ragbench.errors import DataError

ROWS = [
    {"id": 0, "query": "塔有多高？", "answer": ["30米", "三十米"], "positive": ["塔高30米。", "高30米的塔。", " "], "negative": ["塔很旧。"]},
    {"id": 1, "query": "Who built it?", "answer": [["Ada Brook", "A. Brook"]], "positive": ["Ada Brook built it."], "negative": []},
    {"id": 2, "query": "API 的 owner?", "answer": "小陈", "positive": ["owner 是小陈。"], "negative": ["owner 变了。", "owner 变了。"]},
    {"id": 2, "query": "Again?", "answer": "x", "positive": ["x"], "negative": []},
    {"id": 3, "query": "Two?", "answer": ["1", "2"], "positive": [["1 here"], ["2 here"]], "negative": ["3"]},
    {"id": 4, "query": "No answer?", "answer": [], "positive": ["x"], "negative": []},
    ["no", "object"],
]  # fmt: skip


def lines(folder, name, rows=ROWS):
    path = folder / name
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_passages_are_documents_and_the_noise_is_named(imported, tmp_path):
    found = imported("rgb", lines(tmp_path, "zh_refine.json"))
    assert list(found.questions) == ["zh_refine-0", "zh_refine-1", "zh_refine-2"]
    first = found.questions["zh_refine-0"]
    assert [(one.doc_id, one.whole) for group in first.groups for one in group.items] == [
        (f"zh_refine/zh_refine-0/positive-{n}.txt", True) for n in (1, 2)
    ]
    assert len(first.groups) == 1, "any of them answers"
    assert first.metadata["noise"] == ["zh_refine/zh_refine-0/negative-1.txt"]
    assert found.questions["zh_refine-2"].metadata["noise"] == ["zh_refine/zh_refine-2/negative-1.txt"]
    assert [found.questions[f"zh_refine-{n}"].reference for n in range(3)] == ["30米; 三十米", "Ada Brook", "小陈"]
    assert found.reasons("rejected") == {
        "the id was used before": ["zh_refine-2"],
        "it has no positive passages of its own, as one text each": ["zh_refine-3"],
        "a question without query or answer": ["zh_refine.json line 6"],
        "a line that is no JSON object": ["zh_refine.json line 7"],
    }


def test_of_a_folder_the_refined_files_are_read(imported, tmp_path):
    lines(tmp_path, "zh_refine.json", ROWS[:1])
    lines(tmp_path, "zh_int.json", ROWS[4:5])
    assert list(imported("rgb", tmp_path).questions) == ["zh_refine-0"]
    (tmp_path / "zh_refine.json").unlink()
    with pytest.raises(DataError, match=r"expected files \*_refine\.json"):
        imported("rgb", tmp_path)
