"""Import of chat logs with whole logs as evidence."""

import pytest

from ragbench.errors import DataError, Problems

LOGS = {
    "week1/20260105_0900": "Time: 20260105_09:00\nMei: The heating is repaired.",
    "week1/20260106_1830": "Time: 20260106_18:30\nMei: 明天 18:30 聚餐。",
    "week2/20260112_0715": "Time: 20260112_07:15\nMei: The gym opens at seven.",
}
FIELDS = ("question", "answer", "evidence", "type")
ROWS = {
    "0": ("Is the heating repaired?", "Yes", "20260105_09:00", "Single"),
    "1": ("Dinner before the gym?", "Yes", "20260106_18:30<and>20260112_07:15", "Multi"),
    "2": ("What colour is the bike?", "Insufficient information", "N/A", "Null"),
    "3": ("聚餐几点？", "18:30", "Time: 20260106_18:30", "Single"),
    "4": ("When does the gym open?", "Seven", "20260112_07:15 ", "Single"),
    "5": ("Heating done?", "Yes", "20260105_0900", "Single"),
    "6": ("What opens?", "The gym\t20260112_07:15", "What", "Single"),
    "7": ("What else?", "A pool\t20270101_07:15", "What", "Single"),
    "8": ("Who called?", "Nobody", "20260301_10:00", "Single"),
    "9": ("Twice the same?", "Yes", "20260105_09:00<and>20260105_09:00", "Multi"),
    "10": ("Kind?", "Yes", "20260105_09:00", "Double"),
    "11": ("Broken?", "Yes", "tomorrow", "Single"),
    "12": ("", "Yes", "20260105_09:00", "Single"),
}


@pytest.fixture
def folder(written):
    for name, text in LOGS.items():
        written(f"data/World/{name}.txt", text)
    rows = {key: dict(zip(FIELDS, row)) for key, row in ROWS.items()} | {"13": {"question": "Fields?"}}
    return written("qa/query_set.json", rows).parents[1]


def documents(found, name):
    return [[item.doc_id for item in group.items] for group in found.questions[name].groups]


def test_evidence_is_whole_logs(imported, folder):
    found = imported("lihua_world", folder)
    assert documents(found, "lihua-0") == [["World/week1/20260105_0900.txt"]]
    assert documents(found, "lihua-1") == [["World/week1/20260106_1830.txt"], ["World/week2/20260112_0715.txt"]]
    assert all(i.whole for q in found.questions.values() for group in q.groups for i in group.items)
    null = found.questions["lihua-2"]
    assert (null.answerable, null.category, null.groups) == (False, "negative", ())
    assert found.questions["lihua-1"].category == "multi_hop"
    assert found.questions["lihua-3"].language == "zh"


def test_each_defect_is_repaired_or_rejected_by_name(imported, folder):
    found = imported("lihua_world", folder)
    assert found.reasons("repaired") == {
        "“Time:” before the time": ["lihua-3"],
        "blanks around the time": ["lihua-4"],
        "no colon in the time": ["lihua-5"],
        "the evidence stood behind a tab in the answer": ["lihua-6"],
    }
    assert documents(found, "lihua-6") == [["World/week2/20260112_0715.txt"]]
    assert found.questions["lihua-6"].reference == "The gym"
    assert found.reasons("rejected") == {
        "no log has the time of its evidence (the evidence stood behind a tab in the answer)": ["lihua-7"],
        "no log has the time of its evidence": ["lihua-8"],
        "its type is none of Single, Multi, Null": ["lihua-10"],
        "its evidence is no time of a log": ["lihua-11"],
        "the question has no text": ["lihua-12"],
        "the row has no text in answer, evidence, type": ["lihua-13"],
    }
    assert documents(found, "lihua-9") == [["World/week1/20260105_0900.txt"]]
    assert found.reasons("noted") == {"evidence that is given twice is counted once": ["lihua-9"]}


def test_two_logs_of_one_time_are_no_evidence(imported, folder, written):
    written("data/World/week9/20260105_0900.txt", "again")
    found = imported("lihua_world", folder)
    assert "lihua-0" in found.reasons("rejected")["several logs have the time of its evidence"]


def test_files_that_are_no_logs_are_said(imported, folder, written, tmp_path):
    written("data/World/note.docx", "x")
    outside = tmp_path / "outside.txt"
    outside.write_text("secret")
    (folder / "data" / "World" / "link.txt").symlink_to(outside)
    found = imported("lihua_world", folder)
    assert found.reasons("unread") == {
        "a link that leaves the corpus folder": ["World/link.txt"],
        "no log (.txt)": ["World/note.docx"],
    }


def test_another_kind_of_source_is_one_line(imported, folder, written):
    with pytest.raises(DataError, match="no such folder"):
        imported("lihua_world", folder / "qa")
    (folder / "qa" / "query_set.json").write_text("[]")
    with pytest.raises(DataError, match="found a list"):
        imported("lihua_world", folder)
    (folder / "qa" / "query_set.json").write_text("{}")
    with pytest.raises(Problems, match="there are no questions at all"):
        imported("lihua_world", folder)
