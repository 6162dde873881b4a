"""A frozen set cannot change unnoticed."""

import json

import pytest

from ragbench.corpus.loader import CorpusLoader
from ragbench.errors import DataError, Problems
from ragbench.eval_set.load import load_eval_set
from ragbench.eval_set.lock import check_lock, write_lock


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "休假 制度.md").write_text("# 休假\n\n年假五天。", encoding="utf-8")
    (tmp_path / "corpus" / "b.txt").write_text("Leave is five days.", encoding="utf-8")
    row = {
        "id": "q1",
        "question": "几天？",
        "language": "zh",
        "evidence": [{"doc": "休假 制度.md", "quote": "年假五天"}],
    }
    (tmp_path / "questions.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    return tmp_path


def documents(folder):
    return CorpusLoader().load(folder / "corpus").documents


def test_an_unlocked_set_has_an_identity_but_is_not_frozen(folder):
    state = check_lock(folder, documents(folder))
    assert (state.frozen, state.text_differs) == (False, ())
    assert state.lock.startswith("sha256:")


def test_locking_keeps_the_identity(folder):
    before = check_lock(folder, documents(folder)).lock
    assert write_lock(folder, CorpusLoader(), documents(folder)) == before
    state = check_lock(folder, documents(folder))
    assert (state.lock, state.frozen) == (before, True)
    assert write_lock(folder, CorpusLoader(), documents(folder)) == before


def change_question(folder):
    path = folder / "questions.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("几天", "多少天"), encoding="utf-8")
    return "questions.jsonl was changed"


def change_document(folder):
    (folder / "corpus" / "b.txt").write_text("Leave is six days.", encoding="utf-8")
    return "corpus/b.txt was changed"


def remove_document(folder):
    (folder / "corpus" / "b.txt").unlink()
    return "corpus/b.txt is missing"


def add_document(folder):
    (folder / "corpus" / "c.txt").write_text("new", encoding="utf-8")
    return "corpus/c.txt was added"


@pytest.mark.parametrize("change", [change_question, change_document, remove_document, add_document])
def test_any_change_of_a_frozen_set_is_refused(folder, change):
    write_lock(folder, CorpusLoader(), documents(folder))
    words = change(folder)
    with pytest.raises(Problems) as caught:
        check_lock(folder, documents(folder))
    assert caught.value.problems == (words,)
    with pytest.raises(DataError, match="new version"):
        write_lock(folder, CorpusLoader(), documents(folder))


def test_another_text_of_the_same_files_is_told_and_compares_as_another_corpus(folder):
    lock = write_lock(folder, CorpusLoader(), documents(folder))
    path = folder / "LOCK"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["texts"]["b.txt"] = "sha256:of an older loader"
    path.write_text(json.dumps(content), encoding="utf-8")
    state = check_lock(folder, documents(folder))
    assert state.text_differs == ("b.txt",)
    assert state.lock != lock


def test_a_broken_lock_is_one_line(folder):
    (folder / "LOCK").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="eval-set lock"):
        check_lock(folder, documents(folder))


def test_the_loaded_set_knows_its_splits(folder):
    found = load_eval_set(("s", "v1"), folder, documents(folder))
    assert [q.id for q in found.of_split("test")] == ["q1"]
    with pytest.raises(DataError, match="split dev of s/v1"):
        found.of_split("dev")
    with pytest.raises(DataError, match="dev, test or all"):
        found.of_split("train")


def forge_lock(content):
    content["lock"] = "sha256:" + "0" * 64


def forge_a_hash(content):
    content["files"]["questions.jsonl"] = "0" * 64


@pytest.mark.parametrize("forge", [forge_lock, forge_a_hash])
def test_a_lock_edited_by_hand_is_refused(folder, forge):
    write_lock(folder, CorpusLoader(), documents(folder))
    content = json.loads((folder / "LOCK").read_text(encoding="utf-8"))
    forge(content)
    (folder / "LOCK").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(Problems, match="edited by hand"):
        check_lock(folder, documents(folder))


@pytest.mark.parametrize(
    "content", ['{"files": [1], "texts": {}, "lock": ""}', '{"files": {}, "texts": 3, "lock": 1}', "[]"]
)
def test_a_lock_of_another_shape_is_one_line(folder, content):
    (folder / "LOCK").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match="eval-set lock"):
        check_lock(folder, documents(folder))


def test_a_file_that_cannot_be_loaded_is_frozen_too(folder):
    write_lock(folder, CorpusLoader(), documents(folder))
    (folder / "corpus" / "extra.xyz").write_text("x")
    (folder / "corpus" / ".hidden").write_text("x")
    with pytest.raises(Problems) as caught:
        check_lock(folder, documents(folder))
    assert caught.value.problems == ("corpus/extra.xyz was added",)


def test_everything_that_is_wrong_is_told_at_once(folder):
    write_lock(folder, CorpusLoader(), documents(folder))
    rows = [
        {"id": "a", "question": "?", "split": "train", "evidence": [{"doc": "b.txt", "quote": "five"}]},
        {"id": "b", "question": "?", "evidence": [{"doc": "b.txt", "quote": "六天"}, {"doc": "none.md", "quote": "x"}]},
    ]
    (folder / "questions.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    with pytest.raises(Problems) as caught:
        load_eval_set(("s", "v1"), folder, documents(folder))
    text = "\n".join(caught.value.problems)
    for words in (
        "questions.jsonl was changed",
        "split: expected one of",
        "does not hold “六天”",
        "'none.md' is not in the corpus",
    ):
        assert words in text


def test_documents_that_could_not_be_read_make_another_corpus(folder):
    whole = check_lock(folder, documents(folder)).lock
    assert check_lock(folder, documents(folder)[:1]).lock != whole
