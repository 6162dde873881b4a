"""Writing an imported set: whole or not at all, never over something else, the same bytes every time."""

import hashlib
import json

import pytest

from ragbench.core.codec import read_json
from ragbench.errors import DataError
from ragbench.eval_set.build_set import source_hash
from ragbench.eval_set.draft_rows import split_of

CONTEXTS = [
    {
        "context_id": f"T_{number}",
        "context_text": f"第{number}号船载重{number}百吨。",
        "qas": [{"query_id": f"T_{number}_0", "query_text": f"{number}号船载重多少？", "answers": [f"{number}百吨"]}],
    }
    for number in range(2, 62)
]


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def source(written):
    return written("trial.json", CONTEXTS)


def test_the_same_source_gives_the_same_bytes(imported, source):
    one, other = imported("cmrc", source, target="a/v1"), imported("cmrc", source, target="b/v1")
    first = contents(one.report.folder)
    assert first == contents(other.report.folder)
    assert {name for name in first if "/" not in name} == {"DATASHEET.md", "IMPORTED", "LOCK", "questions.jsonl"}
    assert one.report.lock == read_json(one.report.folder / "LOCK")["lock"]


def test_a_third_is_dev_by_the_id_alone(imported, source):
    found = imported("cmrc", source)
    splits = {name: q.split for name, q in found.questions.items()}
    assert splits == {name: split_of(name) for name in splits}
    assert 10 <= list(splits.values()).count("dev") <= 30
    assert [split_of(name) for name in ("T_2_0", "T_3_0", "年假", "")] == ["dev", "test", "test", "test"]


def test_nothing_is_written_over(imported, source, tmp_path):
    with pytest.raises(DataError, match="found a file or a link"):
        imported("cmrc", source, target="source/trial.json")
    own = tmp_path / "own"
    own.mkdir()
    (own / "questions.jsonl").write_text("mine")
    for force in (False, True):
        with pytest.raises(DataError, match="expected a"):
            imported("cmrc", source, target="own", force=force)
    assert contents(own) == {"questions.jsonl": b"mine"}


def test_force_replaces_what_an_import_made(imported, written, source):
    first = imported("cmrc", source)
    with pytest.raises(DataError, match="--force"):
        imported("cmrc", source)
    second = imported("cmrc", written("less.json", CONTEXTS[:3]), force=True)
    assert len(second.documents) == 3
    assert first.report.folder == second.report.folder
    assert [path.name for path in second.report.folder.parent.iterdir()] == ["v1"]


def test_an_empty_folder_is_as_good_as_none(imported, source, tmp_path):
    (tmp_path / "made" / "v1").mkdir(parents=True)
    assert len(imported("cmrc", source).questions) == len(CONTEXTS)


def test_a_failure_keeps_the_old_set_and_leaves_no_traces(imported, written, source):
    first = imported("cmrc", source)
    before = contents(first.report.folder)
    blank = [CONTEXTS[0] | {"context_text": "\u200b"}]
    with pytest.raises(DataError, match="expected documents with text"):
        imported("cmrc", written("blank.json", blank), force=True)
    assert contents(first.report.folder) == before
    assert [path.name for path in first.report.folder.parent.iterdir()] == ["v1"]


def test_a_set_that_cannot_take_its_place_leaves_the_old_one(imported, source, monkeypatch):
    from pathlib import Path

    first = imported("cmrc", source)
    before = contents(first.report.folder)
    move = Path.replace

    def fail(path, target):
        if path.name == "new":
            raise OSError(28, "No space left on device")
        return move(path, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        imported("cmrc", source, force=True)
    assert contents(first.report.folder) == before
    assert [path.name for path in first.report.folder.parent.iterdir()] == ["v1"]


def test_the_datasheet_says_what_was_done_and_every_id_is_kept(imported, written):
    rows = [json.loads(json.dumps(row)) for row in CONTEXTS]
    for row in rows[:15]:
        row["qas"][0]["answers"] = ["不在这里|"]
    found = imported("cmrc", written("trial.json", rows))
    written("LICENSE.txt", "CC BY-SA 4.0")
    sheet = (found.report.folder / "DATASHEET.md").read_text(encoding="utf-8")
    assert "60 documents, 45 questions, 0 of them unanswerable." in sheet
    assert "| rejected | 15 | the quote is not in the document | T_2_0, " in sheet
    assert "T_11_0, … |" in sheet
    assert "T_12_0" not in sheet
    (reason,) = read_json(found.report.folder / "IMPORTED")["reasons"]
    assert reason["ids"] == [f"T_{number}_0" for number in range(2, 17)]
    assert "What it cannot show" in sheet


def test_facts_count_what_is_in_the_file(imported, source):
    found = imported("cmrc", source)
    facts = found.report.facts()
    rows = [json.loads(line) for line in (found.report.folder / "questions.jsonl").read_text("utf-8").splitlines()]
    assert facts["questions"] == len(rows) == 60
    assert facts["by_split"] == {s: sum(row["split"] == s for row in rows) for s in ("dev", "test")}
    assert (facts["evidence"], facts["groups"], facts["documents"]) == (60, 60, 60)
    assert facts["by_category"] == {"lookup": 60}


def test_a_folder_is_known_by_what_lies_in_it(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name / "子").mkdir(parents=True)
        (tmp_path / name / "子" / "a.md").write_text("年假", encoding="utf-8")
        (tmp_path / name / "b.md").write_text("leave", encoding="utf-8")
    first = source_hash(tmp_path / "one")
    assert first == source_hash(tmp_path / "two")
    (tmp_path / "two" / "b.md").write_text("leaves", encoding="utf-8")
    assert first != source_hash(tmp_path / "two")
    (tmp_path / "one" / "b.md").rename(tmp_path / "one" / "c.md")
    assert first != source_hash(tmp_path / "one")
    assert source_hash(tmp_path / "one" / "c.md") == hashlib.sha256(b"leave").hexdigest()
