"""Import of SQuAD-style files."""

import json

import pytest

from ragbench.corpus.loader import CorpusLoader
from ragbench.errors import DataError
from ragbench.eval_set.import_squad import import_squad
from ragbench.eval_set.load import load_eval_set

PARAGRAPHS = [
    {
        "context": "海燕号载了 308 吨，  排名第六。308 吨是港口第六。",
        "qas": [
            {
                "id": "a",
                "question": "载了多少吨？",
                "answers": [{"text": "308 吨", "answer_start": 6}, {"text": "308 吨", "answer_start": 6}],
            },
            {"id": "b", "question": "第二次提到的吨数？", "answers": [{"text": "308 吨", "answer_start": 19}]},
            {"id": "c", "question": "排名？", "answers": [{"text": "排名第六", "answer_start": 0}]},
            {"id": "d", "question": "谁？", "answers": [{"text": "白鲸号", "answer_start": -1}]},
            {"id": "e", "question": "无解？", "is_impossible": True, "answers": []},
        ],
    },
    {
        "context": "The Petrel carried 308 tonnes.",
        "qas": [{"id": "f", "question": "How many tonnes?", "answers": [{"text": "308", "answer_start": 19}]}],
    },
]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "set.json"
    path.write_text(json.dumps({"data": [{"title": "t", "paragraphs": PARAGRAPHS}]}), encoding="utf-8")
    return path


@pytest.mark.parametrize("unit", ["paragraph", "article"])
def test_every_answer_lands_on_its_text(tmp_path, source, unit):
    report = import_squad(source, tmp_path / "out", unit)
    loaded = CorpusLoader().load(tmp_path / "out" / "corpus")
    found = load_eval_set(("s", "v1"), tmp_path / "out", loaded.documents)
    texts = {document.doc_id: document.text for document in loaded.documents}
    held = {q.id: [texts[i.doc_id][i.start : i.end] for g in q.groups for i in g.items] for q in found.questions}
    assert held == {"a": ["308 吨"], "b": ["308 吨"], "c": ["排名第六"], "e": [], "f": ["308"]}
    starts = {q.id: q.groups[0].items[0].start for q in found.questions if q.groups}
    assert starts["a"] < starts["b"]
    assert (report.documents, report.questions, report.repaired) == (2 if unit == "paragraph" else 1, 5, 1)
    assert [name for name, _ in report.rejected] == ["d"]
    assert {q.id: (q.language, q.answerable) for q in found.questions}["f"] == ("en", True)
    assert not next(q for q in found.questions if q.id == "e").answerable


def test_bad_input_is_one_line(tmp_path, source):
    with pytest.raises(DataError, match="no such file"):
        import_squad(tmp_path / "none.json", tmp_path / "out")
    (tmp_path / "list.json").write_text("[1]")
    with pytest.raises(DataError, match="SQuAD JSON"):
        import_squad(tmp_path / "list.json", tmp_path / "out")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("x")
    with pytest.raises(DataError, match="new or empty folder"):
        import_squad(source, tmp_path / "full")
